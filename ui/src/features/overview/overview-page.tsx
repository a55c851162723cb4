// The first page of an operator: open problems by severity and group, changes, and notifications. The server's own state is
// on the system health page.

import { Link, useRouteContext } from "@tanstack/react-router";
import { type CSSProperties, lazy, Suspense } from "react";
import { useOverview } from "@/api/overview-live";
import type { Overview } from "@/api/types";
import { t } from "@/lib/i18n";
import { SEVERITIES_WORST_FIRST, type Severity, severityName, toSeverity } from "@/lib/severity";
import { formatCount, formatNumber } from "@/lib/units";
import { ADMIN, SUPER_ADMIN } from "@/lib/user-type";
import { FigureCard, FigureCards } from "@/ui/figure-card";
import { Page, Panel } from "@/ui/page";
import { SeverityLabel, SeverityMark, severityWidth } from "@/ui/severity-mark";
import { EmptyState, QueryGate } from "@/ui/states";
import { Age } from "@/ui/times";
import classes from "./overview.module.css";

// the overview is part of the first load: what has its own questions comes after it
const NobodyNotified = lazy(() =>
  import("./nobody-notified").then((it) => ({ default: it.NobodyNotified })),
);
const Loads = lazy(() => import("./loads").then((it) => ({ default: it.Loads })));
const LastHour = lazy(() => import("./last-hour").then((it) => ({ default: it.LastHour })));

export function OverviewPage() {
  const query = useOverview();
  const { user } = useRouteContext({ from: "/shell" });
  return (
    <Page title={t("Overview")} scroll>
      {user.type === SUPER_ADMIN ? (
        <Suspense fallback={null}>
          <NobodyNotified />
        </Suspense>
      ) : null}
      <QueryGate query={query}>
        {(overview) => <OverviewContent overview={overview} userType={user.type} />}
      </QueryGate>
    </Page>
  );
}

interface OverviewContentProps {
  readonly overview: Overview;
  readonly userType: number;
}

function OverviewContent({ overview, userType }: OverviewContentProps) {
  return (
    <div className={classes["grid"]}>
      {overview.system.hosts_total <= 1 && userType >= ADMIN ? <Beginning /> : null}
      <Severities overview={overview} />
      <Figures overview={overview} />
      <div className={classes["main"]}>
        <Suspense fallback={null}>
          <Loads />
        </Suspense>
        <WorstProblems overview={overview} />
        <Suspense fallback={null}>
          <LastHour isSuperAdmin={userType === SUPER_ADMIN} />
        </Suspense>
      </div>
    </div>
  );
}

/** A new server monitors itself at most. */
function Beginning() {
  return (
    <Panel title={t("Start here")} label={t("Start here")}>
      <EmptyState title={t("Only this server is monitored so far.")}>
        <Link to="/start">{t("Monitor the first machine or device")}</Link>
      </EmptyState>
    </Panel>
  );
}

function Figures({ overview: { system } }: { readonly overview: Overview }) {
  const { hosts_total, hosts_available, hosts_unavailable } = system;
  const unknown = Math.max(0, hosts_total - hosts_available - hosts_unavailable);
  return (
    <FigureCards>
      <FigureCard
        name={t("Hosts")}
        value={<Link to="/hosts">{formatCount(hosts_total)}</Link>}
        tone={hosts_unavailable > 0 ? "bad" : "ok"}
        note={t("{a} available, {u} not, {n} unknown", {
          a: formatCount(hosts_available),
          u: formatCount(hosts_unavailable),
          n: formatCount(unknown),
        })}
      />
      <FigureCard
        name={t("Items")}
        value={<Link to="/latest">{formatCount(system.items_total)}</Link>}
        tone={system.items_unsupported > 0 ? "warn" : "ok"}
        note={t("{n} not supported", { n: formatCount(system.items_unsupported) })}
      />
      <FigureCard
        name={t("Overdue checks")}
        value={formatCount(system.queue_overdue)}
        tone={system.queue_overdue > 0 ? "warn" : "ok"}
        note={t("waiting longer than expected")}
      />
      <FigureCard
        name={t("Values per second")}
        value={formatNumber(system.values_per_second, 1)}
        note={t("required {n}", { n: formatNumber(system.required_values_per_second, 1) })}
      />
    </FigureCards>
  );
}

function Severities({ overview }: { readonly overview: Overview }) {
  const bySeverity = new Map(
    overview.problems_by_severity.map((it) => [toSeverity(it.severity), it]),
  );
  return (
    <section aria-label={t("Problems by severity")}>
      <ul className={classes["severities"]}>
        {SEVERITIES_WORST_FIRST.map((severity) => (
          <SeverityTile
            key={severity}
            severity={severity}
            total={bySeverity.get(severity)?.total ?? 0}
            acknowledged={bySeverity.get(severity)?.acknowledged ?? 0}
          />
        ))}
      </ul>
    </section>
  );
}

interface SeverityTileProps {
  readonly severity: Severity;
  readonly total: number;
  readonly acknowledged: number;
}

function SeverityTile({ severity, total, acknowledged }: SeverityTileProps) {
  return (
    <li data-severity={severity} data-none={total === 0 || undefined}>
      <Link to="/problems" search={{ sev: String(severity) }}>
        <SeverityMark severity={severity} size={20} quiet />
        <span className={classes["tileName"]}>{severityName(severity)}</span>
        <span className={classes["tileCount"]}>{formatCount(total)}</span>
        <span className={classes["tileAck"]}>
          {total === 0 ? "" : t("{n} acknowledged", { n: formatCount(acknowledged) })}
        </span>
      </Link>
    </li>
  );
}

function WorstProblems({ overview }: { readonly overview: Overview }) {
  const rows = overview.worst_problems;
  return (
    <Panel
      title={t("Worst problems")}
      label={t("Worst problems")}
      actions={<Link to="/problems">{t("All problems")}</Link>}
    >
      {rows.length === 0 ? (
        <EmptyState title={t("No problems")}>{t("All triggers are OK.")}</EmptyState>
      ) : null}
      <table
        className={classes["worst"]}
        style={{ "--severity-width": severityWidth() } as CSSProperties}
      >
        <tbody>
          {rows.map((row) => (
            <tr key={row.eventid}>
              <td>
                <SeverityLabel severity={row.severity} />
              </td>
              <td className="ellipsis">
                <Link to="/hosts/$hostid" params={{ hostid: row.hostid }}>
                  {row.host}
                </Link>
              </td>
              <td className="ellipsis">
                <Link to="/problems" search={{ event: row.eventid }} title={row.name}>
                  {row.name}
                </Link>
              </td>
              <td className="num">
                <Age since={row.clock} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}
