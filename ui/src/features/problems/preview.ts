// The effect of an update, shown before it is made: for how many problems, of which severities and hosts.

import { ACKNOWLEDGE, type Acknowledgement } from "@/api/events";
import type { ProblemRow } from "@/api/problem-table";
import { locale, plural, t } from "@/lib/i18n";
import { SEVERITIES_WORST_FIRST, type Severity, severityName, toSeverity } from "@/lib/severity";

export interface Preview {
  /** one a change: what, for how many, and for how many it is so already */
  readonly changes: readonly string[];
  readonly bySeverity: readonly (readonly [severity: Severity, n: number])[];
  /** the hosts with the most problems */
  readonly byHost: readonly (readonly [host: string, n: number])[];
  readonly otherHosts: number;
}

const HOSTS_SHOWN = 5;

function counted(rows: readonly ProblemRow[], what: string, isSo: (row: ProblemRow) => boolean) {
  const already = rows.filter(isSo).length;
  const changed = plural(rows.length - already, "1 problem", "{n} problems");
  const rest = already === 0 ? "" : `, ${t("{n} unchanged", { n: already })}`;
  return `${what}: ${changed}${rest}`;
}

type Line = (rows: readonly ProblemRow[], update: Acknowledgement) => string;
const never = () => false;

const LINES: readonly (readonly [bit: number, line: Line])[] = [
  [ACKNOWLEDGE.acknowledge, (rows) => counted(rows, t("Acknowledged"), (it) => it.acknowledged)],
  [
    ACKNOWLEDGE.unacknowledge,
    (rows) => counted(rows, t("Acknowledgement removed"), (it) => !it.acknowledged),
  ],
  [
    ACKNOWLEDGE.severity,
    (rows, { severity }) =>
      counted(
        rows,
        t("Severity {name}", { name: severityName(toSeverity(severity)) }),
        (it) => it.severity === severity,
      ),
  ],
  // suppressed again: its end may be another
  [ACKNOWLEDGE.suppress, (rows) => counted(rows, t("Suppressed"), never)],
  [ACKNOWLEDGE.unsuppress, (rows) => counted(rows, t("Suppression ended"), (it) => !it.suppressed)],
  [ACKNOWLEDGE.cause, (rows) => counted(rows, t("Marked as cause"), (it) => it.cause === "0")],
  [
    ACKNOWLEDGE.symptom,
    (rows, { cause_eventid }) =>
      counted(rows, t("Marked as symptom"), (it) => it.cause === cause_eventid),
  ],
  [ACKNOWLEDGE.close, (rows) => counted(rows, t("Closed"), (it) => it.rClock > 0)],
  [ACKNOWLEDGE.message, (rows) => counted(rows, t("Message added"), never)],
];

export function previewOf(rows: readonly ProblemRow[], update: Acknowledgement): Preview {
  const hosts = new Map<string, number>();
  const severities = new Map<Severity, number>();
  for (const { host, severity } of rows) {
    hosts.set(host, (hosts.get(host) ?? 0) + 1);
    severities.set(severity, (severities.get(severity) ?? 0) + 1);
  }
  const sorted = [...hosts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0], locale()));
  return {
    changes: LINES.filter(([bit]) => (update.action & bit) !== 0).map(([, line]) =>
      line(rows, update),
    ),
    bySeverity: SEVERITIES_WORST_FIRST.flatMap((it) => {
      const n = severities.get(it);
      return n === undefined ? [] : [[it, n] as const];
    }),
    byHost: sorted.slice(0, HOSTS_SHOWN),
    otherHosts: Math.max(0, sorted.length - HOSTS_SHOWN),
  };
}
