// The steps of an action as a timeline: runs of steps with the same operations, and the time at which they begin.

import { plural, t } from "@/lib/i18n";
import { intervalSeconds } from "@/lib/interval";

export interface Step {
  readonly from: number;
  /** 0: without end */
  readonly to: number;
  /** of the operation; "0" as the action says */
  readonly period: string;
  /** what it does */
  readonly text: string;
}

export interface Run {
  readonly from: number;
  readonly to: number;
  /** seconds after the event; undefined: a macro says how long steps before it last */
  readonly at: number | undefined;
  /** how long each of its steps lasts; undefined as above */
  readonly period: number | undefined;
  readonly texts: readonly string[];
}

/** The shortest period of the operations that have one, else the action's. */
function periodOf(steps: readonly Step[], whole: string): number | undefined {
  const own = steps.filter(({ period }) => period.trim() !== "" && period.trim() !== "0");
  if (own.length === 0) return intervalSeconds(whole);
  const seconds = own.map(({ period }) => intervalSeconds(period));
  return seconds.includes(undefined) ? undefined : Math.min(...(seconds as number[]));
}

export function runsOf(steps: readonly Step[], period: string): readonly Run[] {
  const end = (it: Step) => (it.to === 0 ? Number.POSITIVE_INFINITY : it.to);
  const bounds = new Set([1, ...steps.flatMap((it) => [it.from, end(it) + 1])]);
  const sorted = [...bounds].filter(Number.isFinite).sort((a, b) => a - b);
  const runs: Run[] = [];
  let at: number | undefined = 0;
  for (const [index, from] of sorted.entries()) {
    const to = (sorted[index + 1] ?? Number.POSITIVE_INFINITY) - 1;
    const active = steps.filter((it) => it.from <= from && from <= end(it));
    const each = periodOf(active, period);
    if (active.length > 0) {
      runs.push({ from, to, at, period: each, texts: active.map(({ text }) => text) });
    }
    at = at === undefined || each === undefined ? undefined : at + each * (to - from + 1);
  }
  return runs;
}

const UNITS: readonly (readonly [seconds: number, unit: string])[] = [
  [86_400, "d"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
];

/** Such as 0 min, 90 min as 1 h 30 min. */
export function durationText(seconds: number): string {
  if (seconds === 0) return t("0 min");
  const parts: string[] = [];
  let rest = seconds;
  for (const [size, unit] of UNITS) {
    const n = Math.floor(rest / size);
    rest -= n * size;
    if (n > 0) parts.push(`${n} ${unit}`);
  }
  return parts.join(" ");
}

const LISTED_MAX = 3;

/** When the steps of a run are. */
export function whenText({ from, to, at, period }: Run): string {
  const n = to - from + 1;
  if (at === undefined) {
    if (n === 1) return t("step {from}", { from });
    const last = Number.isFinite(to) ? String(to) : "…";
    return t("steps {from} to {last}", { from, last });
  }
  if (n === 1) return durationText(at);
  if (period === undefined)
    return t("{at}, then at the interval set by the macro", { at: durationText(at) });
  if (n <= LISTED_MAX) {
    return Array.from({ length: n }, (_, index) => durationText(at + index * period)).join(", ");
  }
  const rhythm = { at: durationText(at), period: durationText(period) };
  if (!Number.isFinite(to)) return t("{at}, then every {period} without end", rhythm);
  return `${t("{at}, then every {period},", rhythm)} ${plural(n, "once", "{n} times in total")}`;
}
