// Instants are seconds since the epoch (fractions allowed) in the UI; shown in the time zone that the user chose,
// else in the browser's.
// Ranges are written as in Zabbix's time selector: `now-1h`, `now/d`, or a local date and time.

import { locale, t } from "./i18n";
import { browserZone, isZone, momentOf, type WallTime, wallOf } from "./zone";

const two = (n: number) => String(n).padStart(2, "0");

export function nowSeconds(): number {
  return Date.now() / 1000;
}

let shownZone: string | undefined;

/** Zabbix's name of a zone; "default" and "system" stand for the browser's, as does what it does not know. */
export function setShownZone(name: string): void {
  shownZone = ["", "default", "system"].includes(name) || !isZone(name) ? undefined : name;
}

/** The zone that was chosen; undefined: the browser's. */
export function zoneShown(): string | undefined {
  return shownZone;
}

/** The zone of all times that are shown: the chosen one, else the browser's. */
export function zoneName(): string {
  return shownZone ?? browserZone();
}

/** The clock on the wall where times are shown. */
export function wallAt(seconds: number): WallTime {
  if (shownZone !== undefined) return wallOf(seconds, shownZone);
  const d = new Date(seconds * 1000);
  return {
    year: d.getFullYear(),
    month: d.getMonth() + 1,
    day: d.getDate(),
    hour: d.getHours(),
    minute: d.getMinutes(),
    second: d.getSeconds(),
  };
}

/** The moment at which that wall shows a time; months and days may lie beyond their ends. */
export function instantOf(
  year: number,
  month: number,
  day: number,
  hour = 0,
  minute = 0,
  second = 0,
): number {
  if (shownZone !== undefined) {
    return momentOf({ year, month, day, hour, minute, second }, shownZone);
  }
  return new Date(year, month - 1, day, hour, minute, second).getTime() / 1000;
}

/** 2026-11-20 14:03:11 */
export function formatDateTime(seconds: number): string {
  const wall = wallAt(seconds);
  return `${formatDate(wall)} ${formatClock(wall)}`;
}

function formatDate({ year, month, day }: WallTime): string {
  return `${year}-${two(month)}-${two(day)}`;
}

function formatClock({ hour, minute, second }: WallTime): string {
  return `${two(hour)}:${two(minute)}:${two(second)}`;
}

/** The clock alone for today, else date and clock. */
export function formatWhen(seconds: number, now: number): string {
  const wall = wallAt(seconds);
  const date = formatDate(wall);
  const clock = formatClock(wall);
  return date === formatDate(wallAt(now)) ? clock : `${date} ${clock}`;
}

/** "20 November", in the user's language. */
export function dayName(year: number, month: number, day: number): string {
  return named(year, month, day, { day: "numeric", month: "long" });
}

/** "November", or "November 2026". */
export function monthName(year: number, month: number, hasYear: boolean): string {
  const name = named(
    year,
    month,
    1,
    hasYear ? { month: "long", year: "numeric" } : { month: "long" },
  );
  // Russian has no capital there; as a title it has
  return name.charAt(0).toLocaleUpperCase(locale()) + name.slice(1);
}

function named(
  year: number,
  month: number,
  day: number,
  options: Intl.DateTimeFormatOptions,
): string {
  // the day before the month, as dates are written everywhere but in the United States
  const tag = locale() === "en-US" ? "en-GB" : locale();
  const date = new Date(Date.UTC(year, month - 1, day));
  return new Intl.DateTimeFormat(tag, { ...options, timeZone: "UTC" }).format(date);
}

const AGE_PARTS: readonly (readonly [suffix: string, seconds: number])[] = [
  [t("y"), 31_536_000],
  [t("M"), 2_592_000],
  [t("d"), 86_400],
  [t("h"), 3600],
  [t("m"), 60],
  [t("s"), 1],
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
  return parts.length === 0 ? `0${t("s")}` : parts.join(" ");
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
  const at = instantOf(Number(y), Number(mo), Number(d), Number(h), Number(mi), Number(s));
  return Number.isFinite(at) ? at : undefined;
}

function offset(step: string): number {
  const match = /^([+-]\d+)([smhdwMy]?)$/.exec(step);
  if (match === null) return 0;
  return Number(match[1]) * (UNIT_SECONDS[match[2] || "s"] ?? 1);
}

function roundTo(seconds: number, unit: string, up: boolean): number {
  const more = up ? 1 : 0;
  const { year, month, day, hour } = wallAt(seconds);
  // weeks begin on Monday
  const sinceMonday = (new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7;
  const starts: Readonly<Record<string, number>> = {
    h: instantOf(year, month, day, hour + more),
    d: instantOf(year, month, day + more),
    w: instantOf(year, month, day - sinceMonday + 7 * more),
    M: instantOf(year, month + more, 1),
    y: instantOf(year + more, 1, 1),
  };
  return starts[unit] ?? seconds;
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
  { range: { from: "now-15m", to: "now" }, name: t("15m") },
  { range: { from: "now-1h", to: "now" }, name: t("1h") },
  { range: { from: "now-3h", to: "now" }, name: t("3h") },
  { range: { from: "now-12h", to: "now" }, name: t("12h") },
  { range: { from: "now-1d", to: "now" }, name: t("1d") },
  { range: { from: "now-7d", to: "now" }, name: t("7d") },
  { range: { from: "now-30d", to: "now" }, name: t("30d") },
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
