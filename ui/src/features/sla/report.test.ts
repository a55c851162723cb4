import { expect, test } from "vitest";
import { cellOf, percent, periodName } from "./report";

const indicator = (sli: number) => ({ uptime: 1, downtime: 1, sli, error_budget: 0 });

test("an indicator is never rounded up to the objective", () => {
  expect([100, 99.99999, 99.95, 50, 0].map(percent)).toEqual([
    "100 %",
    "99.9999 %",
    "99.95 %",
    "50.0 %",
    "0 %",
  ]);
  expect(cellOf(indicator(99.9), 99.9).isKept).toBe(true);
  expect(cellOf(indicator(99.8999), 99.9).isKept).toBe(false);
  expect(cellOf(indicator(-1), 99.9).share).toBeUndefined();
});

test("periods are named in the zone of the agreement", () => {
  // the last of December, 22:00 in Universal Time, is January in Riga
  const from = Date.UTC(2025, 11, 31, 22) / 1000;
  expect(periodName(from, from + 31 * 86_400, "2", "Europe/Riga")).toBe("2026-01");
  expect(periodName(from, from + 86_400, "0", "Europe/Riga")).toBe("2026-01-01");
  expect(periodName(from, from + 7 * 86_400, "1", "Europe/Riga")).toBe("2026-01-01 – 2026-01-07");
  expect(periodName(from, from + 365 * 86_400, "4", "Europe/Riga")).toBe("2026");
});
