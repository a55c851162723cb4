import { afterEach, describe, expect, it } from "vitest";
import {
  formatAge,
  formatDateTime,
  formatWhen,
  parseTime,
  resolveRange,
  setShownZone,
  shiftRange,
  toRange,
  widenRange,
  zoneShown,
} from "./time";

// 2026-11-20 14:30:15 UTC, a Friday; the tests run in UTC
const NOW = Date.UTC(2026, 10, 20, 14, 30, 15) / 1000;
const at = (text: string) => Date.parse(`${text}Z`) / 1000;

describe("time expressions", () => {
  it.each([
    ["now", NOW],
    ["now-1h", NOW - 3600],
    ["now-90", NOW - 90],
    ["now-1d+2h", NOW - 86_400 + 7200],
    ["now/d", at("2026-11-20T00:00:00")],
    ["now-1d/d", at("2026-11-19T00:00:00")],
    ["now/w", at("2026-11-16T00:00:00")],
    ["now/M", at("2026-11-01T00:00:00")],
    ["2026-11-19 08:15", at("2026-11-19T08:15:00")],
    ["2026-11-19 08:15:30", at("2026-11-19T08:15:30")],
    ["2026-11-19", at("2026-11-19T00:00:00")],
    ["1700000000", 1_700_000_000],
  ])("%s is read", (text, seconds) => {
    expect(parseTime(text, NOW)).toBe(seconds);
  });

  it("rounds up at the end of a range", () => {
    expect(parseTime("now/d", NOW, true)).toBe(at("2026-11-21T00:00:00"));
  });

  it.each(["", "yesterday", "now-", "now-1x", "2026-11", "-5"])("%j is refused", (text) => {
    expect(parseTime(text, NOW)).toBeUndefined();
  });
});

describe("ranges", () => {
  it("follow the clock when they end now", () => {
    const range = resolveRange({ from: "now-1h", to: "now" }, NOW);
    expect(range).toEqual({ from: NOW - 3600, to: NOW, live: true });
  });

  it("are usable whatever is written", () => {
    expect(resolveRange({ from: "x", to: "y" }, NOW).to).toBe(NOW);
    expect(resolveRange({ from: "now", to: "now-1h" }, NOW)).toEqual({
      from: NOW - 7200,
      to: NOW - 3600,
      live: false,
    });
  });

  it("move by half of their width and widen around their middle", () => {
    const range = { from: NOW - 7200, to: NOW - 3600, live: false };
    expect(shiftRange(range, -1)).toEqual(toRange(NOW - 9000, NOW - 5400));
    expect(widenRange(range, NOW)).toEqual(toRange(NOW - 9000, NOW - 1800));
    expect(widenRange({ from: NOW - 3600, to: NOW, live: true }, NOW)).toEqual(
      toRange(NOW - 7200, NOW),
    );
  });
});

describe("times for people", () => {
  it("shows the clock alone for today", () => {
    expect(formatWhen(NOW - 60, NOW)).toBe("14:29:15");
    expect(formatWhen(NOW - 86_400, NOW)).toBe("2026-11-19 14:30:15");
    expect(formatDateTime(NOW)).toBe("2026-11-20 14:30:15");
  });

  it("writes ages in two parts", () => {
    expect(formatAge(0)).toBe("0s");
    expect(formatAge(125)).toBe("2m 5s");
    expect(formatAge(86_400 * 3 + 4000)).toBe("3d 1h");
    expect(formatAge(3605)).toBe("1h");
    expect(formatAge(-5)).toBe("0s");
  });
});

describe("the zone that a user chose", () => {
  afterEach(() => setShownZone("default"));

  it("is that of all times that are shown and typed", () => {
    const at = Date.UTC(2026, 6, 1, 22, 30, 5) / 1000;
    setShownZone("Asia/Tokyo");
    expect(formatDateTime(at)).toBe("2026-07-02 07:30:05");
    expect(formatWhen(at, at + 60)).toBe("07:30:05");
    expect(parseTime("2026-07-02 07:30:05", at)).toBe(at);
    expect(parseTime("now/d", at)).toBe(Date.UTC(2026, 6, 1, 15) / 1000);
    expect(parseTime("now/d", at, true)).toBe(Date.UTC(2026, 6, 2, 15) / 1000);
    setShownZone("America/New_York");
    expect(formatDateTime(at)).toBe("2026-07-01 18:30:05");
    setShownZone("Nowhere/At_all");
    expect(zoneShown()).toBeUndefined();
  });
});
