import { describe, expect, it } from "vitest";
import type { Series, SeriesPart } from "@/api/types";
import { formatDateTime } from "@/lib/time";
import { sourcesOf } from "./sources";

function line(...parts: SeriesPart[]): Series {
  return { itemid: "1", t: [], min: [], avg: [], max: [], count: [], last: null, parts };
}

const history = { source: "history", from: 0, to: 9 } as const;
const trends = { source: "trends", from: 0, to: 9 } as const;

describe("what a chart was read from", () => {
  it("is shown for all its lines", () => {
    expect(sourcesOf([line()])).toBeUndefined();
    expect(sourcesOf([line(), line(history)])?.name).toBe("History");
    expect(sourcesOf([line(trends), line(trends)])?.name).toBe("Trends");
    expect(sourcesOf([line(trends), line(history)])?.name).toBe("Trends, history");
  });

  it("names the time where trends end, if it is one", () => {
    const joined = line({ ...trends, to: 3599 }, { ...history, from: 3600 });
    const expected = `trends, history from ${formatDateTime(3600)}`;
    expect(sourcesOf([joined, joined, line(history)])?.detail).toBe(expected);
    const other = line({ ...trends, to: 7199 }, { ...history, from: 7200 });
    expect(sourcesOf([joined, other])?.detail).toBe("Auto: by the storage periods of each item");
  });
});
