// Separators between problems in order of time, as Zabbix's timeline has them: hours of today, then
// yesterday, then days of the last week, then months.

import type { ProblemTable } from "@/api/problem-table";
import { t } from "@/lib/i18n";

const two = (n: number) => String(n).padStart(2, "0");
const DAY_SECONDS = 86_400;
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

/** The section of the timeline that an instant belongs to. */
export function timelineSection(seconds: number, now: number): string {
  const d = new Date(seconds * 1000);
  const today = new Date(now * 1000);
  const midnight =
    new Date(today.getFullYear(), today.getMonth(), today.getDate()).getTime() / 1000;
  if (seconds >= midnight) return `${two(d.getHours())}:00`;
  if (seconds >= midnight - DAY_SECONDS) return t("Yesterday");
  const month = t(MONTHS[d.getMonth()] ?? "");
  if (seconds >= midnight - 7 * DAY_SECONDS) return `${d.getDate()} ${month}`;
  return d.getFullYear() === today.getFullYear() ? month : `${month} ${d.getFullYear()}`;
}

export type TimelineEntry =
  | { readonly kind: "problem"; readonly position: number; readonly eventid: string }
  | { readonly kind: "section"; readonly title: string; readonly key: string };

/** Problems with a separator before each new section. */
export function timelineEntries(
  table: ProblemTable,
  positions: readonly number[],
  now: number,
): TimelineEntry[] {
  const entries: TimelineEntry[] = [];
  let last = "";
  for (const position of positions) {
    const title = timelineSection(table.clock[position] ?? 0, now);
    if (title !== last) {
      entries.push({ kind: "section", title, key: `section ${title} ${entries.length}` });
      last = title;
    }
    entries.push({ kind: "problem", position, eventid: table.eventid[position] ?? "" });
  }
  return entries;
}

export function plainEntries(table: ProblemTable, positions: readonly number[]): TimelineEntry[] {
  return positions.map((position) => ({
    kind: "problem",
    position,
    eventid: table.eventid[position] ?? "",
  }));
}
