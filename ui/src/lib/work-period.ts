// Working time as the setting `work_period` says it, `1-5,09:00-18:00;6,10:00-14:00`, and the rest of a stretch of time.

import { momentOf, wallOf } from "./zone";

export interface Span {
  readonly from: number;
  readonly to: number;
}

interface Shift {
  /** Monday 1 to Sunday 7 */
  readonly firstDay: number;
  readonly lastDay: number;
  /** minutes of the day */
  readonly begin: number;
  readonly end: number;
}

const DAY_S = 86_400;
/** Of more, as Zabbix has it, days would be lines. */
const DAYS_MAX = 93;

const SHIFT = /^([1-7])(?:-([1-7]))?,(\d{1,2}):(\d\d)-(\d{1,2}):(\d\d)$/;

function shiftOf(text: string): Shift | undefined {
  const match = SHIFT.exec(text.trim());
  if (match === null) return undefined;
  const [firstDay = 0, lastDay = 0, ...clock] = match.slice(1).map((it) => Number(it ?? 0));
  const [beginHour = 0, beginMinute = 0, endHour = 0, endMinute = 0] = clock;
  return {
    firstDay,
    lastDay: lastDay === 0 || Number.isNaN(lastDay) ? firstDay : lastDay,
    begin: beginHour * 60 + beginMinute,
    end: endHour * 60 + endMinute,
  };
}

/** Times outside working hours, in order; nothing where the setting is not understood or the time is too long. */
export function restSpans(period: string, from: number, to: number, zone: string): readonly Span[] {
  const shifts = period
    .split(";")
    .filter((it) => it.trim() !== "")
    .map(shiftOf);
  if (shifts.length === 0 || to - from > DAYS_MAX * DAY_S) return [];
  const known = shifts.filter((it) => it !== undefined);
  if (known.length < shifts.length) return [];
  const rest: Span[] = [];
  let resting = from;
  for (const { from: begin, to: end } of workSpans(known, from, to, zone)) {
    if (begin > resting) rest.push({ from: resting, to: Math.min(begin, to) });
    resting = Math.max(resting, end);
  }
  if (resting < to) rest.push({ from: resting, to });
  return rest;
}

function workSpans(
  shifts: readonly Shift[],
  from: number,
  to: number,
  zone: string,
): readonly Span[] {
  const spans: Span[] = [];
  const { year, month, day } = wallOf(from, zone);
  for (let n = 0; n <= DAYS_MAX + 1; n += 1) {
    // noon is on its day whatever the clock is set to
    const noon = new Date(Date.UTC(year, month - 1, day + n, 12));
    const weekday = noon.getUTCDay() === 0 ? 7 : noon.getUTCDay();
    const at = (minutes: number) =>
      momentOf(
        {
          year: noon.getUTCFullYear(),
          month: noon.getUTCMonth() + 1,
          // 24:00 is the next day's beginning
          day: noon.getUTCDate() + Math.floor(minutes / 1440),
          hour: Math.floor((minutes % 1440) / 60),
          minute: minutes % 60,
          second: 0,
        },
        zone,
      );
    if (at(0) > to) break;
    for (const it of shifts) {
      if (weekday < it.firstDay || weekday > it.lastDay) continue;
      const span = { from: at(it.begin), to: at(it.end) };
      if (span.to > from && span.from < to) spans.push(span);
    }
  }
  return spans.sort((a, b) => a.from - b.from);
}
