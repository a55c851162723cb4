import { describe, expect, it } from "vitest";
import { alignLines, lineRuns, lineStats } from "./align";
import { sparkPath } from "./sparkline";

describe("lines on one axis", () => {
  it("keep their own times, bridged where others have values between", () => {
    const { t, lines } = alignLines([
      { t: [0, 10, 20, 30], values: [1, 2, 3, 4] },
      { t: [0, 30], values: [5, 6] },
    ]);
    expect(t).toEqual([0, 10, 20, 30]);
    expect(lines[1]).toEqual([5, undefined, undefined, 6]);
  });

  it("break where values stopped coming, not where buckets are finer than the interval", () => {
    const times = [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100];
    const values = [1, null, 2, null, 3, null, null, null, null, null, 4];
    const [line] = alignLines([{ t: times, values }]).lines;
    // 20 between values is usual and 60 is not more than three missed ones
    expect(line).not.toContain(null);
    const dense = alignLines([{ t: times, values: [1, 2, 3, null, null, null, null, 4, 5, 6, 7] }]);
    expect(dense.lines[0]?.[3]).toBe(null);
  });

  it("break where no line has a time in the outage: buckets without values are left out", () => {
    const { t, lines } = alignLines([{ t: [0, 10, 20, 100, 110], values: [1, 2, 3, 4, 5] }]);
    expect(t).toEqual([0, 10, 20, 60, 100, 110]);
    expect(lines).toEqual([[1, 2, 3, null, 4, 5]]);
  });

  it("have steps of their own before and after a joint: hours of trends, then values", () => {
    const hours = [0, 3600, 7200, 10_800];
    const minutes = [14_400, 14_460, 14_520, 14_580, 14_640, 14_700, 14_760];
    const t = [...hours, ...minutes];
    const values = t.map(() => 1);
    expect(lineRuns({ t, values, joints: [14_400] })).toHaveLength(1);
    // without it each hour would stand alone
    expect(lineRuns({ t, values })).toHaveLength(5);
    // an outage is one all the same, also before a value that stands alone
    const late = { t: [...hours, 90_000], values: [1, 1, 1, 1, 1], joints: [14_400] };
    expect(lineRuns(late)).toHaveLength(2);
    expect(lineRuns({ t: [0, 9000], values: [1, 2] })).toHaveLength(1);
  });

  it("are summed up by the weight of their buckets", () => {
    const series = {
      min: [1, null, 2],
      avg: [2, null, 5],
      max: [3, null, 9],
      count: [1, 0, 3],
      last: 7,
    };
    expect(lineStats(series)).toEqual({ last: 7, min: 1, avg: 4.25, max: 9 });
    expect(lineStats({ min: [], avg: [], max: [], count: [], last: null }).last).toBeUndefined();
  });
});

describe("sparklines", () => {
  const box = { from: 0, to: 10, width: 100, height: 20 };

  it("need two values", () => {
    expect(sparkPath({ t: [5], values: [1], ...box })).toBe("");
    expect(sparkPath({ t: [0, 10], values: [1, null], ...box })).toBe("");
  });

  it("do not join over an outage; a value by itself is a dot", () => {
    const t = [0, 1, 2, 3, 8, 15, 16];
    const values = [0, 0, 1, 1, 0, 1, 0];
    const path = sparkPath({ t, values, from: 0, to: 20, width: 100, height: 20 });
    expect(path).toBe("M0.0 18.5L5.0 18.5L10.0 1.5L15.0 1.5M40.0 18.5h0M75.0 1.5L80.0 18.5");
  });

  it("fill their height, and lie in the middle when nothing moves", () => {
    expect(sparkPath({ t: [0, 10], values: [0, 1], ...box })).toBe("M0.0 18.5L100.0 1.5");
    expect(sparkPath({ t: [0, 10], values: [3, 3], ...box })).toBe("M0.0 10.0L100.0 10.0");
  });
});
