// One host at a glance: its problems, availability, groups and tags.

import { Link } from "@tanstack/react-router";
import {
  type BoardHost,
  type BoardProblem,
  fetchBoardHosts,
  fetchBoardProblems,
} from "@/api/widgets";
import { t } from "@/lib/i18n";
import { SEVERITIES_WORST_FIRST } from "@/lib/severity";
import { SeverityMark } from "@/ui/severity-mark";
import { EmptyState, QueryGate } from "@/ui/states";
import { StatusDot, type Tone } from "@/ui/status-dot";
import { useBoard, useHostOf, useIds, useWaits } from "../context";
import { useWidgetQuery } from "../data";
import type { FieldSpec, WidgetKind, WidgetProps } from "../kind";
import { PROBLEMS_MAX } from "../problem-query";
import { OVERRIDE, SUPPRESSED } from "../specs";
import classes from "../widgets.module.css";

const INTERFACES: Readonly<Record<string, string>> = {
  "1": "ZBX",
  "2": "SNMP",
  "3": "IPMI",
  "4": "JMX",
};
const TONES: Readonly<Record<string, Tone>> = { "1": "ok", "2": "bad" };

function HostCard({ fields }: WidgetProps) {
  const { hostid: boardHost, isTemplated } = useBoard();
  const [written] = useIds(fields, "hostid");
  const override = useHostOf(fields);
  const waits = useWaits(fields, "hostid");
  const hostid = isTemplated ? boardHost : (override ?? written);
  const suppressed = fields.flag("show_suppressed", false);
  const query = useWidgetQuery("hostcard", [hostid, suppressed], async (signal) => {
    if (hostid === undefined) return null;
    const hostids = [hostid];
    const [hosts, problems] = await Promise.all([
      fetchBoardHosts({ hostids, limit: 1 }, signal),
      fetchBoardProblems({ hostids, suppressed, limit: PROBLEMS_MAX }, signal),
    ]);
    const [host] = hosts;
    return host === undefined ? null : { host, problems };
  });
  if (waits) return <EmptyState title={t("Select a host in the linked widget.")} />;
  return (
    <QueryGate query={query}>
      {(found) =>
        found === null ? (
          <EmptyState title={t("No host is chosen.")} />
        ) : (
          <Card host={found.host} problems={found.problems} />
        )
      }
    </QueryGate>
  );
}

interface CardProps {
  readonly host: BoardHost;
  readonly problems: readonly BoardProblem[];
}

function Card({ host, problems }: CardProps) {
  const states = host.interfaces.map((it) => ({
    name: INTERFACES[it.type] ?? it.type,
    tone: TONES[it.available] ?? "unsure",
  }));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <div className={classes["scroll"]} tabIndex={0}>
      <table className={classes["table"]}>
        <tbody>
          <tr>
            <th scope="row">{t("Host")}</th>
            <td>
              <Link to="/hosts/$hostid" params={{ hostid: host.hostid }}>
                {host.name}
              </Link>
              {host.status === "1" ? <span className="bad"> {t("Disabled")}</span> : null}
              {host.maintenance ? <span className="dim"> {t("In maintenance")}</span> : null}
            </td>
          </tr>
          <tr>
            <th scope="row">{t("Problems")}</th>
            <td>
              <Link
                className={classes["marked"]}
                to="/hosts/$hostid/problems"
                params={{ hostid: host.hostid }}
              >
                {problems.length === 0
                  ? t("None")
                  : SEVERITIES_WORST_FIRST.map((severity) => {
                      const n = problems.filter((it) => it.severity === severity).length;
                      return n === 0 ? null : (
                        <span key={severity} className={classes["marked"]}>
                          <SeverityMark severity={severity} /> {n}
                        </span>
                      );
                    })}
              </Link>
            </td>
          </tr>
          <tr>
            <th scope="row">{t("Availability")}</th>
            <td>
              {states.length === 0
                ? "–"
                : states.map(({ name, tone }) => (
                    <span key={name} className={classes["tag"]}>
                      <StatusDot tone={tone} label={tone} /> {name}
                    </span>
                  ))}
            </td>
          </tr>
          <tr>
            <th scope="row">{t("Host groups")}</th>
            <td>{host.groups.map((it) => it.name).join(", ")}</td>
          </tr>
          <tr>
            <th scope="row">{t("Tags")}</th>
            <td>
              {host.tags.map(({ tag, value }) => (
                <span key={`${tag}:${value}`} className={classes["tag"]}>
                  {value === "" ? tag : `${tag}: ${value}`}
                </span>
              ))}
            </td>
          </tr>
        </tbody>
      </table>
    </div>
  );
}

const FIELDS: readonly FieldSpec[] = [
  { kind: "host", name: "hostid", label: t("Host") },
  { kind: "source", name: "hostid", label: t("Host from widget"), signal: "hostid" },
  SUPPRESSED,
  OVERRIDE,
];

export const KIND: WidgetKind = { Widget: HostCard, fields: FIELDS, refresh: 60 };
