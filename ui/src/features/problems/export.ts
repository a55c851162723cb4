// The list as CSV: all rows of the filter, not only those on the screen.

import type { ProblemTable } from "@/api/problem-table";
import { csvLine } from "@/lib/csv";
import { t } from "@/lib/i18n";
import { severityName, toSeverity } from "@/lib/severity";
import { formatDateTime } from "@/lib/time";
import { tagText } from "@/ui/tags";

const HEAD = [
  t("Time"),
  t("Resolved"),
  t("Severity"),
  t("Host"),
  t("Problem"),
  t("Operational data"),
  t("Duration, s"),
  t("Acknowledged"),
  t("Suppressed"),
  t("Tags"),
  t("Event ID"),
  t("Cause event ID"),
] as const;

/** `ids` are event ids in the order of the list; what is gone meanwhile is left out. */
export function csvOf(table: ProblemTable, ids: Iterable<number>, now: number): string[] {
  const lines = [csvLine(HEAD)];
  const yes = (is: boolean) => (is ? t("yes") : t("no"));
  for (const id of ids) {
    const row = table.row(table.positionOf(id) ?? -1);
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
