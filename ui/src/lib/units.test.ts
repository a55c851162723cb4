import { describe, expect, it } from "vitest";
import {
  formatNumber,
  formatSeconds,
  formatTicks,
  formatUptime,
  formatValue,
  tidyNumber,
} from "./units";

describe("values with units", () => {
  it.each([
    [0, "", "0"],
    [0.6251234, "", "0.6251"],
    [12, "", "12"],
    [1234567, "", "1234567"],
    [0.0000123456, "", "0.00001235"],
    [1e18, "", "1e+18"],
    [0, "B", "0 B"],
    [1024, "B", "1 KB"],
    [1536, "B", "1.5 KB"],
    [6_442_450_944, "B", "6 GB"],
    [1_000_000, "bps", "1 Mbps"],
    [1023, "Bps", "1023 Bps"],
    [999, "bps", "999 bps"],
    [-2048, "B", "-2 KB"],
    [99.123456, "%", "99.1235 %"],
    [1500, "ms", "1500 ms"],
    [5000, "rpm", "5000 rpm"],
    [123456, "!B", "123456 B"],
    [90, "s", "1m 30s"],
    [0.0021, "s", "2ms"],
    [576_000, "uptime", "6 days, 16:00:00"],
    [0, "unixtime", "Never"],
    [1_700_000_000, "unixtime", "2023-11-14 22:13:20"],
  ])("%s with %j reads %j", (value, units, text) => {
    expect(formatValue(value, units)).toBe(text);
  });

  it.each([
    [0.3, 0, "0"],
    [-0.3, 0, "0"],
    [0.5, 0, "1"],
    [0.004, 0, "0"],
    [0.004, 1, "0.004"],
    [2.5e-7, -1, "0"],
    [1.25, 500, "1.25"],
    [1.25, Number.NaN, "1"],
  ])("%s with %d places reads %j", (value, decimals, text) => {
    expect(formatNumber(value, decimals)).toBe(text);
  });

  it("takes numbers written as text and leaves other text alone", () => {
    expect(formatValue("1536", "B")).toBe("1.5 KB");
    expect(formatValue("18446744073709551615", "")).toBe("1.8447e+19");
    expect(formatValue("web01", "B")).toBe("web01");
    expect(formatValue("", "B")).toBe("");
  });

  it("shows at most three parts of a time, from the largest that is not zero", () => {
    expect(formatSeconds(0)).toBe("0");
    expect(formatSeconds(0.0004)).toBe("< 1 ms");
    expect(formatSeconds(93_784)).toBe("1d 2h 3m");
    expect(formatSeconds(3600)).toBe("1h");
    expect(formatSeconds(-61.5)).toBe("-1m 1s 500ms");
    expect(formatSeconds(31_536_000 + 5)).toBe("1y");
  });

  it("counts days of uptime in words", () => {
    expect(formatUptime(59)).toBe("00:00:59");
    expect(formatUptime(86_400)).toBe("1 day, 00:00:00");
    expect(formatUptime(-10)).toBe("-00:00:10");
  });
});

it("a computed number is shown without the noise of its last digits", () => {
  expect(tidyNumber("5.0299999999999994")).toBe("5.03");
  expect(tidyNumber("-6.1830357142857135")).toBe("-6.18303571429");
  for (const same of ["0.00123", "18446744073709551615", "1.5e300", "v1.2345678901", ""]) {
    expect(tidyNumber(same)).toBe(same);
  }
});

describe("labels of an axis", () => {
  it("share one prefix and have the decimals that distinguish them", () => {
    expect(formatTicks([0, 0.5, 1], "")).toEqual(["0", "0.5", "1"]);
    expect(formatTicks([0, 2 ** 30, 2 ** 31], "B")).toEqual(["0 GB", "1 GB", "2 GB"]);
    expect(formatTicks([0, 500_000, 1_000_000], "bps")).toEqual(["0 Mbps", "0.5 Mbps", "1 Mbps"]);
    expect(formatTicks([0, 25, 50], "%")).toEqual(["0 %", "25 %", "50 %"]);
  });

  it("are not rounded to what they are not", () => {
    expect(formatTicks([0, 2.5, 5, 7.5, 10], "")).toEqual(["0", "2.5", "5", "7.5", "10"]);
    expect(formatTicks([0, 0.25, 0.5, 0.75, 1], "")).toEqual(["0", "0.25", "0.5", "0.75", "1"]);
    expect(formatTicks([0, 2.5e6, 5e6], "")).toEqual(["0 M", "2.5 M", "5 M"]);
    expect(formatTicks([0, 2 ** 28, 2 ** 30], "B")).toEqual(["0 GB", "0.25 GB", "1 GB"]);
    expect(formatTicks([0, 0.1, 0.2, 0.1 + 0.2], "")).toEqual(["0", "0.1", "0.2", "0.3"]);
    expect(formatTicks([7], "")).toEqual(["7"]);
  });

  it("write times as times", () => {
    expect(formatTicks([0, 60, 120], "s")).toEqual(["0", "1m", "2m"]);
  });
});
