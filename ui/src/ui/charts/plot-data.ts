// What a plot is fed with: the columns of its lines, then of the edges of their bands, on one time axis.

import { alignLines, type Line } from "./align";
import { type StackMode, stackLines } from "./stack";

export type Axis = "left" | "right";
export type LineDraw = "line" | "bold" | "area" | "points" | "dashed" | "gradient";

export interface ChartLine extends Line {
  readonly id: string;
  readonly name: string;
  /** lowest and highest value per bucket: they make a band around the line, unless lines are stacked */
  readonly low?: readonly (number | null)[] | undefined;
  readonly high?: readonly (number | null)[] | undefined;
  /** `#rrggbb` or `var(--name)`; by the position if left out */
  readonly color?: string | undefined;
  readonly draw?: LineDraw | undefined;
  readonly axis?: Axis | undefined;
  /** of a time before, drawn at the times of this one */
  readonly isEarlier?: boolean | undefined;
}

export const axisOf = (line: Pick<ChartLine, "axis">): Axis => line.axis ?? "left";

/** A band of a line: positions of its edges among the columns. */
export interface Band {
  readonly line: number;
  readonly low: number;
  readonly high: number;
}

/** Columns 1…n are the lines; those behind are edges of bands. Depends on what lines there are, not on values. */
export function bandsOf(lines: readonly ChartLine[], stack: StackMode): readonly Band[] {
  if (stack !== "none") return [];
  const banded = [...lines.entries()].filter(
    ([, { low, high }]) => low !== undefined && high !== undefined,
  );
  return banded.map(([line], at) => {
    const low = lines.length + 1 + 2 * at;
    return { line, low, high: low + 1 };
  });
}

/** Of each line the one that it stands on, by position among the lines; undefined: it stands on nothing. */
export function basesOf(
  lines: readonly ChartLine[],
  stack: StackMode,
): readonly (number | undefined)[] {
  if (stack === "none") return lines.map(() => undefined);
  return lines.map((line, at) => {
    const base = lines.slice(0, at).findLastIndex((it) => pileOf(it) === pileOf(line));
    return base < 0 ? undefined : base;
  });
}

/** Lines of one pile are on top of each other. */
const pileOf = (line: ChartLine): string => `${axisOf(line)} ${line.isEarlier === true}`;

export type Columns = readonly [
  t: readonly number[],
  ...lines: (readonly (number | null | undefined)[])[],
];

export function plotColumns(
  lines: readonly ChartLine[],
  stack: StackMode,
  isLogarithmic: boolean,
): Columns {
  const all: Line[] = [...lines];
  for (const { line } of bandsOf(lines, stack)) {
    const of = lines[line];
    if (of === undefined) continue;
    all.push({ ...of, values: of.low ?? [] }, { ...of, values: of.high ?? [] });
  }
  const { t, lines: aligned } = alignLines(all);
  const piled = stack === "none" ? aligned : stacked(lines, aligned, t, stack);
  return [t, ...(isLogarithmic ? piled.map(positive) : piled)];
}

function stacked(
  lines: readonly ChartLine[],
  aligned: readonly (readonly (number | null | undefined)[])[],
  t: readonly number[],
  mode: Exclude<StackMode, "none">,
): (readonly (number | null | undefined)[])[] {
  const out: (readonly (number | null | undefined)[])[] = [...aligned];
  for (const pile of new Set(lines.map(pileOf))) {
    const places = [...lines.entries()].filter(([, it]) => pileOf(it) === pile).map(([at]) => at);
    const edges = stackLines(
      places.map((at) => aligned[at] ?? []),
      t,
      mode,
    );
    for (const [nth, at] of places.entries()) out[at] = edges[nth] ?? [];
  }
  return out;
}

/** A logarithm has no place for zero and what is below. */
function positive(values: readonly (number | null | undefined)[]) {
  return values.map((value) => (typeof value === "number" && value <= 0 ? null : value));
}
