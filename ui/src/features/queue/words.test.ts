import { expect, test } from "vitest";
import { className, duration, percent, weight } from "./words";

const CLASSES = [5, 10, 30, 60, 300, 600];

test("columns of the overview have the names of Zabbix's", () => {
  expect(CLASSES.map((_, at) => className(CLASSES, at))).toEqual([
    "5 seconds",
    "10 seconds",
    "30 seconds",
    "1 minute",
    "5 minutes",
    "More than 10 minutes",
  ]);
  expect(CLASSES.map((_, at) => weight(CLASSES, at))).toEqual([
    "some",
    "some",
    "more",
    "more",
    "much",
    "much",
  ]);
});

test("times and shares have the digits that matter", () => {
  expect([0.4213, 12.34, 1340, 8002].map(duration)).toEqual(["0.42 ms", "12 ms", "1.3 s", "8 s"]);
  expect(duration(30_400)).toBe("30 s");
  expect([0, 0.0004, 0.0312, 1].map(percent)).toEqual(["0 %", "< 0.1 %", "3.1 %", "100 %"]);
});
