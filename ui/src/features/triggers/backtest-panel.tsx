// When the trigger would have been in problem: a period is chosen, the expression runs over stored history on
// the server, and the problems are shaded on the graphs of its items.

import { Button, SegmentedControl } from "@mantine/core";
import { IconPlayerPlay, IconX } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import type { BacktestProgress, BacktestReport, Span } from "@/api/backtest";
import { errorText } from "@/api/http";
import type { TriggerTrial } from "@/api/testing";
import { byUnits } from "@/lib/by-units";
import { plural, t } from "@/lib/i18n";
import { formatAge, formatDateTime, nowSeconds, type TimeRange, toRange } from "@/lib/time";
import { formatNumber, tidyNumber } from "@/lib/units";
import type { ChartSpan } from "@/ui/charts/plot-draw";
import { useNow } from "@/ui/clock";
import { Truncated } from "@/ui/truncated";
import { BUCKETS, useSeries } from "@/widgets/graph/series";
import { ItemChart } from "@/widgets/item-chart";
import { around, fitted, judgedUntil, PERIODS, type Summary, spansOf, summarize } from "./backtest";
import { useBacktest, useExpressionItems } from "./queries";
import classes from "./trial.module.css";

export interface BacktestPanelProps {
  readonly trial: TriggerTrial;
  readonly complete: boolean;
}

export function BacktestPanel({ trial, complete }: BacktestPanelProps) {
  const [period, setPeriod] = useState("1d");
  const { run, state, cancel } = useBacktest();
  const start = () => {
    const seconds = PERIODS.find((it) => it.value === period)?.seconds ?? 0;
    const until = Math.floor(nowSeconds());
    run({ trial, from: until - seconds, until });
  };
  return (
    <section className={classes["panel"]} aria-label={t("Backtest")}>
      <div className={classes["buttons"]}>
        <SegmentedControl
          aria-label={t("Period")}
          value={period}
          onChange={setPeriod}
          data={PERIODS.map(({ value, label }) => ({ value, label }))}
          disabled={state.state === "running"}
        />
        {state.state === "running" ? (
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<IconX size={14} />}
            onClick={cancel}
          >
            {t("Cancel")}
          </Button>
        ) : (
          <Button
            size="compact-sm"
            leftSection={<IconPlayerPlay size={14} />}
            disabled={!complete}
            onClick={start}
          >
            {t("Run backtest")}
          </Button>
        )}
      </div>
      {state.state === "idle" ? (
        <p className="dim">
          {t("The expression is evaluated with stored values. Monitoring is not affected.")}
        </p>
      ) : null}
      {state.state === "running" ? <Running {...state} /> : null}
      {state.state === "cancelled" ? <p className="dim">{t("Cancelled.")}</p> : null}
      {state.state === "failed" ? (
        <p className={classes["verdict"]} data-tone="bad" role="alert">
          <strong>{t("The backtest failed.")}</strong> {errorText(state.error)}
        </p>
      ) : null}
      {state.state === "done" ? (
        <>
          {state.trial.expression === trial.expression ? null : (
            <p className="dim">{t("The expression has changed since this backtest.")}</p>
          )}
          <Report report={state.report} trial={state.trial} />
        </>
      ) : null}
    </section>
  );
}

interface RunningProps {
  readonly since: number;
  readonly progress: BacktestProgress | undefined;
}

function Running({ since, progress }: RunningProps) {
  const now = useNow();
  const done = progress?.done;
  return (
    <div>
      <progress className={classes["progress"]} aria-label={t("Backtest runs")} value={done} />
      <span className="dim">
        {done === undefined || progress?.clock === undefined
          ? t("reading stored values")
          : t("{percent} %, at {time}", {
              percent: Math.floor(done * PERCENT),
              time: formatDateTime(progress.clock),
            })}
        {" · "}
        {t("running for {age}", { age: formatAge(now - since) })}
      </span>
    </div>
  );
}

interface ReportProps {
  readonly report: BacktestReport;
  readonly trial: TriggerTrial;
}

