// The server itself: its figures, its shards, each stage as a graph that grows while one looks, and its workers.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { fetchHealthIssues } from "@/api/health";
import { fetchMetrics } from "@/api/metrics";
import { useOverview } from "@/api/overview-live";
import { keys } from "@/api/query-keys";
import type { Overview } from "@/api/types";
import { t } from "@/lib/i18n";
import { formatAge } from "@/lib/time";
import { formatBytes, formatCount, formatNumber, formatSeconds } from "@/lib/units";
import { chartColor } from "@/ui/charts/plot-options";
import { TimeChart } from "@/ui/charts/time-chart";
import { FigureCard, FigureCards } from "@/ui/figure-card";
import { Page, Panel } from "@/ui/page";
import { EmptyState, FailedState, QueryGate } from "@/ui/states";
import { StatusDot } from "@/ui/status-dot";
import classes from "./health.module.css";
import { SampleLog, type StageSeries } from "./samples";
import { STAGES, type Stage } from "./stages";
import { WorkersPanel } from "./workers-panel";

const SAMPLE_MS = 5_000;
// the first samples come sooner, so that there is a line to look at
const FIRST_MS = 1_000;
const FIRST_SAMPLES = 6;
const CHART_HEIGHT = 150;
// less time than this would have the same second at each line of the grid
const SHOWN_S_MIN = 60;

// the graphs go on when one comes back to the page
const log = new SampleLog();

export function HealthPage() {
  const query = useOverview();
  return (
    <Page title={t("System health")} scroll>
      <QueryGate query={query}>{(overview) => <Content overview={overview} />}</QueryGate>
    </Page>
  );
}

function Content({ overview }: { readonly overview: Overview }) {
  return (
    <div className={classes["content"]}>
      <Figures overview={overview} />
      <HealthIssues />
      <div className={classes["grid"]}>
        <Nvps overview={overview} />
        <Shards overview={overview} />
      </div>
      <Stages />
      <WorkersPanel />
    </div>
  );
}

function Figures({ overview: { system } }: { readonly overview: Overview }) {
  const running = ["running", "ready", "ok"].includes(system.state);
  return (
    <FigureCards>
      <FigureCard
        name={t("Server")}
        value={system.state === "" ? "–" : system.state}
        tone={running ? "ok" : "warn"}
        note={t("{version}, up {age}", {
          version: system.version,
          age: formatAge(system.uptime_s),
        })}
      />
      <FigureCard
        name={t("Values per second")}
        value={formatNumber(system.values_per_second, 1)}
        note={t("required {n}", { n: formatNumber(system.required_values_per_second, 1) })}
      />
      <FigureCard
        name={t("Values processed")}
        value={formatCount(system.values_total)}
        note={t("since the start")}
      />
      <FigureCard
        name={t("Triggers")}
        value={formatCount(system.triggers_total)}
        note={t("of {n} items", { n: formatCount(system.items_total) })}
      />
      <FigureCard
        name={t("Overdue checks")}
        value={<Link to="/queue">{formatCount(system.queue_overdue)}</Link>}
        tone={system.queue_overdue > 0 ? "warn" : "ok"}
        note={t("waiting longer than expected")}
      />
      <FigureCard
        name={t("Journal")}
        value={formatBytes(system.journal.bytes)}
        note={t("lag {age}", { age: formatSeconds(system.journal.lag_ms / 1000) })}
      />
      <FigureCard name={t("Memory")} value={formatBytes(system.memory_bytes)} />
      <FigureCard name={t("CPU")} value={`${formatNumber(system.cpu_percent, 1)} %`} />
    </FigureCards>
  );
}

