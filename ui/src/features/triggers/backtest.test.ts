import { describe, expect, it } from "vitest";
import { around, fitted, spansOf, summarize } from "./backtest";

const REPORT = {
  from: 1000,
  until: 11_000,
  problems: [
    { from: 1000, until: 2000, functions: [] },
    { from: 9000, until: undefined, functions: [] },
  ],
  unknown: [{ from: 5000, until: 5500, reason: "no data" }],
  nValues: 10,
  nEvaluations: 20,
  endedEarly: undefined,
  endedReason: undefined,
  ignoresDependencies: false,
};

describe("a backtest's report", () => {
  it("counts problems and their time, the open one to the end", () => {
    expect(summarize(REPORT)).toEqual({
      count: 2,
      problemS: 3000,
      share: 0.3,
      longestS: 2000,
      unknownS: 500,
      unknownShare: 0.05,
      isOpen: true,
    });
  });

  it("judges only what was reached where a limit ended it", () => {
    const ended = { ...REPORT, endedEarly: 9500 };
    expect(summarize(ended).problemS).toBe(1500);
    expect(spansOf(ended).at(-1)).toEqual({ from: 9000, to: 9500, tone: "problem" });
  });

  it("without problems is all quiet", () => {
    const quiet = { ...REPORT, problems: [], unknown: [] };
    expect(summarize(quiet)).toMatchObject({ count: 0, share: 0, longestS: 0, isOpen: false });
    expect(spansOf(quiet)).toEqual([]);
  });

  it("is looked at around a period, never outside of what was judged", () => {
    expect(around({ from: 1000, until: 2000 }, REPORT)).toEqual({ from: 1000, to: 2500 });
    expect(around({ from: 9000, until: undefined }, REPORT)).toEqual({ from: 8000, to: 11_000 });
  });

  it("is shown where values or problems are, not as a line at the edge of the period", () => {
    const day = { ...REPORT, from: 0, until: 86_400, endedEarly: undefined, unknown: [] };
    const ten = [{ t: [85_800, 86_000, 86_100] }, { t: [] }];
    expect(fitted({ ...day, problems: [] }, ten, 300)).toEqual({ from: 85_740, to: 86_400 });
    // a problem about missing values begins after the last one
    const missing = { ...day, problems: [{ from: 20_000, until: undefined, functions: [] }] };
    expect(fitted(missing, [{ t: [10_000, 11_700] }], 300)).toEqual({ from: 9500, to: 20_500 });
    expect(fitted({ ...day, problems: [] }, [{ t: [0, 86_100] }], 300)).toEqual({
      from: 0,
      to: 86_400,
    });
    expect(fitted({ ...day, problems: [] }, [], 300)).toEqual({ from: 0, to: 86_400 });
  });
});
