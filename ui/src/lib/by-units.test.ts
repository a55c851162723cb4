import { expect, it } from "vitest";
import { byUnits } from "./by-units";

it("numbers of one unit are drawn together, and texts not at all", () => {
  const item = (itemid: string, units: string, valueType: number) => ({
    itemid,
    name: itemid,
    units,
    valueType,
  });
  const charts = byUnits([
    item("1", "%", 0),
    item("2", "B", 3),
    item("3", "%", 3),
    item("4", "", 4),
  ]);
  expect(charts.map((it) => it.map(({ itemid }) => itemid))).toEqual([["1", "3"], ["2"]]);
});
