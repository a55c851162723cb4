// How many problems are open by severity, for each host group or in all.

import { Link } from "@tanstack/react-router";
import { Fragment } from "react";
import type { BoardProblem } from "@/api/widgets";
import { locale, t } from "@/lib/i18n";
import { SEVERITIES_WORST_FIRST, type Severity, severityName } from "@/lib/severity";
import { SeverityMark } from "@/ui/severity-mark";
import { EmptyState, QueryGate } from "@/ui/states";
import { useProblems } from "../data";
import type { Fields } from "../fields";
import type { FieldSpec, WidgetKind, WidgetProps } from "../kind";
import { useProblemQuery } from "../problem-query";
import {
  DIRECTION,
  GROUPS,
  HOSTS,
  PROBLEM,
  SEVERITY,
  SUPPRESSED,
  TAGS,
  WITHOUT_GROUPS,
} from "../specs";
import classes from "../widgets.module.css";

const BY_GROUP = 0;
const TOTALS = 1;
const VERTICAL = 1;
const UNACKNOWLEDGED = 1;
const SEPARATED = 2;

function BySeverityWidget({ fields }: WidgetProps) {
  const ack = fields.number("ext_ack", 0);
  const query = useProblems({
    ...useProblemQuery(fields),
    ...(ack === UNACKNOWLEDGED ? { acknowledged: false } : {}),
  });
  return (
    <QueryGate query={query}>
      {(problems) =>
        fields.number("show_type", BY_GROUP) === TOTALS ? (
          <Totals problems={problems} fields={fields} />
        ) : (
          <ByGroup problems={problems} fields={fields} />
        )
      }
    </QueryGate>
  );
}

interface PartProps {
  readonly problems: readonly BoardProblem[];
  readonly fields: Fields;
}

function severitiesOf(fields: Fields): readonly Severity[] {
  const wanted = fields.numbers("severities");
  return SEVERITIES_WORST_FIRST.filter((it) => wanted.length === 0 || wanted.includes(it));
}

function Totals({ problems, fields }: PartProps) {
  const isVertical = fields.number("layout", 0) === VERTICAL;
  const isSeparated = fields.number("ext_ack", 0) === SEPARATED;
  return (
    <ul className={classes["totals"]} data-vertical={isVertical || undefined}>
      {severitiesOf(fields).map((severity) => {
        const own = problems.filter((it) => it.severity === severity);
        const open = own.filter((it) => !it.acknowledged).length;
        return (
          <li key={severity} data-severity={own.length > 0 ? severity : undefined}>
            <Link to="/problems" search={{ sev: String(severity) }}>
              <b>{isSeparated ? `${open} / ${own.length}` : own.length}</b>
              <span>
                <SeverityMark severity={severity} quiet /> {severityName(severity)}
              </span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

export interface GroupCounts {
  readonly groupid: string;
  readonly name: string;
  readonly counts: Readonly<Record<number, { readonly all: number; readonly open: number }>>;
}

/** A problem counts in every group of its hosts. */
export function countsByGroup(
  problems: readonly BoardProblem[],
  groupids: readonly string[],
): readonly GroupCounts[] {
  const groups = new Map<
    string,
    { name: string; counts: Record<number, { all: number; open: number }> }
  >();
  for (const { severity, acknowledged, groups: own } of problems) {
    for (const { groupid, name } of own) {
      if (groupids.length > 0 && !groupids.includes(groupid)) continue;
      const group = groups.get(groupid) ?? { name, counts: {} };
      const count = group.counts[severity] ?? { all: 0, open: 0 };
      group.counts[severity] = { all: count.all + 1, open: count.open + (acknowledged ? 0 : 1) };
      groups.set(groupid, group);
    }
  }
  return [...groups]
    .map(([groupid, it]) => ({ groupid, ...it }))
    .sort((a, b) => a.name.localeCompare(b.name, locale()));
}

function ByGroup({ problems, fields }: PartProps) {
  const rows = countsByGroup(problems, fields.ids("groupids"));
  const severities = severitiesOf(fields);
  const isSeparated = fields.number("ext_ack", 0) === SEPARATED;
  if (rows.length === 0) return <EmptyState title={t("No problems")} />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <div className={classes["scroll"]} tabIndex={0}>
      <table className={classes["table"]}>
        <thead>
          <tr>
            <th scope="col">{t("Host group")}</th>
            <SeverityHeads severities={severities} />
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.groupid}>
              <th scope="row">{row.name}</th>
              {severities.map((severity) => {
                const count = row.counts[severity];
                return (
                  <td key={severity} className={classes["count"]}>
                    {count === undefined ? null : (
                      <span data-severity={severity} className={classes["countMark"]}>
                        {isSeparated ? (
                          <Fragment>
                            {count.open} / {count.all}
                          </Fragment>
                        ) : (
                          count.all
                        )}
                      </span>
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Columns by severity: their names where there is room, and their marks in any case. */
export function SeverityHeads({ severities }: { readonly severities: readonly Severity[] }) {
  return severities.map((it) => (
    <th key={it} scope="col" className={classes["severityHead"]} title={severityName(it)}>
      <SeverityMark severity={it} quiet />
      <span>{severityName(it)}</span>
    </th>
  ));
}

export const ACK_OPTIONS: FieldSpec = {
  kind: "choice",
  name: "ext_ack",
  label: t("Problem display"),
  usual: 0,
  options: [
    [0, t("All")],
    [UNACKNOWLEDGED, t("Unacknowledged only")],
    [SEPARATED, t("Separated")],
  ],
};

const FIELDS: readonly FieldSpec[] = [
  GROUPS,
  WITHOUT_GROUPS,
  HOSTS,
  PROBLEM,
  SEVERITY,
  TAGS,
  {
    kind: "choice",
    name: "show_type",
    label: t("Show"),
    usual: BY_GROUP,
    options: [
      [BY_GROUP, t("Host groups")],
      [TOTALS, t("Totals")],
    ],
  },
  {
    kind: "choice",
    name: "layout",
    label: t("Layout"),
    usual: 0,
    options: DIRECTION(t("Horizontal"), t("Vertical")),
  },
  SUPPRESSED,
  ACK_OPTIONS,
];

export const KIND: WidgetKind = { Widget: BySeverityWidget, fields: FIELDS, refresh: 60 };
