import { describe, expect, it } from "vitest";
import type { BoardItem } from "@/api/widgets";
import { bandsOf, dataSets, fitsPattern, looksOf, overridden, shiftOf } from "./datasets";
import { Fields } from "./fields";

const of = (values: Readonly<Record<string, string>>) =>
  new Fields(Object.entries(values).map(([name, value]) => ({ type: "1", name, value })));

const item = (itemid: string, name: string): BoardItem => ({
  itemid,
  hostid: "1",
  host: "web",
  technical: "web",
  name,
  key: name,
  units: "%",
  valueType: 0,
  value: "1",
  previous: "0",
  clock: 1,
  description: "",
  mappings: [],
  tags: [],
  error: "",
  isTemplate: false,
});

describe("data sets", () => {
  it("are lists of items with their colours, or patterns with one", () => {
    const sets = dataSets(
      of({
        "ds.0.dataset_type": "0",
        "ds.0.itemids.0": "11",
        "ds.0.itemids.1": "12",
        "ds.0.color.0": "FF0000",
        "ds.0.color.1": "00FF00",
        "ds.1.items.0": "FS *: Used",
        "ds.1.hosts.0": "web*",
        "ds.1.color": "0000FF",
        "ds.1.axisy": "1",
        "ds.1.type": "2",
        "ds.2.dataset_type": "0",
        "ds.2.itemids.0._reference": "DBFDE._itemid",
      }),
    );
    expect(sets.map((it) => it.byPattern)).toEqual([false, true, false]);
    expect(sets[2]?.sources).toEqual(["DBFDE"]);
    const [list, patterns] = sets;
    if (list === undefined || patterns === undefined) throw new Error("sets are missing");
    const colors = looksOf(list, [item("11", "a"), item("12", "b")], 0).map((it) => it.color);
    expect(colors).toEqual(["#FF0000", "#00FF00"]);
    const looks = looksOf(patterns, [item("21", "FS /: Used"), item("22", "FS /var: Used")], 2);
    expect(looks[0]).toMatchObject({
      color: "#0000FF",
      draw: "stairs",
      right: true,
      name: "web: FS /: Used",
    });
    expect(looks[1]?.color).not.toBe(looks[0]?.color);
  });

  it("of 6.0 are read as well", () => {
    const [set] = dataSets(
      of({ "ds.items.0.0": "CPU*", "ds.hosts.0.0": "web", "ds.color.0": "FF0000" }),
    );
    expect(set?.byPattern).toBe(true);
    expect(set?.items).toEqual(["CPU*"]);
    expect(set === undefined ? [] : looksOf(set, [item("1", "CPU")], 0)[0]?.color).toBe("#FF0000");
  });

  it("have patterns in which only the asterisk means something", () => {
    expect(fitsPattern("FS [/]: Used (GB)", ["FS [*]: Used (GB)"])).toBe(true);
    expect(fitsPattern("FS /: Used", ["FS"])).toBe(false);
    expect(fitsPattern("CPU", ["mem*", "cpu"])).toBe(true);
  });

  it("are moved in time, and single lines changed", () => {
    expect(shiftOf("-1h")).toBe(-3600);
    expect(shiftOf("soon")).toBe(0);
    const [set] = dataSets(of({ "ds.0.items.0": "*", "ds.0.timeshift": "-1d" }));
    const cpu = item("1", "CPU");
    const looks = set === undefined ? [] : looksOf(set, [cpu], 0);
    expect(looks[0]).toMatchObject({ shift: 86_400, name: "web: CPU (-1d)" });
    const changed = overridden(looks, new Map([["1", cpu]]), [
      of({ "items.0": "C*", color: "123456", type: "3" }),
    ]);
    expect(changed[0]).toMatchObject({ color: "#123456", draw: "bars" });
    expect(
      overridden(looks, new Map([["1", cpu]]), [of({ "items.0": "mem", color: "123456" })]),
    ).toEqual(looks);
  });

  it("have two more lines, which the legend leaves out, where all values are shown", () => {
    const [set] = dataSets(of({ "ds.0.items.0": "*", "ds.0.approximation": "7" }));
    const looks = set === undefined ? [] : looksOf(set, [item("1", "CPU")], 0);
    expect(bandsOf(looks).map(({ value, unnamed }) => [value, unnamed === true])).toEqual([
      ["max", true],
      ["min", true],
      ["avg", false],
    ]);
  });
});
