// The list as CSV: all rows of the filter, not only those on the screen.

import type { ProblemTable } from "@/api/problem-table";
import { csvLine } from "@/lib/csv";
import { t } from "@/lib/i18n";
import { severityName, toSeverity } from "@/lib/severity";
import { formatDateTime } from "@/lib/time";
import { tagText } from "@/ui/tags";

const HEAD = [
  "Time",
  "Resolved",
  "Severity",
  "Host",
  "Problem",
  "Operational data",
  "Duration, s",
  "Acknowledged",
  "Suppressed",
  "Tags",
  "Event ID",
  "Cause event ID",
] as const;

export function csvOf(table: ProblemTable, positions: readonly number[], now: number): string[] {
  const lines = [csvLine(HEAD.map((it) => t(it)))];
  const yes = (is: boolean) => (is ? t("yes") : t("no"));
  for (const at of positions) {
    const row = table.row(at);
    if (row === undefined) continue;
    const end = row.rClock > 0 ? row.rClock : now;
    lines.push(
      csvLine([
        formatDateTime(row.clock),
        row.rClock > 0 ? formatDateTime(row.rClock) : "",
        severityName(toSeverity(row.severity)),
        row.host,
        row.name,
        row.opdata,
        Math.max(0, Math.round(end - row.clock)),
        yes(row.acknowledged),
        yes(row.suppressed),
        row.tags.map(tagText).join(", "),
        row.eventid,
        row.cause === "0" ? "" : row.cause,
      ]),
    );
  }
  return lines;
}
