// The last day of a host in ninety cells: whether it answered, and how bad its problems were.

import type { LatestRow } from "@/api/latest-columns";
import type { Series } from "@/api/types";
import { lineRuns } from "@/ui/charts/align";
import type { ProblemSpan } from "@/widgets/graph/marks";

export const CELLS = 90;

export type CellState = "up" | "down" | "partly" | "unknown";

export interface Cell {
  readonly from: number;
  readonly to: number;
  readonly state: CellState;
  /** 0…1 of the time; undefined: not known */
  readonly up: number | undefined;
}

/** What an item says about whether the host answers. */
export interface AvailabilityItem {
  readonly itemid: string;
  readonly name: string;
  /** share of the time that an average stands for, 0…1 */
  readonly upOf: (average: number) => number;
}

const pinged = (average: number) => Math.min(1, Math.max(0, average));
// 1 available, 2 not available
const availability = (average: number) => Math.min(1, Math.max(0, 2 - average));

const SOURCES: readonly (readonly [key: RegExp, upOf: (average: number) => number])[] = [
  [/^icmpping(\[.*\])?$/, pinged],
  [/^zabbix\[host,[a-z_]+,available\]$/, availability],
  [/^agent\.ping$/, pinged],
];

/** The item that shows best whether the host responds. */
export function availabilityItem(rows: readonly LatestRow[]): AvailabilityItem | undefined {
  for (const [key, upOf] of SOURCES) {
    const row = rows.find((it) => key.test(it.key));
    if (row !== undefined) return { itemid: row.itemid, name: row.name, upOf };
  }
  return undefined;
}

const cellAt = (from: number, to: number, at: number) => from + ((to - from) * at) / CELLS;

export function availabilityCells(
  series: Series | undefined,
  { upOf }: Pick<AvailabilityItem, "upOf">,
  from: number,
  to: number,
): readonly Cell[] {
  const runs = series === undefined ? [] : lineRuns({ t: series.t, values: series.avg });
  const isBetweenValues = (start: number, end: number) =>
    runs.some((run) => (run[0]?.[0] ?? to) <= start && end <= (run.at(-1)?.[0] ?? from));
  let before: number | undefined;
  return Array.from({ length: CELLS }, (_, at): Cell => {
    const [start, end] = [cellAt(from, to, at), cellAt(from, to, at + 1)];
    const measured = series === undefined ? undefined : meanWithin(series, upOf, start, end);
    // shorter than the interval of the item: what was measured last holds
    const up = measured ?? (isBetweenValues(start, end) ? before : undefined);
    before = up;
    return { from: start, to: end, state: stateOf(up), up };
  });
}

function meanWithin(
  { t, avg, count }: Series,
  upOf: (average: number) => number,
  start: number,
  end: number,
): number | undefined {
  let [sum, n] = [0, 0];
  for (const [at, time] of t.entries()) {
    const average = avg[at] ?? null;
    if (time < start || time >= end || average === null) continue;
    const weight = count[at] ?? 1;
    sum += upOf(average) * weight;
    n += weight;
  }
  return n === 0 ? undefined : sum / n;
}

function stateOf(up: number | undefined): CellState {
  if (up === undefined) return "unknown";
  if (up >= 1) return "up";
  return up <= 0 ? "down" : "partly";
}

/** Of the time that is known; undefined: nothing is. */
export function upShare(cells: readonly Cell[]): number | undefined {
  const known = cells.flatMap(({ up }) => (up === undefined ? [] : [up]));
  if (known.length === 0) return undefined;
  return known.reduce((sum, up) => sum + up, 0) / known.length;
}

export interface ProblemCell {
  readonly from: number;
  readonly to: number;
  /** of the worst problem; undefined: there was none */
  readonly severity: number | undefined;
  readonly names: readonly string[];
}

export function problemCells(
  spans: readonly ProblemSpan[],
  from: number,
  to: number,
): readonly ProblemCell[] {
  return Array.from({ length: CELLS }, (_, at): ProblemCell => {
    const [start, end] = [cellAt(from, to, at), cellAt(from, to, at + 1)];
    const here = spans.filter((it) => it.from < end && it.to > start);
    const worst = Math.max(...here.map((it) => it.severity));
    return {
      from: start,
      to: end,
      severity: here.length === 0 ? undefined : worst,
      names: [...new Set(here.map((it) => it.name))],
    };
  });
}
