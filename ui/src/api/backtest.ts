// When a trigger would have been in problem, computed from stored values. A long run reports its progress and ends
// when its listener stops.

import * as z from "zod/mini";
import { t } from "@/lib/i18n";
import { checked } from "./checked";
import { ApiError, httpLines, serverError } from "./http";
import { type Evaluated, maybe, type TriggerTrial } from "./testing";

/** Seconds since the epoch. */
export interface BacktestRun {
  readonly trial: TriggerTrial;
  readonly from: number;
  readonly until: number;
}

/** Seconds since the epoch. */
export interface Span {
  readonly from: number;
  /** undefined: not resolved at the end of the period */
  readonly until: number | undefined;
}

export interface ProblemSpan extends Span {
  /** what the functions gave when it began */
  readonly functions: readonly Evaluated[];
}

export interface UnknownSpan extends Span {
  readonly reason: string;
}

export interface BacktestReport {
  readonly from: number;
  readonly until: number;
  readonly problems: readonly ProblemSpan[];
  readonly unknown: readonly UnknownSpan[];
  readonly nValues: number;
  readonly nEvaluations: number;
  /** a limit ended the run here */
  readonly endedEarly: number | undefined;
  readonly endedReason: string | undefined;
  /** it depends on other triggers, which were not asked */
  readonly ignoresDependencies: boolean;
}

/** How far a run is. */
export interface BacktestProgress {
  /** share of the time that is tried, from 0 to 1; undefined while values are read */
  readonly done: number | undefined;
  /** the moment that is tried; seconds since the epoch */
  readonly clock: number | undefined;
}

const backtestReport = z.object({
  from: z.number(),
  to: z.number(),
  problems: z.array(
    z.object({
      from: z.number(),
      to: z.number(),
      recovered: z.boolean(),
      functions: z.array(
        z.object({
          host: z.string(),
          key_: z.string(),
          function: z.string(),
          parameters: z.string(),
          value: maybe,
          error: maybe,
        }),
      ),
    }),
  ),
  unknown: z.array(z.object({ from: z.number(), to: z.number(), error: z.string() })),
  values: z.number(),
  evaluations: z.number(),
  ended_early: z.nullable(z.number()),
  ended_reason: maybe,
  dependencies_ignored: z.optional(z.number()),
});

const line = z.object({
  progress: z.optional(z.object({ done: z.nullable(z.number()), clock: z.nullable(z.number()) })),
  report: z.optional(backtestReport),
  error: z.optional(z.unknown()),
});

// millions of values are read and judged
const BACKTEST_TIMEOUT_MS = 300_000;

export async function backtest(
  run: BacktestRun,
  signal: AbortSignal,
  onProgress: (progress: BacktestProgress) => void,
): Promise<BacktestReport> {
  const { trial, from, until } = run;
  const body = {
    hostid: trial.hostid,
    ...(trial.triggerid === undefined ? {} : { triggerid: trial.triggerid }),
    expression: trial.expression,
    recovery_mode: trial.recoveryMode,
    recovery_expression: trial.recoveryExpression,
    type: trial.multiple ? 1 : 0,
    correlation_mode: trial.correlationTag === undefined ? 0 : 1,
    ...(trial.correlationTag === undefined ? {} : { correlation_tag: trial.correlationTag }),
    tags: trial.tags,
    name: trial.name,
    from,
    to: until,
  };
  const request = { method: "POST", body, signal, timeoutMs: BACKTEST_TIMEOUT_MS } as const;
  for await (const answer of httpLines("/api/v1/backtest", request)) {
    const { progress, report, error } = checked("backtest", answer, line);
    if (error !== undefined) throw serverError(answer);
    if (report !== undefined) return readable(report);
    if (progress !== undefined) {
      onProgress({ done: progress.done ?? undefined, clock: progress.clock ?? undefined });
    }
  }
  throw new ApiError("network", t("The server ended its response early."));
}

function readable(report: z.infer<typeof backtestReport>): BacktestReport {
  const last = report.problems.length - 1;
  return {
    from: report.from,
    until: report.to,
    problems: report.problems.map((it, at) => ({
      from: it.from,
      // with multiple generation the next problem begins while this one is still open
      until: it.recovered || at < last ? it.to : undefined,
      functions: it.functions.map(({ host, key_, function: name, parameters, value, error }) => ({
        text: `${name}(/${host}/${key_}${parameters === "" ? "" : `,${parameters}`})`,
        value,
        error,
      })),
    })),
    unknown: report.unknown.map((it) => ({ from: it.from, until: it.to, reason: it.error })),
    nValues: report.values,
    nEvaluations: report.evaluations,
    endedEarly: report.ended_early ?? undefined,
    endedReason: report.ended_reason,
    ignoresDependencies: (report.dependencies_ignored ?? 0) > 0,
  };
}
