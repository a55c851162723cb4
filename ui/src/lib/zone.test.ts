import { describe, expect, it } from "vitest";
import {
  dateIn,
  isZone,
  midnightOf,
  minuteIn,
  momentOf,
  monthOf,
  offsetName,
  parseIn,
  wallOf,
  weekdayOf,
  zoneLabel,
} from "./zone";

const RIGA = "Europe/Riga";
const at = (text: string) => Date.parse(text) / 1000;

describe("the wall of a zone", () => {
  it("is read and written in the zone, whatever the browser's", () => {
    expect(minuteIn(at("2026-01-05T07:00:00Z"), RIGA)).toBe("2026-01-05 09:00");
    expect(parseIn("2026-01-05 09:00", RIGA)).toBe(at("2026-01-05T07:00:00Z"));
    expect(parseIn("2026-07-05 09:00:30", RIGA)).toBe(at("2026-07-05T06:00:30Z"));
    expect(parseIn("2026-07-05", "UTC")).toBe(at("2026-07-05T00:00:00Z"));
    for (const wrong of ["", "2026-13-01", "2026-02-30", "2026-01-01 24:00", "tomorrow"]) {
      expect(parseIn(wrong, RIGA), wrong).toBeUndefined();
    }
  });

  it("jumps: a time left out is the jump, one that comes twice is the first", () => {
    // 29 March: 03:00 to 04:00; 25 October: 04:00 back to 03:00
    expect(parseIn("2026-03-29 03:30", RIGA)).toBe(at("2026-03-29T01:00:00Z"));
    expect(parseIn("2026-10-25 03:30", RIGA)).toBe(at("2026-10-25T00:30:00Z"));
    expect(parseIn("2026-10-25 04:00", RIGA)).toBe(at("2026-10-25T02:00:00Z"));
    // Samoa had no 30 December 2011
    expect(parseIn("2011-12-30 12:00", "Pacific/Apia")).toBe(at("2011-12-30T10:00:00Z"));
  });

  it("has days of 23, 24 and 25 hours", () => {
    const hours = (day: string) => {
      const from = midnightOf(at(day), RIGA);
      return (midnightOf(from, RIGA, 1) - from) / 3600;
    };
    expect([
      hours("2026-03-29T12:00Z"),
      hours("2026-03-30T12:00Z"),
      hours("2026-10-25T12:00Z"),
    ]).toEqual([23, 24, 25]);
  });

  it("goes over the ends of months and years", () => {
    const december = at("2026-12-31T12:00:00Z");
    expect(dateIn(midnightOf(december, RIGA, 1), RIGA)).toBe("2027-01-01");
    expect(dateIn(monthOf(december, RIGA, 2), RIGA)).toBe("2027-02-01");
    expect(dateIn(monthOf(december, RIGA, -12), RIGA)).toBe("2025-12-01");
    expect(weekdayOf(december, RIGA)).toBe(3);
    // late in the evening it is the next day already further east
    expect(weekdayOf(at("2026-12-31T23:00:00Z"), RIGA)).toBe(4);
  });

  it("finds each moment of a year again by its wall, but the hour that comes twice", () => {
    for (const zone of [RIGA, "Asia/Kolkata"]) {
      const from = at("2026-01-01T00:00:00Z");
      let off = 0;
      for (let hour = 0; hour < 366 * 24; hour += 1) {
        const moment = from + hour * 3600;
        if (momentOf(wallOf(moment, zone), zone) !== moment) off += 1;
      }
      expect(off, zone).toBe(zone === "Asia/Kolkata" ? 0 : 1);
    }
  });

  it("knows what a zone is", () => {
    expect([isZone("Europe/Riga"), isZone("UTC"), isZone("Mars")]).toEqual([true, true, false]);
  });
});

describe("the name of a zone", () => {
  it.each([
    ["UTC", "2026-01-05T07:00:00Z", "UTC", "UTC"],
    [RIGA, "2026-01-05T07:00:00Z", "UTC+2", "Europe/Riga (UTC+2)"],
    [RIGA, "2026-07-05T07:00:00Z", "UTC+3", "Europe/Riga (UTC+3)"],
    ["Asia/Kolkata", "2026-01-05T07:00:00Z", "UTC+5:30", "Asia/Kolkata (UTC+5:30)"],
    ["America/St_Johns", "2026-01-05T07:00:00Z", "UTC−3:30", "America/St_Johns (UTC−3:30)"],
  ])("%s at %s is %s", (zone, moment, offset, label) => {
    expect(offsetName(at(moment), zone)).toBe(offset);
    expect(zoneLabel(at(moment), zone)).toBe(label);
  });
});
