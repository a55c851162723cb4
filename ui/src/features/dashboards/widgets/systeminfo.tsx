// The server's own figures: numbers of hosts, items and triggers, values a second, and how it feels.

import { fetchOverview } from "@/api/native";
import { t } from "@/lib/i18n";
import { formatAge } from "@/lib/time";
import { formatBytes, formatCount, formatNumber, formatSeconds } from "@/lib/units";
import { QueryGate } from "@/ui/states";
import { useWidgetQuery } from "../data";
import type { FieldSpec, WidgetKind, WidgetProps } from "../kind";
import classes from "../widgets.module.css";

function SystemInformation(_: WidgetProps) {
  const query = useWidgetQuery("systeminfo", [], fetchOverview);
  return (
    <QueryGate query={query}>
      {({ system: it }) => {
        const rows: readonly (readonly [string, string])[] = [
          [
            t("Server"),
            t("{version}, {state}, up {age}", {
              version: it.version,
              state: it.state,
              age: formatAge(it.uptime_s),
            }),
          ],
          [
            t("Hosts (available / not)"),
            `${formatCount(it.hosts_total)} (${formatCount(it.hosts_available)} / ${formatCount(it.hosts_unavailable)})`,
          ],
          [
            t("Items (supported / not)"),
            `${formatCount(it.items_total)} (${formatCount(it.items_supported)} / ${formatCount(it.items_unsupported)})`,
          ],
          [t("Triggers"), formatCount(it.triggers_total)],
          [
            t("Values per second (required)"),
            `${formatNumber(it.values_per_second, 2)} (${formatNumber(it.required_values_per_second, 2)})`,
          ],
          [t("Overdue checks"), formatCount(it.queue_overdue)],
          [
            t("Journal, lag"),
            `${formatBytes(it.journal.bytes)}, ${formatSeconds(it.journal.lag_ms / 1000)}`,
          ],
          [
            t("Memory, CPU"),
            `${formatBytes(it.memory_bytes)}, ${formatNumber(it.cpu_percent, 1)} %`,
          ],
        ];
        return (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
          <div className={classes["scroll"]} tabIndex={0}>
            <table className={classes["table"]}>
              <tbody>
                {rows.map(([name, value]) => (
                  <tr key={name}>
                    <th scope="row">{name}</th>
                    <td>{value}</td>
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

const FIELDS: readonly FieldSpec[] = [
  {
    kind: "choice",
    name: "info_type",
    label: t("Show"),
    usual: 0,
    options: [[0, t("System stats")]],
  },
];

export const KIND: WidgetKind = { Widget: SystemInformation, fields: FIELDS, refresh: 900 };
