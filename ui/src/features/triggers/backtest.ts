// A backtest's report as people read it.

import type { BacktestReport, Span } from "@/api/backtest";
import type { ChartSpan } from "@/ui/charts/plot-draw";

export interface Period {
  readonly value: string;
  readonly label: string;
  readonly seconds: number;
}

const HOUR = 3600;
const DAY = 24 * HOUR;

export const PERIODS: readonly Period[] = [
  { value: "1h", label: "1h", seconds: HOUR },
  { value: "6h", label: "6h", seconds: 6 * HOUR },
  { value: "1d", label: "1d", seconds: DAY },
  { value: "7d", label: "7d", seconds: 7 * DAY },
  { value: "30d", label: "30d", seconds: 30 * DAY },
];

export interface Summary {
  readonly count: number;
  readonly problemS: number;
  /** of the time that was judged */
  readonly share: number;
  readonly longestS: number;
  readonly unknownS: number;
  /** of the time that was judged */
  readonly unknownShare: number;
  readonly isOpen: boolean;
}

function lengthOf(spans: readonly Span[], end: number): number {
  return spans.reduce((sum, { from, until }) => sum + ((until ?? end) - from), 0);
}

/** Where the judged time ends: before the period's end when a limit was met. */
export function judgedUntil(report: BacktestReport): number {
  return report.endedEarly ?? report.until;
}

export function summarize(report: BacktestReport): Summary {
  const end = judgedUntil(report);
  const problemS = lengthOf(report.problems, end);
  const unknownS = lengthOf(report.unknown, end);
  const judged = end - report.from;
  return {
    count: report.problems.length,
    problemS,
    share: judged > 0 ? problemS / judged : 0,
    longestS: Math.max(0, ...report.problems.map((it) => (it.until ?? end) - it.from)),
    unknownS,
    unknownShare: judged > 0 ? unknownS / judged : 0,
    isOpen: report.problems.at(-1)?.until === undefined && report.problems.length > 0,
  };
}

export function spansOf(report: BacktestReport): readonly ChartSpan[] {
  const end = judgedUntil(report);
  const marked = (spans: readonly Span[], tone: ChartSpan["tone"]) =>
    spans.map(({ from, until }) => ({ from, to: until ?? end, tone }));
  return [...marked(report.unknown, "unknown"), ...marked(report.problems, "problem")];
}

// room next to a period that is looked at
const MARGIN = 0.5;
const MARGIN_S_MIN = 300;

/** The period with some time around it, within what was judged. */
export function around(span: Span, report: BacktestReport): { from: number; to: number } {
  const end = judgedUntil(report);
  const until = span.until ?? end;
  const margin = Math.max(MARGIN_S_MIN, (until - span.from) * MARGIN);
  return { from: Math.max(report.from, span.from - margin), to: Math.min(end, until + margin) };
}

interface Values {
  /** where buckets with values begin */
  readonly t: readonly number[];
}

// of what is shown: room at both edges
const FIT_MARGIN = 0.05;
const FIT_MARGIN_S_MIN = 60;

/**
 * The part of the period where something is: values, and beginnings and ends of problems. Ten minutes of values in a day
 * would be a line at the edge. `bucketS` is how much time a bucket stands for.
 */
export function fitted(
  report: BacktestReport,
  series: readonly Values[],
  bucketS: number,
): { from: number; to: number } {
  const end = judgedUntil(report);
  const marks = report.problems.flatMap(({ from, until }) => [from, until ?? from]);
  for (const { t } of series) {
    const [first, last] = [t[0], t.at(-1)];
    if (first !== undefined && last !== undefined) marks.push(first, last + bucketS);
  }
  if (marks.length === 0) return { from: report.from, to: end };
  const [first, last] = [Math.min(...marks), Math.max(...marks)];
  const margin = Math.max(FIT_MARGIN_S_MIN, (last - first) * FIT_MARGIN);
  return { from: Math.max(report.from, first - margin), to: Math.min(end, last + margin) };
}
