// The clock on the wall of a named time zone: schedules are written and shown in zones that need not be the
// browser's. A wall time that the clock leaves out is the moment of the jump; of one that comes twice it is the first.

export interface WallTime {
  readonly year: number;
  /** 1 to 12 */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

const two = (n: number) => String(n).padStart(2, "0");

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  formats.set(zone, made);
  return made;
}

export function browserZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export function isZone(zone: string): boolean {
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** IANA names that the browser knows, UTC first. */
export function zoneNames(): readonly string[] {
  return ["UTC", ...Intl.supportedValuesOf("timeZone").filter((it) => it !== "UTC")];
}

export function wallOf(seconds: number, zone: string): WallTime {
  const parts = formatOf(zone).formatToParts(seconds * 1000);
  const of = (type: string) => Number(parts.find((it) => it.type === type)?.value ?? 0);
  return {
    year: of("year"),
    month: of("month"),
    day: of("day"),
    hour: of("hour"),
    minute: of("minute"),
    second: of("second"),
  };
}

/** Seconds since 1970 as if the wall were UTC's; months and days may lie beyond their ends. */
function flat({ year, month, day, hour, minute, second }: WallTime): number {
  return Date.UTC(year, month - 1, day, hour, minute, second) / 1000;
}

function offsetAt(seconds: number, zone: string): number {
  return flat(wallOf(seconds, zone)) - Math.floor(seconds);
}

/** "UTC+1", "UTC+5:30", "UTC": how far the wall is ahead at a moment. */
export function offsetName(seconds: number, zone: string): string {
  const minutes = Math.round(offsetAt(seconds, zone) / 60);
  if (minutes === 0) return "UTC";
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `UTC${minutes < 0 ? "−" : "+"}${hours}${rest === 0 ? "" : `:${two(rest)}`}`;
}

/** "Europe/Berlin (UTC+1)" */
export function zoneLabel(seconds: number, zone: string): string {
  const offset = offsetName(seconds, zone);
  return offset === zone ? zone : `${zone} (${offset})`;
}

const DAY = 86_400;

/** The moment at which the wall shows a time. */
export function momentOf(wall: WallTime, zone: string): number {
  const wanted = flat(wall);
  // offsets around it: a zone changes once a day at the most
  const before = offsetAt(wanted - DAY, zone);
  const after = offsetAt(wanted + DAY, zone);
  const fits = [before, after]
    .map((offset) => wanted - offset)
    .filter((moment) => offsetAt(moment, zone) === wanted - moment);
  const first = fits.sort((a, b) => a - b)[0];
  return first ?? jumpBetween(wanted - DAY, wanted + DAY, zone);
}

/** The first second of the later offset. */
function jumpBetween(from: number, until: number, zone: string): number {
  const old = offsetAt(from, zone);
  let [low, high] = [from, until];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle, zone) === old) low = middle;
    else high = middle;
  }
  return high;
}

/** The beginning of the day that is `days` after the one in which the moment lies. */
export function midnightOf(seconds: number, zone: string, days = 0): number {
  const { year, month, day } = wallOf(seconds, zone);
  return momentOf({ year, month, day: day + days, hour: 0, minute: 0, second: 0 }, zone);
}

/** The beginning of the month that is `months` after the one in which the moment lies. */
export function monthOf(seconds: number, zone: string, months = 0): number {
  const { year, month } = wallOf(seconds, zone);
  return momentOf({ year, month: month + months, day: 1, hour: 0, minute: 0, second: 0 }, zone);
}

/** 0 Monday to 6 Sunday. */
export function weekdayOf(seconds: number, zone: string): number {
  const { year, month, day } = wallOf(seconds, zone);
  return (new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7;
}

/** 2026-11-20 */
export function dateIn(seconds: number, zone: string): string {
  const { year, month, day } = wallOf(seconds, zone);
  return `${year}-${two(month)}-${two(day)}`;
}

/** 2026-11-20 14:03 */
export function minuteIn(seconds: number, zone: string): string {
  const { hour, minute } = wallOf(seconds, zone);
  return `${dateIn(seconds, zone)} ${two(hour)}:${two(minute)}`;
}

const WRITTEN = /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d))?)?$/;

/** 2026-11-20 14:03:11, without seconds where there are none. */
export function writtenIn(seconds: number, zone: string): string {
  const text = minuteIn(seconds, zone);
  return seconds % 60 === 0 ? text : `${text}:${two(seconds % 60)}`;
}

/** Seconds of a date, with a time of the day or without; `now` is the moment. Undefined: it is not written so. */
export function parseIn(text: string, zone: string): number | undefined {
  if (text.trim() === "now") return Math.floor(Date.now() / 1000);
  const found = WRITTEN.exec(text.trim());
  if (found === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1)
    .map((it) => Number(it ?? 0));
  const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const isThere =
    1 <= month && month <= 12 && 1 <= day && day <= lastDay && hour < 24 && minute < 60;
  return isThere && second < 60
    ? momentOf({ year, month, day, hour, minute, second }, zone)
    : undefined;
}
