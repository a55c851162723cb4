import { describe, expect, it } from "vitest";
import { restSpans } from "./work-period";

const at = (text: string) => Date.parse(`${text}:00Z`) / 1000;
const rest = (period: string, from: string, to: string, zone = "UTC") =>
  restSpans(period, at(from), at(to), zone).map((it) =>
    [it.from, it.to].map((s) => new Date(s * 1000).toISOString().slice(0, 16)),
  );

describe("the rest of working time", () => {
  it("is nights and weekends", () => {
    // a Friday to the Monday after
    expect(rest("1-5,09:00-18:00", "2026-11-20T12:00", "2026-11-23T10:00")).toEqual([
      ["2026-11-20T18:00", "2026-11-23T09:00"],
    ]);
    expect(rest("1-5,09:00-18:00;6,10:00-12:30", "2026-11-20T08:00", "2026-11-22T00:00")).toEqual([
      ["2026-11-20T08:00", "2026-11-20T09:00"],
      ["2026-11-20T18:00", "2026-11-21T10:00"],
      ["2026-11-21T12:30", "2026-11-22T00:00"],
    ]);
  });

  it("is that of the shown time zone, over a change of the clock", () => {
    // in Berlin the clock goes back on 25 October
    const spans = rest("1-7,09:00-17:00", "2026-10-24T00:00", "2026-10-26T00:00", "Europe/Berlin");
    expect(spans[1]).toEqual(["2026-10-24T15:00", "2026-10-25T08:00"]);
  });

  it("is nothing around the clock, of a macro, and of a year", () => {
    expect(rest("1-7,00:00-24:00", "2026-11-20T12:00", "2026-11-23T10:00")).toEqual([]);
    expect(rest("{$WORK}", "2026-11-20T12:00", "2026-11-23T10:00")).toEqual([]);
    expect(rest("1-5,09:00-18:00", "2025-11-20T12:00", "2026-11-23T10:00")).toEqual([]);
    expect(rest("", "2026-11-20T12:00", "2026-11-23T10:00")).toEqual([]);
  });
});
