// Instants are seconds since the epoch (fractions allowed) in the UI; shown in the browser's time zone.
// Ranges are written as in Zabbix's time selector: `now-1h`, `now/d`, or a local date and time.

const two = (n: number) => String(n).padStart(2, "0");

export function nowSeconds(): number {
  return Date.now() / 1000;
}

/** 2026-11-20 14:03:11 */
export function formatDateTime(seconds: number): string {
  const d = new Date(seconds * 1000);
  return `${formatDate(d)} ${formatClock(d)}`;
}

function formatDate(d: Date): string {
  return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())}`;
}

function formatClock(d: Date): string {
  return `${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`;
}

/** The clock alone for today, else date and clock. */
export function formatWhen(seconds: number, now: number): string {
  const d = new Date(seconds * 1000);
  const today = formatDate(new Date(now * 1000)) === formatDate(d);
  return today ? formatClock(d) : formatDateTime(seconds);
}

const AGE_PARTS: readonly (readonly [suffix: string, seconds: number])[] = [
  ["y", 31_536_000],
  ["M", 2_592_000],
  ["d", 86_400],
  ["h", 3600],
  ["m", 60],
  ["s", 1],
];

/** A length of time in at most two parts: "3d 4h", "2m 5s", "0s". */
export function formatAge(seconds: number): string {
  let rest = Math.max(0, Math.floor(seconds));
  const parts: string[] = [];
  let first = -1;
  for (const [at, [suffix, length]] of AGE_PARTS.entries()) {
    if (first >= 0 && at > first + 1) break;
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count === 0) continue;
    if (first < 0) first = at;
    parts.push(`${count}${suffix}`);
  }
  return parts.length === 0 ? "0s" : parts.join(" ");
}

export interface TimeRange {
  readonly from: string;
  readonly to: string;
}

const UNIT_SECONDS: Readonly<Record<string, number>> = {
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 604_800,
  M: 2_592_000,
  y: 31_536_000,
};

/** Seconds of a time expression, undefined where it is none. `end` rounds `/d` up instead of down. */
export function parseTime(text: string, now: number, end = false): number | undefined {
  const source = text.trim();
  const relative = /^now((?:[+-]\d+[smhdwMy]?|\/[hdwMy])*)$/.exec(source);
  if (relative !== null) {
    let at = now;
    for (const [step] of (relative[1] ?? "").matchAll(/[+-]\d+[smhdwMy]?|\/[hdwMy]/g)) {
      at = step.startsWith("/") ? roundTo(at, step.slice(1), end) : at + offset(step);
    }
    return at;
  }
  if (/^\d{9,11}$/.test(source)) return Number(source);
  const date = /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d))?)?$/.exec(source);
  if (date === null) return undefined;
  const [, y, mo, d, h = "0", mi = "0", s = "0"] = date;
  const ms = new Date(
    Number(y),
    Number(mo) - 1,
    Number(d),
    Number(h),
    Number(mi),
    Number(s),
  ).getTime();
  return Number.isFinite(ms) ? ms / 1000 : undefined;
}

function offset(step: string): number {
  const match = /^([+-]\d+)([smhdwMy]?)$/.exec(step);
  if (match === null) return 0;
  return Number(match[1]) * (UNIT_SECONDS[match[2] || "s"] ?? 1);
}

function roundTo(seconds: number, unit: string, up: boolean): number {
  const d = new Date(seconds * 1000);
  const more = up ? 1 : 0;
  const [y, mo, day, h] = [d.getFullYear(), d.getMonth(), d.getDate(), d.getHours()];
  // weeks begin on Monday
  const sinceMonday = (d.getDay() + 6) % 7;
  const start: Readonly<Record<string, Date>> = {
    h: new Date(y, mo, day, h + more),
    d: new Date(y, mo, day + more),
    w: new Date(y, mo, day - sinceMonday + 7 * more),
    M: new Date(y, mo + more, 1),
    y: new Date(y + more, 0, 1),
  };
  return (start[unit] ?? d).getTime() / 1000;
}

export interface ResolvedRange {
  readonly from: number;
  readonly to: number;
  /** the end moves with the clock: the view follows new values */
  readonly live: boolean;
}

const DEFAULT_RANGE_SECONDS = 3600;

/** A usable range whatever the text says: the last hour stands in for what cannot be read. */
export function resolveRange(range: TimeRange, now: number): ResolvedRange {
  const to = parseTime(range.to, now, true) ?? now;
  const from = parseTime(range.from, now) ?? to - DEFAULT_RANGE_SECONDS;
  const live = range.to.trim() === "now";
  return from < to ? { from, to, live } : { from: to - DEFAULT_RANGE_SECONDS, to, live };
}

export const RANGE_PRESETS: readonly { readonly range: TimeRange; readonly name: string }[] = [
  { range: { from: "now-15m", to: "now" }, name: "15m" },
  { range: { from: "now-1h", to: "now" }, name: "1h" },
  { range: { from: "now-3h", to: "now" }, name: "3h" },
  { range: { from: "now-12h", to: "now" }, name: "12h" },
  { range: { from: "now-1d", to: "now" }, name: "1d" },
  { range: { from: "now-7d", to: "now" }, name: "7d" },
  { range: { from: "now-30d", to: "now" }, name: "30d" },
];

/** The range moved back or forward by half of its width. */
export function shiftRange(range: ResolvedRange, direction: -1 | 1): TimeRange {
  const step = ((range.to - range.from) / 2) * direction;
  return toRange(range.from + step, range.to + step);
}

/** The range at twice its width around its middle, never ending after `now`. */
export function widenRange(range: ResolvedRange, now: number): TimeRange {
  const width = range.to - range.from;
  const to = Math.min(now, range.to + width / 2);
  return toRange(to - 2 * width, to);
}

export function toRange(from: number, to: number): TimeRange {
  return { from: formatDateTime(Math.round(from)), to: formatDateTime(Math.round(to)) };
}
