import { describe, expect, it } from "vitest";
import { bandsOf, basesOf, type ChartLine, plotColumns } from "./plot-data";
import { logRange, timeTicks, valueRange } from "./plot-scale";
import { stackLines } from "./stack";

describe("lines on top of each other", () => {
  const t = [0, 10, 20, 30];

  it("stand on those before them, bridged between their own values", () => {
    expect(
      stackLines(
        [
          [1, undefined, undefined, 4],
          [10, 10, 10, 10],
        ],
        t,
        "stacked",
      ),
    ).toEqual([
      [1, 2, 3, 4],
      [11, 12, 13, 14],
    ]);
  });

  it("have no thickness where one has no value, and a gap where none has", () => {
    expect(
      stackLines(
        [
          [undefined, 2, null, 2],
          [5, 5, null, undefined],
        ],
        t,
        "stacked",
      ),
    ).toEqual([
      [0, 2, null, 2],
      [5, 7, null, 2],
    ]);
  });

  it("are shares of a hundred, zero of nothing", () => {
    expect(
      stackLines(
        [
          [1, 0, -5],
          [3, 0, 5],
        ],
        [0, 1, 2],
        "percent",
      ),
    ).toEqual([
      [25, 0, 0],
      [100, 0, 100],
    ]);
  });
});

const line = (part: Partial<ChartLine>): ChartLine => ({
  id: "1",
  name: "a",
  t: [0, 10],
  values: [1, 2],
  ...part,
});

describe("the columns of a plot", () => {
  it("have edges of bands behind the lines, unless lines are stacked", () => {
    const lines = [line({}), line({ low: [0, 1], high: [3, 4] })];
    expect(bandsOf(lines, "none")).toEqual([{ line: 1, low: 3, high: 4 }]);
    expect(bandsOf(lines, "stacked")).toEqual([]);
    expect(plotColumns(lines, "none", false)).toEqual([
      [0, 10],
      [1, 2],
      [1, 2],
      [0, 1],
      [3, 4],
    ]);
    expect(plotColumns(lines, "stacked", false)).toEqual([
      [0, 10],
      [1, 2],
      [2, 4],
    ]);
  });

  it("stack each axis and each time by itself", () => {
    const lines = [line({}), line({ axis: "right" }), line({}), line({ isEarlier: true })];
    expect(basesOf(lines, "stacked")).toEqual([undefined, undefined, 0, undefined]);
    const [, , right, second, earlier] = plotColumns(lines, "stacked", false);
    expect([right, second, earlier]).toEqual([
      [1, 2],
      [2, 4],
      [1, 2],
    ]);
  });

  it("leave out of a logarithm what has none", () => {
    expect(plotColumns([line({ values: [0, 5] })], "none", true)).toEqual([
      [0, 10],
      [null, 5],
    ]);
  });
});

describe("the ends of an axis", () => {
  it("follow the values where they are not given", () => {
    expect(valueRange(10, 20)).toEqual([0, 20.6]);
    expect(valueRange(10, 20, { max: 100 })).toEqual([0, 100]);
    expect(valueRange(null, null, { min: 5 })).toEqual([5, 6]);
    expect(logRange(3, 2000)).toEqual([1, 10_000]);
    expect(logRange(null, null)).toEqual([1, 10]);
    expect(logRange(100, 100)).toEqual([100, 1000]);
  });

  it("say months of a year with the year", () => {
    const month = Date.UTC(2026, 3, 1) / 1000;
    expect(timeTicks([month], 30 * 86_400)).toEqual(["2026-04"]);
    expect(timeTicks([month], 86_400)).toEqual(["04-01"]);
    expect(timeTicks([month + 3660], 60)).toEqual(["01:01"]);
  });
});
