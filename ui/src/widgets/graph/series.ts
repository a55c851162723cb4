// Buckets of items for charts: asked for once for all lines, again as long as the range follows the clock.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { fetchSeries } from "@/api/native";
import { keys } from "@/api/query-keys";
import type { Id, Series } from "@/api/types";
import { nowSeconds, resolveRange, type TimeRange } from "@/lib/time";
import type { ChartLine } from "@/ui/charts/plot-data";
import type { CalcFunction, GraphLine } from "./spec";

export const BUCKETS = 300;
// a tenth of the range, but at least often enough to look alive and no more often than values come
const REFRESH_MS_MIN = 5000;
const REFRESH_MS_MAX = 60_000;

function refreshMs(seconds: number): number {
  return Math.min(REFRESH_MS_MAX, Math.max(REFRESH_MS_MIN, (seconds / BUCKETS) * 1000));
}

/** `shift` seconds earlier than the range, at the range's times. */
export function useSeries(itemids: readonly Id[], range: TimeRange, buckets = BUCKETS, shift = 0) {
  const { from, to, live } = resolveRange(range, nowSeconds());
  return useQuery({
    queryKey: keys.series(itemids, range.from, range.to, buckets, shift),
    queryFn: async ({ signal }) => {
      const resolved = resolveRange(range, nowSeconds());
      const query = { itemids, from: resolved.from - shift, to: resolved.to - shift, buckets };
      const series = await fetchSeries(query, signal);
      return { ...resolved, series: series.map((it) => shifted(it, shift)) };
    },
    enabled: itemids.length > 0,
    refetchInterval: live ? refreshMs(to - from) : false,
    staleTime: live ? REFRESH_MS_MIN : 60_000,
    placeholderData: keepPreviousData,
  });
}

function shifted(series: Series, by: number): Series {
  if (by === 0) return series;
  return {
    ...series,
    t: series.t.map((time) => time + by),
    parts: series.parts.map(({ source, from, to }) => ({ source, from: from + by, to: to + by })),
  };
}

/** The numbers of the buckets that the line is drawn through. */
export function valuesOf(series: Series, calc: CalcFunction): readonly (number | null)[] {
  if (calc === "min") return series.min;
  return calc === "max" ? series.max : series.avg;
}

export function chartLine(
  line: GraphLine,
  series: Series | undefined,
  { hasBand, isEarlier }: { readonly hasBand: boolean; readonly isEarlier: boolean },
): ChartLine {
  const { name, color, draw, axis } = line;
  const base = { id: lineId(line, isEarlier), name, color, draw, axis, isEarlier };
  if (series === undefined) return { ...base, t: [], values: [], ...(hasBand ? NO_BAND : {}) };
  return {
    ...base,
    t: series.t,
    values: valuesOf(series, line.calc),
    joints: series.parts.slice(1).map((part) => part.from),
    ...(hasBand ? { low: series.min, high: series.max } : {}),
  };
}

// there before its values are, so that the chart isn't rebuilt when they come
const NO_BAND = { low: [], high: [] };

export function lineId({ itemid, calc, axis }: GraphLine, isEarlier = false): string {
  return `${itemid} ${calc} ${axis}${isEarlier ? " earlier" : ""}`;
}

/** The newest value at or before the instant. */
export function valueAt(series: Series, calc: CalcFunction, seconds: number): number | undefined {
  const values = valuesOf(series, calc);
  for (let at = series.t.length - 1; at >= 0; at -= 1) {
    const time = series.t[at];
    const value = values[at];
    if (time !== undefined && time <= seconds && value !== null && value !== undefined) {
      return value;
    }
  }
  return undefined;
}

/** The value that so many per cent of all values are at or below; undefined: there is none. */
export function percentile(
  values: readonly (number | null)[],
  percent: number,
): number | undefined {
  const known = values.filter((value) => value !== null).sort((a, b) => a - b);
  const rank = Math.ceil((percent / 100) * known.length);
  return known[Math.max(0, rank - 1)];
}
