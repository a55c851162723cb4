import { describe, expect, it } from "vitest";
import type { Series } from "@/api/types";
import { dataSets } from "./datasets";
import { Fields } from "./fields";
import { aggregateOf, aggregateSeries, planOf } from "./set-aggregates";

const HOUR = 3600;

function series(itemid: string, rows: readonly (readonly number[])[]): Series {
  const column = (at: number) => rows.map((row) => row[at] ?? 0);
  return {
    itemid,
    t: column(0),
    min: column(1),
    avg: column(2),
    max: column(3),
    count: column(4),
    last: rows.at(-1)?.[2] ?? null,
    parts: [],
  };
}

describe("aggregated data sets", () => {
  // begin of the bucket, min, avg, max, count; the second of them begins a trifle early
  const one = series("1", [
    [0, 1, 2, 3, 10],
    [HOUR / 2, 0, 4, 9, 30],
    [HOUR - 1e-9, 5, 5, 5, 1],
  ]);
  const other = series("2", [[600, 100, 100, 100, 2]]);

  it.each([
    [1, [0, 5]],
    [2, [9, 5]],
    [3, [3.5, 5]],
    [4, [40, 1]],
    [5, [140, 5]],
    [6, [2, 5]],
    [7, [4, 5]],
  ])("have one value for each interval: function %i", (how, values) => {
    const made = aggregateSeries("x", [one], how, HOUR);
    expect(made.t).toEqual([0, HOUR]);
    expect(made.avg).toEqual(values);
    expect(made.last).toBe(values.at(-1));
  });

  it("come to one line when a whole set is meant", () => {
    expect(aggregateSeries("x", [one, other], 5, HOUR).avg).toEqual([340, 5]);
    expect(aggregateSeries("x", [one, other], 4, HOUR).avg).toEqual([42, 1]);
    expect(aggregateSeries("x", [one, other], 2, HOUR).avg).toEqual([100, 5]);
    expect(aggregateSeries("x", [one, other], 6, HOUR).avg).toEqual([2, 5]);
    expect(aggregateSeries("x", [one, other], 7, HOUR).avg).toEqual([4, 5]);
  });

  it("are asked for in whole intervals, which grow where there are too many", () => {
    const range = { from: 5000, to: 12_000, live: false };
    expect(planOf(range, { interval: HOUR, how: 3 })).toEqual({
      from: 3600,
      to: 14_399,
      interval: HOUR,
      buckets: 3,
    });
    expect(planOf(range, { interval: HOUR, how: 7 }).buckets).toBe(18);
    const year = planOf({ ...range, to: 365 * 86_400 }, { interval: 60, how: 3 });
    expect(year.buckets).toBeLessThanOrEqual(1501);
    expect(year.interval % 60).toBe(0);
  });

  it("are those whose function is set", () => {
    const fields = (values: Readonly<Record<string, string>>) =>
      dataSets(
        new Fields(Object.entries(values).map(([name, value]) => ({ type: "1", name, value }))),
      )[0];
    const plain = fields({ "ds.0.items.0": "*" });
    const summed = fields({
      "ds.0.items.0": "*",
      "ds.0.aggregate_function": "5",
      "ds.0.aggregate_interval": "15m",
      "ds.0.aggregate_grouping": "1",
    });
    expect(plain === undefined ? "none" : aggregateOf(plain)).toBeUndefined();
    expect(summed === undefined ? "none" : aggregateOf(summed)).toEqual({
      how: 5,
      interval: 900,
      perSet: true,
    });
  });
});
