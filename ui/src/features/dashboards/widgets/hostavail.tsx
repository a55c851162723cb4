// How many hosts answer, by kind of interface.

import type { BoardHost } from "@/api/widgets";
import { fetchBoardHosts } from "@/api/widgets";
import { t } from "@/lib/i18n";
import { QueryGate } from "@/ui/states";
import { StatusDot, type Tone } from "@/ui/status-dot";
import { useIds } from "../context";
import { useWidgetQuery } from "../data";
import type { Fields } from "../fields";
import type { FieldSpec, Option, WidgetKind, WidgetProps } from "../kind";
import { DIRECTION, GROUPS } from "../specs";
import classes from "../widgets.module.css";

const HOSTS_MAX = 20_000;
const AVAILABLE = "1";
const NOT_AVAILABLE = "2";
const ACTIVE = 5;

const KINDS: readonly Option[] = [
  [1, t("Agent (passive)")],
  [ACTIVE, t("Agent (active)")],
  [2, t("SNMP")],
  [4, t("JMX")],
  [3, t("IPMI")],
];

export interface AvailabilityCounts {
  readonly available: number;
  readonly not: number;
  readonly unknown: number;
}

/** Of one kind of interface, or of all: a host is as its worst interface. */
export function availability(
  hosts: readonly BoardHost[],
  kinds: ReadonlySet<number>,
): AvailabilityCounts {
  let [available, not, unknown] = [0, 0, 0];
  for (const host of hosts) {
    const states = host.interfaces
      .filter((it) => kinds.has(Number(it.type)))
      .map((it) => it.available);
    if (kinds.has(ACTIVE) && host.activeAvailable !== "0") states.push(host.activeAvailable);
    if (states.length === 0) continue;
    if (states.includes(NOT_AVAILABLE)) not += 1;
    else if (states.every((it) => it === AVAILABLE)) available += 1;
    else unknown += 1;
  }
  return { available, not, unknown };
}

function AvailabilityWidget({ fields }: WidgetProps) {
  const groupids = useIds(fields, "groupids");
  const query = useWidgetQuery("availability", [groupids], (signal) =>
    fetchBoardHosts({ groupids, status: "0", limit: HOSTS_MAX }, signal),
  );
  const inMaintenance = fields.flag("maintenance", false);
  return (
    <QueryGate query={query}>
      {(hosts) => (
        <Counts
          hosts={inMaintenance ? hosts : hosts.filter((it) => !it.maintenance)}
          fields={fields}
        />
      )}
    </QueryGate>
  );
}

function Counts({
  hosts,
  fields,
}: {
  readonly hosts: readonly BoardHost[];
  readonly fields: Fields;
}) {
  const wanted = fields.choices(
    "interface_type",
    KINDS.map(([kind]) => kind),
  );
  const rows = [
    { name: t("Total hosts"), ...availability(hosts, wanted) },
    ...(fields.flag("only_totals", false)
      ? []
      : KINDS.filter(([kind]) => wanted.has(kind)).map(([kind, name]) => ({
          name,
          ...availability(hosts, new Set([kind])),
        }))),
  ];
  const count = (tone: Tone, n: number, label: string) => (
    <td className={classes["count"]}>
      <StatusDot tone={tone} label={label} /> {n}
    </td>
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <div className={classes["scroll"]} tabIndex={0}>
      <table className={classes["table"]}>
        <thead>
          <tr>
            <th scope="col">{t("Interface")}</th>
            <th scope="col">{t("Available")}</th>
            <th scope="col">{t("Not available")}</th>
            <th scope="col">{t("Unknown")}</th>
            <th scope="col">{t("Total")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <th scope="row">{row.name}</th>
              {count("ok", row.available, t("Available"))}
              {count("bad", row.not, t("Not available"))}
              {count("unsure", row.unknown, t("Unknown"))}
              <td className={classes["count"]}>{row.available + row.not + row.unknown}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const FIELDS: readonly FieldSpec[] = [
  GROUPS,
  {
    kind: "checks",
    name: "interface_type",
    label: t("Interface type"),
    usual: KINDS.map(([kind]) => kind),
    options: KINDS,
  },
  {
    kind: "choice",
    name: "layout",
    label: t("Layout"),
    usual: 0,
    options: DIRECTION(t("Horizontal"), t("Vertical")),
  },
  { kind: "flag", name: "maintenance", label: t("Include hosts in maintenance"), usual: false },
  { kind: "flag", name: "only_totals", label: t("Show only totals"), usual: false },
];

export const KIND: WidgetKind = { Widget: AvailabilityWidget, fields: FIELDS, refresh: 900 };
