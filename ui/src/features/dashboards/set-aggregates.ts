// Data sets that are aggregated: one value for each interval, of each item or of all of the set. Intervals are
// cut from the epoch on, so that they stay where they are while time goes on. The server gives buckets that are parts
// of an interval: extremes, averages, sums and counts of them are exact; the first and the last value are those of the
// first and last bucket.

import { fetchSharedSeries } from "@/api/shared-series";
import type { Id, Series } from "@/api/types";
import type { BoardItem } from "@/api/widgets";
import { t } from "@/lib/i18n";
import { type ResolvedRange, resolveRange, type TimeRange } from "@/lib/time";
import { AGGREGATES, aggregated } from "./aggregate";
import { moment } from "./data";
import { type DataSet, shiftOf } from "./datasets";
import type { SetItems } from "./sets-data";

const PER_SET = 1;
const INTERVAL = "1h";
// more intervals than a chart has room for become longer ones
const INTERVALS_MAX = 1500;
// parts of an interval, for its first and last value
const PARTS = 6;
const COUNT = 4;
const FIRST = 6;
const LAST = 7;

export interface SetAggregate {
  /** Zabbix's code of the function */
  readonly how: number;
  /** seconds */
  readonly interval: number;
  readonly perSet: boolean;
}

/** How a set is aggregated; undefined: its values are drawn as they are. */
export function aggregateOf({ fields }: DataSet): SetAggregate | undefined {
  const how = fields.number("aggregate_function", 0);
  if (how === 0) return undefined;
  const interval = shiftOf(fields.text("aggregate_interval", INTERVAL));
  return {
    how,
    interval: interval > 0 ? interval : shiftOf(INTERVAL),
    perSet: fields.number("aggregate_grouping", 0) === PER_SET,
  };
}

export function aggregateName(how: number): string {
  return AGGREGATES.find(([code]) => code === how)?.[1] ?? "";
}

/** A line that is no item: what the items of a set come to. */
export function lineItems(found: SetItems, at: number): readonly BoardItem[] {
  const aggregate = aggregateOf(found.set);
  if (aggregate === undefined) return found.items;
  // how many there are has no units
  const units = aggregate.how === COUNT ? { units: "" } : {};
  const [first] = found.items;
  if (first === undefined) return [];
  if (!aggregate.perSet) {
    return found.items.map((it) => ({ ...it, ...units, itemid: aggregateId(at, it.itemid) }));
  }
  const label = found.set.fields.text("data_set_label");
  const name = label === "" ? t("Data set {n}", { n: at + 1 }) : label;
  return [{ ...first, ...units, itemid: aggregateId(at, undefined), name }];
}

export function aggregateId(at: number, itemid: Id | undefined): Id {
  return `set ${at} ${itemid ?? "all"}`;
}

/** The values of all intervals that begin within the range, from buckets of one or several items. */
export function aggregateSeries(
  id: Id,
  parts: readonly Series[],
  how: number,
  interval: number,
): Series {
  const byStart = new Map<number, Series[]>();
  for (const series of parts) {
    for (const [start, piece] of pieces(series, interval)) {
      byStart.set(start, [...(byStart.get(start) ?? []), piece]);
    }
  }
  const rows = [...byStart]
    .sort(([a], [b]) => a - b)
    .flatMap(([start, of]) => {
      const value = aggregated(joined(of), how);
      return value === undefined ? [] : [[start, value] as const];
    });
  const values = rows.map(([, value]) => value);
  const times = rows.map(([time]) => time);
  const { 0: from = 0 } = times;
  return {
    itemid: id,
    t: times,
    min: values,
    avg: values,
    max: values,
    count: values.map(() => 1),
    last: values.at(-1) ?? null,
    parts: [{ source: "history", from, to: times.at(-1) ?? 0 }],
  };
}

/** The buckets of a series by the interval that they lie in. */
function pieces(series: Series, interval: number): ReadonlyMap<number, Series> {
  const found = new Map<number, number[]>();
  for (const [at, time] of series.t.entries()) {
    // a bucket may begin some nanoseconds early
    const start = Math.floor((time + 0.5) / interval) * interval;
    found.set(start, [...(found.get(start) ?? []), at]);
  }
  return new Map(
    [...found].map(([start, rows]) => {
      const pick = <T>(list: readonly T[]) => rows.flatMap((row) => list[row] ?? []);
      const avg = pick(series.avg);
      return [
        start,
        {
          ...series,
          t: pick(series.t),
          min: pick(series.min),
          avg,
          max: pick(series.max),
          count: pick(series.count),
          last: avg.at(-1) ?? null,
        },
      ];
    }),
  );
}

/** Several items as one, in order of time. */
function joined(parts: readonly Series[]): Series | undefined {
  const [first] = parts;
  if (first === undefined || parts.length === 1) return first;
  const rows = parts
    .flatMap((of) => of.t.map((time, at) => ({ time, at, of })))
    .sort((a, b) => a.time - b.time);
  const pick = <T>(list: (of: Series) => readonly T[]) =>
    rows.flatMap(({ of, at }) => list(of)[at] ?? []);
  const avg = pick((it) => it.avg);
  return {
    ...first,
    t: rows.map(({ time }) => time),
    min: pick((it) => it.min),
    avg,
    max: pick((it) => it.max),
    count: pick((it) => it.count),
    last: avg.at(-1) ?? null,
  };
}

export interface IntervalPlan {
  readonly from: number;
  /** included */
  readonly to: number;
  readonly interval: number;
  readonly buckets: number;
}

/** What is asked for: whole intervals around the range. */
export function planOf(
  { from, to }: ResolvedRange,
  { interval, how }: Pick<SetAggregate, "interval" | "how">,
): IntervalPlan {
  const times = Math.max(1, Math.ceil((to - from) / interval / INTERVALS_MAX));
  const length = interval * times;
  const start = Math.floor(from / length) * length;
  const n = Math.max(1, Math.ceil((to - start) / length));
  const parts = how === FIRST || how === LAST ? PARTS : 1;
  return { from: start, to: start + n * length - 1, interval: length, buckets: n * parts };
}

/** The lines of all sets that are aggregated. */
export async function loadAggregates(
  found: readonly SetItems[],
  range: TimeRange,
  source: number,
): Promise<readonly Series[]> {
  const resolved = resolveRange(range, moment());
  const loaded = await Promise.all(
    found.map(async (own, at): Promise<readonly Series[]> => {
      const aggregate = aggregateOf(own.set);
      if (aggregate === undefined || own.items.length === 0) return [];
      const { interval, ...plan } = planOf(resolved, aggregate);
      const itemids = own.items.map((it) => it.itemid);
      const series = await fetchSharedSeries(itemids, { ...plan, source });
      if (aggregate.perSet) {
        return [aggregateSeries(aggregateId(at, undefined), series, aggregate.how, interval)];
      }
      return series.map((it) =>
        aggregateSeries(aggregateId(at, it.itemid), [it], aggregate.how, interval),
      );
    }),
  );
  return loaded.flat();
}
