import { Link, useRouteContext } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useMemo } from "react";
import { useOverview } from "@/api/overview-live";
import type { Overview } from "@/api/types";
import { t } from "@/lib/i18n";
import { SEVERITIES_WORST_FIRST, type Severity, severityName, toSeverity } from "@/lib/severity";
import { formatAge } from "@/lib/time";
import { formatBytes, formatCount, formatNumber, formatSeconds } from "@/lib/units";
import { TimeChart } from "@/ui/charts/time-chart";
import { Page, Panel } from "@/ui/page";
import { SeverityLabel, SeverityMark } from "@/ui/severity-mark";
import { EmptyState, QueryGate } from "@/ui/states";
import { StatusDot, type Tone } from "@/ui/status-dot";
import { Age } from "@/ui/times";
import classes from "./overview.module.css";

// the overview is part of the first load, and most servers have nothing to say here
const NobodyTold = lazy(() => import("./nobody-told").then((it) => ({ default: it.NobodyTold })));
const SUPER_ADMIN = 3;

export function OverviewPage() {
  const query = useOverview();
  const { user } = useRouteContext({ from: "/shell" });
  return (
    <Page title={t("Overview")} scroll>
      {user.type === SUPER_ADMIN ? (
        <Suspense fallback={null}>
          <NobodyTold />
        </Suspense>
      ) : null}
      <QueryGate query={query}>{(overview) => <OverviewContent overview={overview} />}</QueryGate>
    </Page>
  );
}

function OverviewContent({ overview }: { readonly overview: Overview }) {
  return (
    <div className={classes["grid"]}>
      <SystemCards overview={overview} />
      <div className={classes["main"]}>
        <SeverityPanel overview={overview} />
        <NvpsPanel overview={overview} />
        <WorstProblems overview={overview} />
        <ShardsPanel overview={overview} />
      </div>
    </div>
  );
}

interface CardProps {
  readonly name: string;
  readonly value: ReactNode;
  readonly note?: ReactNode;
  readonly tone?: Tone;
}

function Card({ name, value, note, tone }: CardProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be a form's
    <div className={classes["card"]} role="group" aria-label={name}>
      <span className={classes["cardName"]}>
        {tone === undefined ? null : <StatusDot tone={tone} label={name} />}
        {name}
      </span>
      <span className={classes["cardValue"]}>{value}</span>
      <span className={classes["cardNote"]}>{note}</span>
    </div>
  );
}

function SystemCards({ overview }: { readonly overview: Overview }) {
  const { system } = overview;
  const { hosts_total, hosts_available, hosts_unavailable } = system;
  const unknown = Math.max(0, hosts_total - hosts_available - hosts_unavailable);
  const running = system.state === "running" || system.state === "ready" || system.state === "ok";
  return (
    <div className={classes["cards"]}>
      <Card
        name={t("Server")}
        value={system.state === "" ? "–" : system.state}
        tone={running ? "ok" : "warn"}
        note={t("{version}, up {age}", {
          version: system.version,
          age: formatAge(system.uptime_s),
        })}
      />
      <Card
        name={t("Values per second")}
        value={formatNumber(system.values_per_second, 1)}
        note={t("required {n}", { n: formatNumber(system.required_values_per_second, 1) })}
      />
      <Card
        name={t("Hosts")}
        value={<Link to="/hosts">{formatCount(hosts_total)}</Link>}
        tone={hosts_unavailable > 0 ? "bad" : "ok"}
        note={t("{a} available, {u} not, {n} unknown", {
          a: formatCount(hosts_available),
          u: formatCount(hosts_unavailable),
          n: formatCount(unknown),
        })}
      />
      <Card
        name={t("Items")}
        value={<Link to="/latest">{formatCount(system.items_total)}</Link>}
        tone={system.items_unsupported > 0 ? "warn" : "ok"}
        note={t("{n} not supported", { n: formatCount(system.items_unsupported) })}
      />
      <Card
        name={t("Triggers")}
        value={formatCount(system.triggers_total)}
        note={t("{n} values processed", { n: formatCount(system.values_total) })}
      />
      <Card
        name={t("Overdue checks")}
        value={formatCount(system.queue_overdue)}
        tone={system.queue_overdue > 0 ? "warn" : "ok"}
        note={t("waiting longer than they should")}
      />
      <Card
        name={t("Journal")}
        value={formatBytes(system.journal.bytes)}
        note={t("lag {age}", { age: formatSeconds(system.journal.lag_ms / 1000) })}
      />
      <Card
        name={t("Memory")}
        value={formatBytes(system.memory_bytes)}
        note={t("CPU {n} %", { n: formatNumber(system.cpu_percent, 1) })}
      />
    </div>
  );
}

function SeverityPanel({ overview }: { readonly overview: Overview }) {
  const bySeverity = new Map(
    overview.problems_by_severity.map((it) => [toSeverity(it.severity), it]),
  );
  return (
    <Panel title={t("Problems by severity")} label={t("Problems by severity")}>
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
    </Panel>
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

function NvpsPanel({ overview }: { readonly overview: Overview }) {
  const { t: times, v: values } = overview.nvps;
  const lines = useMemo(
    () => [{ id: "nvps", name: t("Values per second"), t: times, values }],
    [times, values],
  );
  const from = times[0] ?? 0;
  const to = times.at(-1) ?? 1;
  return (
    <Panel title={t("New values per second")} label={t("New values per second")}>
      <div className={classes["chart"]}>
        {times.length < 2 ? (
          <EmptyState title={t("The graph begins with the first values.")} />
        ) : (
          <TimeChart
            label={t("New values per second")}
            lines={lines}
            units=""
            height={190}
            from={from}
            to={to}
            fill
          />
        )}
      </div>
    </Panel>
  );
}

function ShardsPanel({ overview }: { readonly overview: Overview }) {
  const { shards } = overview.system;
  return (
    <Panel title={t("Shards")} label={t("Shards")}>
      <ul className={classes["shards"]}>
        {shards.map((shard) => (
          <li key={shard.id}>
            <span>{t("shard {n}", { n: shard.id })}</span>
            <meter
              min={0}
              max={100}
              value={shard.busy_percent}
              aria-label={t("busy share of shard {n}", { n: shard.id })}
            />
            <span className="num">{formatNumber(shard.busy_percent, 1)} %</span>
            <span className="dim num">{t("queue {n}", { n: formatCount(shard.queue) })}</span>
          </li>
        ))}
      </ul>
    </Panel>
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
        <EmptyState title={t("No problems")}>{t("All triggers are in order.")}</EmptyState>
      ) : null}
      <table className={classes["worst"]}>
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
