// Web scenarios by host group: how many went well, how many failed.

import {
  fetchMonitoredScenarios,
  fetchWebResults,
  type WebResult,
  type WebScenario,
} from "@/api/web";
import { fetchBoardHosts } from "@/api/widgets";
import { locale, t } from "@/lib/i18n";
import { EmptyState, QueryGate } from "@/ui/states";
import { useIds } from "../context";
import { useWidgetQuery } from "../data";
import type { FieldSpec, WidgetKind, WidgetProps } from "../kind";
import { GROUPS, HOSTS, WITHOUT_GROUPS } from "../specs";
import classes from "../widgets.module.css";

interface Row {
  readonly name: string;
  ok: number;
  failed: number;
  unknown: number;
}

function WebMonitoring({ fields }: WidgetProps) {
  const hostids = useIds(fields, "hostids");
  const groupids = useIds(fields, "groupids");
  const without = fields.ids("exclude_groupids");
  const query = useWidgetQuery("web", [hostids, groupids, without], async (signal) => {
    const all = await fetchMonitoredScenarios(signal);
    const wanted = all.filter((it) => hostids.length === 0 || hostids.includes(it.hostid));
    const ids = [...new Set(wanted.map((it) => it.hostid))];
    if (ids.length === 0) return [];
    const [hosts, results] = await Promise.all([
      fetchBoardHosts({ hostids: ids, limit: ids.length }, signal),
      fetchWebResults(wanted, signal),
    ]);
    const groups = new Map(hosts.map((it) => [it.hostid, it.groups]));
    return counted(wanted, results, (scenario) =>
      (groups.get(scenario.hostid) ?? [])
        .filter(({ groupid }) => groupids.length === 0 || groupids.includes(groupid))
        .filter(({ groupid }) => !without.includes(groupid))
        .map(({ name }) => name),
    );
  });
  return (
    <QueryGate query={query}>
      {(rows) =>
        rows.length === 0 ? (
          <EmptyState title={t("No web scenarios")} />
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
          <div className={classes["scroll"]} tabIndex={0}>
            <table className={classes["table"]}>
              <thead>
                <tr>
                  <th scope="col">{t("Host group")}</th>
                  <th scope="col">{t("Ok")}</th>
                  <th scope="col">{t("Failed")}</th>
                  <th scope="col">{t("Unknown")}</th>
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <tr key={row.name}>
                    <th scope="row">{row.name}</th>
                    <td className={`${classes["count"]} ok`}>{row.ok === 0 ? "" : row.ok}</td>
                    <td className={`${classes["count"]} bad`}>
                      {row.failed === 0 ? "" : row.failed}
                    </td>
                    <td className={classes["count"]}>{row.unknown === 0 ? "" : row.unknown}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )
      }
    </QueryGate>
  );
}

function counted(
  scenarios: readonly WebScenario[],
  results: ReadonlyMap<string, WebResult>,
  groupsOf: (scenario: WebScenario) => readonly string[],
): readonly Row[] {
  const rows = new Map<string, Row>();
  for (const scenario of scenarios) {
    const result = results.get(scenario.httptestid);
    for (const name of groupsOf(scenario)) {
      const row = rows.get(name) ?? { name, ok: 0, failed: 0, unknown: 0 };
      if (result === undefined || result.clock === 0) row.unknown += 1;
      else if (result.failed > 0) row.failed += 1;
      else row.ok += 1;
      rows.set(name, row);
    }
  }
  return [...rows.values()].sort((a, b) => a.name.localeCompare(b.name, locale()));
}

const FIELDS: readonly FieldSpec[] = [GROUPS, WITHOUT_GROUPS, HOSTS];

export const KIND: WidgetKind = { Widget: WebMonitoring, fields: FIELDS, refresh: 60 };
