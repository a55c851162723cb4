import { describe, expect, it } from "vitest";
import type { Shift } from "@/api/oncall";
import {
  barsOf,
  colorsOf,
  joined,
  personText,
  rangeOf,
  rowsOf,
  shiftsFrom,
  spanText,
  stepped,
} from "./calendar";

const RIGA = "Europe/Riga";
const at = (text: string) => Date.parse(text) / 1000;

function shift(userid: string, from: number, till: number, more: Partial<Shift> = {}): Shift {
  return {
    userid,
    username: `user${userid}`,
    name: "",
    surname: "",
    time_from: String(from),
    time_till: String(till),
    rotation: "1",
    override: "0",
    ...more,
  };
}

describe("the calendar", () => {
  it("has a row a day of the week, from Monday on in the zone shown", () => {
    // Monday already in Riga, Sunday still in UTC
    const rows = rowsOf(at("2026-11-22T23:00:00Z"), "week", RIGA);
    expect(rows).toHaveLength(7);
    expect(rangeOf(rows)).toEqual([at("2026-11-22T22:00:00Z"), at("2026-11-29T22:00:00Z")]);
    expect(rangeOf(rowsOf(at("2026-11-22T23:00:00Z"), "week", "UTC"))[0]).toBe(
      at("2026-11-16T00:00:00Z"),
    );
  });

  it("has a row a week of the month, whole weeks, over a change of the clock too", () => {
    const rows = rowsOf(at("2026-10-15T12:00:00Z"), "month", RIGA);
    expect(rows.map(({ days }) => days.length)).toEqual([8, 8, 8, 8, 8]);
    // 28 September until 2 November, of which one day has 25 hours
    expect(rangeOf(rows)).toEqual([at("2026-09-27T21:00:00Z"), at("2026-11-01T22:00:00Z")]);
    for (const [n, row] of rows.entries()) {
      expect(row.days.at(-1)).toBe(rows[n + 1]?.days[0] ?? at("2026-11-01T22:00:00Z"));
    }
  });

  it("goes on by weeks and months and comes back", () => {
    const may = at("2026-05-31T10:00:00Z");
    expect(spanText(stepped(may, "month", RIGA, 1), may, RIGA)).toMatch(/^2026-06-01 00:00/);
    expect(spanText(stepped(may, "week", RIGA, -1), may, RIGA)).toMatch(/^2026-05-24 00:00/);
  });

  it("draws of a shift what lies in the row, and nobody not at all", () => {
    const [monday] = rowsOf(at("2026-11-23T12:00:00Z"), "week", "UTC");
    const midnight = at("2026-11-23T00:00:00Z");
    if (monday === undefined) throw new Error("a week has days");
    const bars = barsOf(monday, [
      shift("1", midnight - 3600, midnight + 6 * 3600),
      shift("0", midnight + 6 * 3600, midnight + 12 * 3600),
      shift("2", midnight + 12 * 3600, midnight + 48 * 3600),
      shift("3", midnight + 24 * 3600, midnight + 48 * 3600),
    ]);
    expect(bars.map(({ shift: { userid }, left, width }) => [userid, left, width])).toEqual([
      ["1", 0, 25],
      ["2", 50, 50],
    ]);
  });

  it("joins neighbours of one user and layer, not those of others", () => {
    const shifts = [
      shift("1", 0, 10),
      shift("1", 10, 20),
      shift("1", 20, 30, { override: "1", rotation: "0" }),
      shift("2", 30, 40),
    ];
    expect(joined(shifts).map((it) => [it.userid, it.time_from, it.time_till])).toEqual([
      ["1", "0", "20"],
      ["1", "20", "30"],
      ["2", "30", "40"],
    ]);
  });

  it("knows who is on call and who comes next", () => {
    const shifts = [shift("1", 0, 10), shift("2", 10, 20)];
    const [who] = shifts;
    if (who === undefined) throw new Error("there are two");
    const onCall = { oncallid: "7", name: "", timezone: "UTC", now: who, shifts };
    expect(shiftsFrom(9, onCall).map(({ userid }) => userid)).toEqual(["1", "2"]);
    expect(shiftsFrom(10, onCall).map(({ userid }) => userid)).toEqual(["2"]);
    expect(shiftsFrom(10, undefined)).toEqual([]);
  });

  it("names people and times, and keeps a user's colour", () => {
    expect(personText(shift("0", 0, 1))).toBe("nobody");
    expect(personText(shift("1", 0, 1))).toBe("user1");
    expect(personText(shift("1", 0, 1, { name: "Ada", surname: "Lovelace" }))).toBe("Ada Lovelace");
    const from = at("2026-11-23T07:00:00Z");
    expect(spanText(from, from + 3600, RIGA)).toBe("2026-11-23 09:00 – 10:00");
    expect(spanText(from, from + 86_400, RIGA)).toBe("2026-11-23 09:00 – 2026-11-24 09:00");
    expect([...colorsOf(["5", "3", "5", "4"])]).toEqual([
      ["5", 0],
      ["3", 1],
      ["4", 2],
    ]);
  });
});