function Report({ report, trial }: ReportProps) {
  const whole = toRange(report.from, judgedUntil(report));
  const [chosen, setRange] = useState<TimeRange | undefined>(undefined);
  // another run is looked at from its beginning
  // biome-ignore lint/correctness/useExhaustiveDependencies: a report is a run
  useEffect(() => setRange(undefined), [report]);
  const items = useExpressionItems(trial);
  const charts = byUnits(items.data ?? []);
  const drawn = charts.flat().map(({ itemid }) => itemid);
  const values = useSeries(drawn, whole);
  const fit = fitted(
    report,
    values.data?.series ?? [],
    (judgedUntil(report) - report.from) / BUCKETS,
  );
  const range = chosen ?? toRange(fit.from, fit.to);
  const spans = spansOf(report);
  const zoomed = range.from !== whole.from || range.to !== whole.to;
  return (
    <>
      <SummaryLine report={report} />
      {charts.map((chart) => (
        <ItemChart
          key={chart[0]?.itemid}
          title={chart.length === 1 ? (chart[0]?.name ?? "") : t("Items of the expression")}
          items={chart}
          units={chart[0]?.units ?? ""}
          range={range}
          onRange={setRange}
          height={170}
          sync="backtest"
          spans={spans}
        />
      ))}
      {items.isError ? (
        <p className="bad" role="alert">
          {errorText(items.error)}
        </p>
      ) : null}
      {items.data !== undefined && charts.length === 0 ? (
        <SpanStrip spans={spans} from={whole.from} to={whole.to} report={report} />
      ) : null}
      <ShadeKey spans={spans} />
      {zoomed ? (
        <Button variant="subtle" size="compact-xs" onClick={() => setRange(whole)}>
          {t("Show the whole period")}
        </Button>
      ) : null}
      <Problems
        report={report}
        onLook={(span) => {
          const { from, to } = around(span, report);
          setRange(toRange(from, to));
        }}
      />
      <UnknownTimes report={report} />
    </>
  );
}

/** Items without numbers have no graph: the times alone. */
function SpanStrip({ spans, from, to, report }: SpanStripProps) {
  const end = judgedUntil(report);
  const length = Math.max(1, end - report.from);
  const percent = (seconds: number) => `${(seconds / length) * PERCENT}%`;
  return (
    <figure className={classes["strip"]} aria-label={t("Problems over the period")}>
      <div className={classes["track"]}>
        {spans.map((span) => (
          <i
            key={`${span.tone}-${span.from}`}
            data-tone={span.tone}
            title={`${formatDateTime(span.from)} – ${formatDateTime(span.to)}`}
            style={{ left: percent(span.from - report.from), width: percent(span.to - span.from) }}
          />
        ))}
      </div>
      <figcaption className="dim">
        <span>{from}</span>
        <span>{to}</span>
      </figcaption>
    </figure>
  );
}

interface SpanStripProps {
  readonly spans: readonly ChartSpan[];
  readonly from: string;
  readonly to: string;
  readonly report: BacktestReport;
}

/** What the shades behind the lines say. */
function ShadeKey({ spans }: { readonly spans: readonly ChartSpan[] }) {
  const names = { problem: t("problem"), unknown: t("the expression has no value") };
  const tones = (["problem", "unknown"] as const).filter((tone) =>
    spans.some((span) => span.tone === tone),
  );
  if (tones.length === 0) return null;
  return (
    <p className={classes["key"]}>
      {tones.map((tone) => (
        <span key={tone}>
          <i data-tone={tone} /> {names[tone]}
        </span>
      ))}
    </p>
  );
}

const PERCENT = 100;

