// Separators between problems in order of time, as Zabbix's timeline has them: hours of today, then
// yesterday, then days of the last week, then months.

import type { ProblemTable } from "@/api/problem-table";
import { t } from "@/lib/i18n";

const two = (n: number) => String(n).padStart(2, "0");
const DAY_SECONDS = 86_400;
const WEEK_DAYS = 7;
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

export interface Section {
  readonly title: string;
  /** seconds: from the first to before the last */
  readonly from: number;
  readonly to: number;
}

const seconds = (y: number, mo: number, d: number, h = 0) => new Date(y, mo, d, h).getTime() / 1000;

/** The section of the timeline that an instant belongs to. */
export function timelineSection(instant: number, now: number): Section {
  const d = new Date(instant * 1000);
  const today = new Date(now * 1000);
  const [y, mo, day, h] = [d.getFullYear(), d.getMonth(), d.getDate(), d.getHours()];
  const midnight = seconds(today.getFullYear(), today.getMonth(), today.getDate());
  if (instant >= midnight) {
    return { title: `${two(h)}:00`, from: seconds(y, mo, day, h), to: seconds(y, mo, day, h + 1) };
  }
  const wholeDay = { from: seconds(y, mo, day), to: seconds(y, mo, day + 1) };
  if (instant >= midnight - DAY_SECONDS) return { title: t("Yesterday"), ...wholeDay };
  const month = t(MONTHS[mo] ?? "");
  const weekAgo = midnight - WEEK_DAYS * DAY_SECONDS;
  if (instant >= weekAgo) return { title: `${day} ${month}`, ...wholeDay };
  const title = y === today.getFullYear() ? month : `${month} ${y}`;
  // the month ends where the days of the last week begin
  return { title, from: seconds(y, mo, 1), to: Math.min(seconds(y, mo + 1, 1), weekAgo) };
}

/**
 * The lines of the list without an object for each: a number from 0 on is a problem's position in the
 * table, one below 0 is a separator, -1 standing for the first title.
 */
export interface Lines {
  readonly lines: readonly number[];
  readonly titles: readonly string[];
}

export function timelineLines(
  table: ProblemTable,
  positions: readonly number[],
  now: number,
  /** these stand below the one before them, whenever they began */
  nested: ReadonlySet<number> = new Set(),
): Lines {
  const lines: number[] = [];
  const titles: string[] = [];
  let section: Section | undefined;
  for (const position of positions) {
    if (nested.has(position)) {
      lines.push(position);
      continue;
    }
    const clock = table.clock[position] ?? 0;
    if (section === undefined || clock < section.from || clock >= section.to) {
      const next = timelineSection(clock, now);
      if (next.title !== section?.title) {
        titles.push(next.title);
        lines.push(-titles.length);
      }
      section = next;
    }
    lines.push(position);
  }
  return { lines, titles };
}

export function plainLines(positions: readonly number[]): Lines {
  return { lines: positions, titles: [] };
}
