// The triggers with the most problems in the dashboard's time.

import { Link } from "@tanstack/react-router";
import { fetchTopTriggers } from "@/api/widget-events";
import { t } from "@/lib/i18n";
import { resolveRange } from "@/lib/time";
import { SeverityMark } from "@/ui/severity-mark";
import { EmptyState, QueryGate } from "@/ui/states";
import { useRange } from "../context";
import { moment, useWidgetQuery } from "../data";
import type { FieldSpec, WidgetKind, WidgetProps } from "../kind";
import { useProblemQuery } from "../problem-query";
import { GROUPS, HOSTS, LINES, PROBLEM, SEVERITY, TAGS, TIME } from "../specs";
import classes from "../widgets.module.css";

const LINES_USUAL = 10;

function TopTriggers({ fields }: WidgetProps) {
  const range = useRange(fields);
  const lines = fields.number("show_lines", LINES_USUAL);
  const { hostids, groupids, severities, tags, evaltype, name } = useProblemQuery(fields);
  const filter = { hostids, groupids, severities, tags, evaltype, name };
  const query = useWidgetQuery("toptriggers", [filter, range, lines], (signal) => {
    const { from, to } = resolveRange(range, moment());
    return fetchTopTriggers({ ...filter, from, to, lines }, signal);
  });
  return (
    <QueryGate query={query}>
      {(rows) =>
        rows.length === 0 ? (
          <EmptyState title={t("No problems in this period")} />
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
          <div className={classes["scroll"]} tabIndex={0}>
            <table className={classes["table"]}>
              <thead>
                <tr>
                  <th scope="col">{t("Host")}</th>
                  <th scope="col">{t("Trigger")}</th>
                  <th scope="col" className={classes["count"]}>
                    {t("Problems")}
                  </th>
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <tr key={row.triggerid}>
                    <td
                      className={classes["host"]}
                      title={row.hosts.map(({ name }) => name).join(", ")}
                    >
                      {row.hosts.map(({ hostid, name: host }) => (
                        <Link key={hostid} to="/hosts/$hostid" params={{ hostid }}>
                          {host}
                        </Link>
                      ))}
                    </td>
                    <td>
                      <span className={classes["marked"]} data-long>
                        <SeverityMark severity={row.severity} />
                        {row.name}
                      </span>
                    </td>
                    <td className={classes["count"]}>{row.count}</td>
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

const FIELDS: readonly FieldSpec[] = [
  GROUPS,
  HOSTS,
  PROBLEM,
  SEVERITY,
  TAGS,
  LINES(LINES_USUAL),
  ...TIME,
];

export const KIND: WidgetKind = { Widget: TopTriggers, fields: FIELDS, refresh: 0 };
