// What network discovery found, by rule: how much is up and how much is down.

import { Link } from "@tanstack/react-router";
import { fetchDiscovered, NETWORK_RULES } from "@/api/network-discovery";
import { t } from "@/lib/i18n";
import { EmptyState, QueryGate } from "@/ui/states";
import { useWidgetQuery } from "../data";
import type { WidgetKind, WidgetProps } from "../kind";
import classes from "../widgets.module.css";

const ENABLED = "0";
const UP = "0";

function DiscoveryStatus(_: WidgetProps) {
  const query = useWidgetQuery("discovery", [], async (signal) => {
    const [rules, { hosts }] = await Promise.all([
      NETWORK_RULES.list(signal),
      fetchDiscovered(undefined, signal),
    ]);
    return rules
      .filter((it) => it.status === ENABLED)
      .map((rule) => {
        const own = hosts.filter((it) => it.druleid === rule.druleid);
        const up = own.filter((it) => it.status === UP).length;
        return { id: rule.druleid, name: rule.name, up, down: own.length - up };
      });
  });
  return (
    <QueryGate query={query}>
      {(rows) =>
        rows.length === 0 ? (
          <EmptyState title={t("No discovery rules")} />
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
          <div className={classes["scroll"]} tabIndex={0}>
            <table className={classes["table"]}>
              <thead>
                <tr>
                  <th scope="col">{t("Discovery rule")}</th>
                  <th scope="col">{t("Up")}</th>
                  <th scope="col">{t("Down")}</th>
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <tr key={row.id}>
                    <th scope="row">
                      <Link to="/discovered" search={{ rule: row.id }}>
                        {row.name}
                      </Link>
                    </th>
                    <td className={`${classes["count"]} ok`}>{row.up}</td>
                    <td className={`${classes["count"]} bad`}>{row.down === 0 ? "" : row.down}</td>
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

export const KIND: WidgetKind = { Widget: DiscoveryStatus, fields: [], refresh: 60 };