/** Why the server is not simply running, and what to do about it. */
function HealthIssues() {
  const query = useQuery({
    queryKey: keys.healthIssues,
    queryFn: ({ signal }) => fetchHealthIssues(signal),
    refetchInterval: SAMPLE_MS,
  });
  const issues = query.data ?? [];
  if (issues.length === 0) return null;
  return (
    <Panel title={t("Health issues")} label={t("Health issues")}>
      <ul className={classes["issues"]}>
        {issues.map(({ part, level, message }) => (
          <li key={part}>
            <StatusDot tone={level === "failing" ? "bad" : "warn"} label={level} />
            <strong>{part}</strong>
            <span>{message}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Nvps({ overview }: { readonly overview: Overview }) {
  const { t: times, v: values } = overview.nvps;
  const lines = useMemo(
    () => [{ id: "nvps", name: t("Values per second"), t: times, values }],
    [times, values],
  );
  return (
    <Panel title={t("New values per second")} label={t("New values per second")}>
      <div className={classes["chart"]}>
        {times.length < 2 ? (
          <EmptyState title={t("The graph starts with the first values.")} />
        ) : (
          <TimeChart
            label={t("New values per second")}
            lines={lines}
            units=""
            height={CHART_HEIGHT}
            from={times[0] ?? 0}
            to={times.at(-1) ?? 1}
            fill
          />
        )}
      </div>
    </Panel>
  );
}

function Shards({ overview }: { readonly overview: Overview }) {
  return (
    <Panel title={t("Shards")} label={t("Shards")}>
      <ul className={classes["shards"]}>
        {overview.system.shards.map((shard) => (
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

function Stages() {
  const query = useQuery({
    queryKey: keys.metrics,
    queryFn: async ({ signal }) => {
      const sample = await fetchMetrics(signal);
      log.add(sample);
      return sample.at;
    },
    refetchInterval: () => (log.size < FIRST_SAMPLES ? FIRST_MS : SAMPLE_MS),
  });
  if (query.data === undefined) {
    return query.error === null ? null : (
      <FailedState error={query.error} onRetry={() => void query.refetch()} />
    );
  }
  return (
    <section aria-label={t("Stages")}>
      <p className="dim">
        {t("Sampled every {n} s while this page is open. Samples are kept for 30 minutes.", {
          n: SAMPLE_MS / 1000,
        })}
      </p>
      <div className={classes["grid"]}>
        {STAGES.map((stage) => (
          <StagePanel key={stage.id} stage={stage} series={log.series(stage.id)} />
        ))}
      </div>
    </section>
  );
}

interface StagePanelProps {
  readonly stage: Stage;
  readonly series: StageSeries;
}

function StagePanel({ stage, series }: StagePanelProps) {
  const lines = series.lines.map(({ name, values }) => ({
    id: name,
    name: stage.id === "shard-busy" ? t("shard {n}", { n: name }) : name,
    t: series.t,
    values,
  }));
  return (
    <Panel title={stage.title} label={stage.title}>
      <div className={classes["chart"]}>
        {series.t.length < 2 ? (
          <EmptyState title={t("The graph starts with the second sample.")} />
        ) : lines.length === 0 ? (
          <EmptyState title={t("No data")} />
        ) : (
          <>
            <TimeChart
              label={stage.title}
              lines={lines}
              units={stage.units}
              height={CHART_HEIGHT}
              from={Math.min(series.t[0] ?? 0, (series.t.at(-1) ?? 1) - SHOWN_S_MIN)}
              to={series.t.at(-1) ?? 1}
              sync="stages"
              fill={lines.length === 1}
            />
            <ul className={classes["legend"]}>
              {lines.map(({ id, name, values }, at) => (
                <li key={id}>
                  <svg width={10} height={10} aria-hidden role="presentation">
                    <rect width={10} height={10} rx={2} fill={chartColor(at)} />
                  </svg>
                  {name}
                  <strong className="num">{lastOf(values, stage.units)}</strong>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </Panel>
  );
}

function lastOf(values: readonly (number | null)[], units: string): string {
  const last = values.at(-1);
  if (last === undefined || last === null) return "–";
  if (units === "B") return formatBytes(last);
  if (units === "s") return formatSeconds(last);
  return `${formatNumber(last, 1)}${units === "" ? "" : ` ${units}`}`;
}
