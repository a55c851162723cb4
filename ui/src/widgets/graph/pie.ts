// Slices of a pie: one number of each item over the range, as parts of their sum or of a whole.

import type { Series } from "@/api/types";
import { lineStats } from "@/ui/charts/align";
import { lineId } from "./series";
import type { CalcFunction, GraphLine } from "./spec";

export interface Slice {
  readonly id: string;
  readonly name: string;
  readonly units: string;
  readonly color: string;
  readonly value: number;
  /** of the whole, 0…1 */
  readonly share: number;
  /** from the top clockwise, in turns */
  readonly from: number;
}

export interface Pie {
  readonly slices: readonly Slice[];
  readonly whole: number;
  /** lines without a number, by name */
  readonly absent: readonly string[];
}

export function numberOf(series: Series | undefined, calc: CalcFunction): number | undefined {
  if (series === undefined) return undefined;
  const stats = lineStats(series);
  return calc === "all" ? stats.avg : stats[calc];
}

/** Parts below zero have no slice. A whole that is less than its parts counts as their sum. */
export function pieOf(lines: readonly GraphLine[], series: ReadonlyMap<string, Series>): Pie {
  const numbers = lines.map((line) => ({
    line,
    value: numberOf(series.get(line.itemid), line.calc),
  }));
  const parts = numbers.filter(({ line }) => !line.isWhole);
  const sum = parts.reduce((all, { value = 0 }) => all + Math.max(0, value), 0);
  const whole = Math.max(sum, ...numbers.map(({ line, value = 0 }) => (line.isWhole ? value : 0)));
  const slices: Slice[] = [];
  let from = 0;
  const add = (line: GraphLine, value: number, id: string) => {
    const share = whole === 0 ? 0 : value / whole;
    const { name, units, color } = line;
    slices.push({ id, name, units, color, value, share, from });
    from += share;
  };
  for (const { line, value } of parts) {
    if (value !== undefined) add(line, Math.max(0, value), lineId(line));
  }
  const rest = numbers.find(({ line }) => line.isWhole);
  if (rest !== undefined && whole > sum) add(rest.line, whole - sum, lineId(rest.line));
  const absent = numbers.filter(({ value }) => value === undefined).map(({ line }) => line.name);
  return { slices, whole, absent };
}

/** The outline of a slice around 0,0 with radius 1. */
export function slicePath({ from, share }: Pick<Slice, "from" | "share">): string {
  if (share >= 1) return "M0-1A1 1 0 1 1 0 1A1 1 0 1 1 0-1Z";
  const [start, end] = [pointAt(from), pointAt(from + share)];
  return `M0 0L${start}A1 1 0 ${share > 0.5 ? 1 : 0} 1 ${end}Z`;
}

function pointAt(turn: number): string {
  const angle = turn * 2 * Math.PI;
  return `${Math.sin(angle).toFixed(4)} ${(-Math.cos(angle)).toFixed(4)}`;
}