function SummaryLine({ report }: { readonly report: BacktestReport }) {
  const summary = summarize(report);
  return (
    <>
      <p className={classes["verdict"]} data-tone={toneOf(summary)} role="status">
        <strong>{plural(summary.count, "1 problem", "{n} problems")}</strong>
        {summary.count > 0 ? (
          <span>
            {t("{age} in all ({share} %), the longest {longest}", {
              age: formatAge(summary.problemS),
              share: formatNumber(summary.share * PERCENT, 2),
              longest: formatAge(summary.longestS),
            })}
          </span>
        ) : null}
        {summary.isOpen ? <span className="bad">{t("still open at the end")}</span> : null}
        {summary.unknownS > 0 ? (
          <span>
            {t("without a value for {age} ({share} %)", {
              age: formatAge(summary.unknownS),
              share: formatNumber(summary.unknownShare * PERCENT, 2),
            })}
          </span>
        ) : null}
        <span className="dim">
          {plural(report.nValues, "1 value", "{n} values")},{" "}
          {plural(report.nEvaluations, "1 evaluation", "{n} evaluations")}
        </span>
      </p>
      {report.endedEarly === undefined ? null : (
        <p className={classes["verdict"]} data-tone="unknown">
          {t("Too many evaluations: the backtest stopped at {time}. Choose a shorter period.", {
            time: formatDateTime(report.endedEarly),
          })}
          {report.endedReason === undefined ? null : ` (${report.endedReason})`}
        </p>
      )}
      {report.ignoresDependencies ? (
        <p className="dim">{t("Dependencies on other triggers were not taken into account.")}</p>
      ) : null}
      {report.nValues === 0 ? (
        <p className={classes["verdict"]} data-tone="unknown">
          {t("There are no stored values of its items in this period.")}
        </p>
      ) : null}
    </>
  );
}

/** Nothing is good of which nothing is known. */
function toneOf(summary: Summary): "bad" | "unknown" | "ok" {
  if (summary.count > 0) return "bad";
  return summary.unknownS > 0 ? "unknown" : "ok";
}

const ROWS_MAX = 200;

interface ProblemsProps {
  readonly report: BacktestReport;
  readonly onLook: (span: Span) => void;
}

function Problems({ report, onLook }: ProblemsProps) {
  if (report.problems.length === 0) return null;
  const end = judgedUntil(report);
  // newest first, as problems are listed elsewhere
  const rows = [...report.problems].reverse();
  return (
    <div className={classes["list"]}>
      <table className={classes["terms"]} aria-label={t("Problems in the period")}>
        <thead>
          <tr>
            <th scope="col">{t("Start")}</th>
            <th scope="col">{t("End")}</th>
            <th scope="col">{t("Duration")}</th>
            <th scope="col">{t("Function values")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, ROWS_MAX).map((span) => (
            <tr key={span.from}>
              <td>
                <button
                  type="button"
                  className={classes["look"]}
                  title={t("Show on the graph")}
                  onClick={() => onLook(span)}
                >
                  {formatDateTime(span.from)}
                </button>
              </td>
              <td>{span.until === undefined ? t("open") : formatDateTime(span.until)}</td>
              <td>{formatAge((span.until ?? end) - span.from)}</td>
              <td>
                {span.functions.map((it) => (
                  <div key={it.text}>
                    <code>{it.text}</code> ={" "}
                    {it.error ?? (
                      <Truncated text={tidyNumber(it.value ?? "")} whole={it.value ?? ""} />
                    )}
                  </div>
                ))}
                {span.functions.length === 0 ? (
                  <span className="dim">{t("open when the period began")}</span>
                ) : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > ROWS_MAX ? (
        <p className="dim">
          {t("{n} more are shown only on the graph.", { n: rows.length - ROWS_MAX })}
        </p>
      ) : null}
    </div>
  );
}

const REASONS_MAX = 5;

function UnknownTimes({ report }: { readonly report: BacktestReport }) {
  if (report.unknown.length === 0) return null;
  const end = judgedUntil(report);
  return (
    <details>
      <summary className="dim">
        {plural(report.unknown.length, "Unknown in 1 interval", "Unknown in {n} intervals")}
      </summary>
      <ul className={classes["reasons"]}>
        {report.unknown.slice(0, REASONS_MAX).map((span) => (
          <li key={span.from}>
            {formatDateTime(span.from)} · {formatAge((span.until ?? end) - span.from)}:{" "}
            {span.reason}
          </li>
        ))}
      </ul>
    </details>
  );
}
