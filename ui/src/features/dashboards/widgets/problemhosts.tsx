// Host groups with how many of their hosts have problems.

import type { BoardProblem } from "@/api/widgets";
import { locale, t } from "@/lib/i18n";
import { SEVERITIES_WORST_FIRST, type Severity, worstSeverity } from "@/lib/severity";
import { EmptyState, QueryGate } from "@/ui/states";
import { useProblems } from "../data";
import type { FieldSpec, WidgetKind, WidgetProps } from "../kind";
import { useProblemQuery } from "../problem-query";
import { GROUPS, HOSTS, PROBLEM, SEVERITY, SUPPRESSED, TAGS, WITHOUT_GROUPS } from "../specs";
import classes from "../widgets.module.css";
import { ACK_OPTIONS, SeverityHeads } from "./problemsbysv";

function ProblemHostsWidget({ fields }: WidgetProps) {
  const query = useProblems({
    ...useProblemQuery(fields),
    ...(fields.number("ext_ack", 0) === 1 ? { acknowledged: false } : {}),
  });
  const groupids = fields.ids("groupids");
  return (
    <QueryGate query={query}>
      {(problems) => {
        const rows = hostsByGroup(problems, groupids);
        if (rows.length === 0) return <EmptyState title={t("No problems")} />;
        return (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
          <div className={classes["scroll"]} tabIndex={0}>
            <table className={classes["table"]}>
              <thead>
                <tr>
                  <th scope="col">{t("Host group")}</th>
                  <th scope="col">{t("With problems")}</th>
                  <SeverityHeads severities={SEVERITIES_WORST_FIRST} />
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <tr key={row.groupid}>
                    <th scope="row">{row.name}</th>
                    <td className={classes["count"]}>{row.total}</td>
                    {SEVERITIES_WORST_FIRST.map((severity) => (
                      <td key={severity} className={classes["count"]}>
                        {row.hosts[severity] === undefined ? null : (
                          <span data-severity={severity} className={classes["countMark"]}>
                            {row.hosts[severity]}
                          </span>
                        )}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        );
      }}
    </QueryGate>
  );
}

export interface GroupHosts {
  readonly groupid: string;
  readonly name: string;
  readonly total: number;
  /** hosts by their worst problem */
  readonly hosts: Readonly<Partial<Record<Severity, number>>>;
}

interface Group {
  readonly name: string;
  /** the worst problem of each host */
  readonly hosts: Map<string, Severity>;
}

/** A host counts once in each of its groups, by its worst problem. */
export function hostsByGroup(
  problems: readonly BoardProblem[],
  groupids: readonly string[],
): readonly GroupHosts[] {
  const groups = new Map<string, Group>();
  const isWanted = (groupid: string) => groupids.length === 0 || groupids.includes(groupid);
  for (const problem of problems) {
    for (const { groupid, name } of problem.groups.filter((it) => isWanted(it.groupid))) {
      const group = groups.get(groupid) ?? { name, hosts: new Map<string, Severity>() };
      groups.set(groupid, group);
      addHosts(group, problem);
    }
  }
  return [...groups]
    .map(([groupid, { name, hosts }]) => ({
      groupid,
      name,
      total: hosts.size,
      hosts: counted([...hosts.values()]),
    }))
    .sort((a, b) => a.name.localeCompare(b.name, locale()));
}

function addHosts(group: Group, { hosts, severity }: BoardProblem): void {
  for (const { hostid } of hosts) {
    const worst = worstSeverity([severity, group.hosts.get(hostid) ?? severity]);
    if (worst !== undefined) group.hosts.set(hostid, worst);
  }
}

function counted(severities: readonly Severity[]): Partial<Record<Severity, number>> {
  const counts: Partial<Record<Severity, number>> = {};
  for (const severity of severities) counts[severity] = (counts[severity] ?? 0) + 1;
  return counts;
}

const FIELDS: readonly FieldSpec[] = [
  GROUPS,
  WITHOUT_GROUPS,
  HOSTS,
  PROBLEM,
  SEVERITY,
  TAGS,
  SUPPRESSED,
  ACK_OPTIONS,
];

export const KIND: WidgetKind = { Widget: ProblemHostsWidget, fields: FIELDS, refresh: 60 };
