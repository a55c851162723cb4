// Separators between problems in order of time, as Zabbix's timeline has them: hours of today, then
// yesterday, then days of the last week, then months.

import type { ProblemTable } from "@/api/problem-table";
import { t } from "@/lib/i18n";
import { dayName, instantOf, monthName, wallAt } from "@/lib/time";

const two = (n: number) => String(n).padStart(2, "0");
const DAY_SECONDS = 86_400;
const WEEK_DAYS = 7;

export interface Section {
  readonly title: string;
  /** seconds: from the first to before the last */
  readonly from: number;
  readonly to: number;
}

/** The section of the timeline that an instant belongs to. */
export function timelineSection(instant: number, now: number): Section {
  const { year, month, day, hour } = wallAt(instant);
  const today = wallAt(now);
  const midnight = instantOf(today.year, today.month, today.day);
  if (instant >= midnight) {
    const from = instantOf(year, month, day, hour);
    return { title: `${two(hour)}:00`, from, to: instantOf(year, month, day, hour + 1) };
  }
  const wholeDay = { from: instantOf(year, month, day), to: instantOf(year, month, day + 1) };
  if (instant >= midnight - DAY_SECONDS) return { title: t("Yesterday"), ...wholeDay };
  const weekAgo = midnight - WEEK_DAYS * DAY_SECONDS;
  if (instant >= weekAgo) return { title: dayName(year, month, day), ...wholeDay };
  const title = monthName(year, month, year !== today.year);
  // the month ends where the days of the last week begin
  return {
    title,
    from: instantOf(year, month, 1),
    to: Math.min(instantOf(year, month + 1, 1), weekAgo),
  };
}

/** What stands before lines that belong together; its title is made where it is shown. */
export type ListSection =
  | { readonly kind: "time"; readonly clock: number; readonly folded: false }
  | {
      readonly kind: "group";
      /** of the group among those of its kind */
      readonly key: string;
      /** undefined: of the problems that are in no group; of severities the number */
      readonly name: string | undefined;
      readonly n: number;
      readonly folded: boolean;
    };

/**
 * The lines of the list without an object for each: a number from 0 on is a problem's position in the
 * table, one below 0 is a separator, -1 standing for the first section.
 */
export interface Lines {
  readonly lines: Int32Array;
  readonly sections: readonly ListSection[];
}

export function timelineLines(
  table: ProblemTable,
  positions: ArrayLike<number>,
  now: number,
  /** these stand below the one before them, whenever they began */
  nested: ReadonlySet<number> = new Set(),
): Lines {
  const sections: ListSection[] = [];
  /** the places where sections begin */
  const begins: number[] = [];
  let section: Section | undefined;
  const hasNested = nested.size > 0;
  for (let place = 0; place < positions.length; place += 1) {
    const position = positions[place] ?? 0;
    const clock = table.clock[position] ?? 0;
    if (section !== undefined && clock >= section.from && clock < section.to) continue;
    if (hasNested && nested.has(position)) continue;
    const next = timelineSection(clock, now);
    if (next.title !== section?.title) {
      sections.push({ kind: "time", clock, folded: false });
      begins.push(place);
    }
    section = next;
  }
  return { lines: withSections(positions, begins), sections };
}

/** A separator before each of these places. */
function withSections(positions: ArrayLike<number>, begins: readonly number[]): Int32Array {
  const lines = new Int32Array(positions.length + begins.length);
  for (const [at, begin] of begins.entries()) {
    const end = begins[at + 1] ?? positions.length;
    lines[begin + at] = -at - 1;
    for (let place = begin; place < end; place += 1) lines[place + at + 1] = positions[place] ?? 0;
  }
  return lines;
}

export function plainLines(positions: ArrayLike<number>): Lines {
  return { lines: Int32Array.from(positions), sections: [] };
}
