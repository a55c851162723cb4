// States of triggers, hosts on one side and triggers on the other.

import { Link } from "@tanstack/react-router";
import { fetchTriggerStates, type TriggerState } from "@/api/widget-events";
import { t } from "@/lib/i18n";
import { severityName } from "@/lib/severity";
import { SeverityMark } from "@/ui/severity-mark";
import { EmptyState, QueryGate } from "@/ui/states";
import { StatusDot } from "@/ui/status-dot";
import { useIds } from "../context";
import { useWidgetQuery } from "../data";
import { tagsOf } from "../fields";
import type { FieldSpec, WidgetKind, WidgetProps } from "../kind";
import { DIRECTION, GROUPS, HOSTS, SUPPRESSED, TAGS } from "../specs";
import classes from "../widgets.module.css";

const TRIGGERS_MAX = 1000;
const COLUMNS_MAX = 50;
const ANY = 2;
const TOP = 1;

function TriggerOverview({ fields }: WidgetProps) {
  const hostids = useIds(fields, "hostids");
  const groupids = useIds(fields, "groupids");
  const tags = tagsOf(fields, "tags");
  const evaltype = fields.number("evaltype", 0);
  const onlyProblems = fields.number("show", 1) !== ANY;
  const filter = { hostids, groupids, tags, evaltype, onlyProblems, limit: TRIGGERS_MAX };
  const query = useWidgetQuery("trigover", filter, (signal) => fetchTriggerStates(filter, signal));
  const isTop = fields.number("layout", fields.number("style", 0)) === TOP;
  return (
    <QueryGate query={query}>
      {(triggers) =>
        triggers.length === 0 ? (
          <EmptyState title={onlyProblems ? t("No problems") : t("No triggers")} />
        ) : (
          <Table triggers={triggers} isTop={isTop} />
        )
      }
    </QueryGate>
  );
}

interface TableProps {
  readonly triggers: readonly TriggerState[];
  readonly isTop: boolean;
}

function Table({ triggers, isTop }: TableProps) {
  const pairs = triggers.flatMap((trigger) => trigger.hosts.map((host) => ({ trigger, host })));
  const hosts = [...new Map(pairs.map(({ host }) => [host.hostid, host.name]))];
  const names = [...new Set(triggers.map((it) => it.name))].map((it): [string, string] => [it, it]);
  const cells = new Map(
    pairs.map(({ trigger, host }) => [`${host.hostid}\n${trigger.name}`, trigger]),
  );
  const rows = isTop ? names : hosts;
  const columns = (isTop ? hosts : names).slice(0, COLUMNS_MAX);
  const link = (hostid: string, name: string) => (
    <Link to="/hosts/$hostid/problems" params={{ hostid }}>
      {name}
    </Link>
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <div className={classes["scroll"]} tabIndex={0}>
      <table className={classes["table"]}>
        <thead>
          <tr>
            <th scope="col">{isTop ? t("Trigger") : t("Host")}</th>
            {columns.map(([id, name]) => (
              <th key={id} scope="col" className={classes["host"]} title={name}>
                {isTop ? link(id, name) : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([id, name]) => (
            <tr key={id}>
              <th scope="row" className={classes["host"]} title={name}>
                {isTop ? name : link(id, name)}
              </th>
              {columns.map(([other]) => (
                <td key={other} className={classes["count"]}>
                  <State trigger={cells.get(isTop ? `${other}\n${id}` : `${id}\n${other}`)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function State({ trigger }: { readonly trigger: TriggerState | undefined }) {
  if (trigger === undefined) return null;
  if (!trigger.isProblem) return <StatusDot tone="ok" label={t("OK")} />;
  return (
    <span title={severityName(trigger.severity)}>
      <SeverityMark severity={trigger.severity} />
    </span>
  );
}

const FIELDS: readonly FieldSpec[] = [
  {
    kind: "choice",
    name: "show",
    label: t("Show"),
    usual: 1,
    options: [
      [1, t("Recent problems")],
      [3, t("Problems")],
      [ANY, t("Any")],
    ],
  },
  GROUPS,
  HOSTS,
  TAGS,
  SUPPRESSED,
  {
    kind: "choice",
    name: "layout",
    label: t("Layout"),
    usual: 0,
    options: DIRECTION(t("Hosts on the left"), t("Hosts above")),
  },
];

export const KIND: WidgetKind = { Widget: TriggerOverview, fields: FIELDS, refresh: 60 };
