// What the calendar shows: rows of days, and the part of each shift that lies in a row.

import type { OnCall, Person, Shift } from "@/api/oncall";
import { t } from "@/lib/i18n";
import { dateIn, midnightOf, minuteIn, monthOf, weekdayOf } from "@/lib/zone";

export type CalendarView = "week" | "month";

export interface CalendarRow {
  /** midnights, one more than there are days */
  readonly days: readonly number[];
}

/** A week is a row a day, a month is a row a week; weeks begin on Monday. */
export function rowsOf(at: number, view: CalendarView, zone: string): readonly CalendarRow[] {
  if (view === "week") {
    const monday = midnightOf(at, zone, -weekdayOf(at, zone));
    return Array.from({ length: 7 }, (_, day) => ({
      days: [midnightOf(monday, zone, day), midnightOf(monday, zone, day + 1)],
    }));
  }
  const first = monthOf(at, zone);
  const end = monthOf(at, zone, 1);
  const rows: CalendarRow[] = [];
  let monday = midnightOf(first, zone, -weekdayOf(first, zone));
  while (monday < end) {
    const start = monday;
    rows.push({ days: Array.from({ length: 8 }, (_, day) => midnightOf(start, zone, day)) });
    monday = midnightOf(start, zone, 7);
  }
  return rows;
}

/** The moment whose week or month is the one before or after. */
export function stepped(at: number, view: CalendarView, zone: string, by: -1 | 1): number {
  return view === "week" ? midnightOf(at, zone, 7 * by) : monthOf(at, zone, by);
}

export function rangeOf(rows: readonly CalendarRow[]): readonly [from: number, till: number] {
  return [rows[0]?.days[0] ?? 0, rows.at(-1)?.days.at(-1) ?? 0];
}

export interface Bar {
  readonly shift: Shift;
  /** shares of the row, in percent */
  readonly left: number;
  readonly width: number;
}

/** Nobody has no bar: a gap is what one is to see. */
export function barsOf(row: CalendarRow, shifts: readonly Shift[]): readonly Bar[] {
  const [from, till] = [row.days[0] ?? 0, row.days.at(-1) ?? 0];
  return shifts.flatMap((shift) => {
    const begin = Math.max(Number(shift.time_from), from);
    const end = Math.min(Number(shift.time_till), till);
    if (shift.userid === "0" || end <= begin) return [];
    const share = (seconds: number) => (100 * seconds) / (till - from);
    return [{ shift, left: share(begin - from), width: share(end - begin) }];
  });
}

/** What is cut where rows end is one shift again, and neighbours of one user and layer are one. */
export function joined(shifts: readonly Shift[]): readonly Shift[] {
  const out: Shift[] = [];
  for (const shift of shifts) {
    const last = out.at(-1);
    const goesOn =
      last !== undefined &&
      last.userid === shift.userid &&
      last.rotation === shift.rotation &&
      last.override === shift.override &&
      last.time_till === shift.time_from;
    if (goesOn) out[out.length - 1] = { ...last, time_till: shift.time_till };
    else out.push(shift);
  }
  return out;
}

/** The one under way and those behind it. */
export function shiftsFrom(now: number, onCall: OnCall | undefined): readonly Shift[] {
  return joined(onCall?.shifts ?? []).filter(({ time_till }) => now < Number(time_till));
}

export function personText({ userid, username, name, surname }: Person): string {
  if (userid === "0") return t("nobody");
  const whole = `${name} ${surname}`.trim();
  return whole === "" ? username : whole;
}

/** The same colour for a user in all rows: by the order in which users first come in the schedule. */
export function colorsOf(userids: readonly string[]): ReadonlyMap<string, number> {
  const colors = new Map<string, number>();
  for (const id of userids) if (!colors.has(id)) colors.set(id, colors.size);
  return colors;
}

export function spanText(from: number, till: number, zone: string): string {
  const end = minuteIn(till, zone);
  const isSameDay = dateIn(from, zone) === dateIn(till, zone);
  return `${minuteIn(from, zone)} – ${isSameDay ? end.slice(11) : end}`;
}
