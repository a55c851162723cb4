import { describe, expect, it } from "vitest";
import type { WidgetField } from "@/api/dashboards";
import {
  FIELD,
  Fields,
  followsHost,
  newReference,
  reached,
  sourceOf,
  suffixed,
  tagsOf,
  thresholdsOf,
  withList,
  withOne,
  withRecords,
} from "./fields";

const of = (values: Readonly<Record<string, string>>) =>
  new Fields(Object.entries(values).map(([name, value]) => ({ type: "1", name, value })));

describe("fields of a widget", () => {
  it("are read by their names, with what is usual where they are missing", () => {
    const fields = of({ show_lines: "5", show_timestamp: "0", bg_color: "1E88E5", title: "" });
    expect(fields.number("show_lines", 25)).toBe(5);
    expect(fields.number("columns", 2)).toBe(2);
    expect(fields.flag("show_timestamp", true)).toBe(false);
    expect(fields.flag("show_header", true)).toBe(true);
    expect(fields.color("bg_color")).toBe("#1E88E5");
    expect(fields.color("value_color")).toBeUndefined();
    expect(fields.maybeNumber("title")).toBeUndefined();
  });

  it("are lists by position, and single objects with or without one", () => {
    const fields = of({ "severities.1": "5", "severities.0": "4", "itemid.0": "17", graphid: "8" });
    expect(fields.numbers("severities")).toEqual([4, 5]);
    expect(fields.ids("itemid")).toEqual(["17"]);
    expect(fields.ids("graphid")).toEqual(["8"]);
    expect([...fields.choices("show", [1, 2])]).toEqual([1, 2]);
  });

  it("of 6.0 repeat their name", () => {
    const all: WidgetField[] = [
      { type: "0", name: "severities", value: "3" },
      { type: "0", name: "severities", value: "5" },
    ];
    expect(new Fields(all).numbers("severities")).toEqual([3, 5]);
  });

  it("are records, of 7.0 and of 6.0", () => {
    const now = of({
      "ds.0.items.0": "CPU *",
      "ds.0.items.1": "Load *",
      "ds.0.color.0": "ff0000",
      "ds.2.axisy": "1",
    });
    const [first, second] = now.records("ds");
    expect(now.records("ds")).toHaveLength(2);
    expect(first?.list("items")).toEqual(["CPU *", "Load *"]);
    expect(second?.number("axisy", 0)).toBe(1);
    const old = of({ "ds.items.0.0": "CPU *", "ds.color.0": "ff0000" });
    expect(old.records("ds")[0]?.list("items")).toEqual(["CPU *"]);
    expect(old.records("ds")[0]?.color("color")).toBe("#ff0000");
  });

  it("have thresholds with suffixes, lowest first", () => {
    const thresholds = thresholdsOf(
      of({
        "thresholds.0.threshold": "1K",
        "thresholds.0.color": "FF465C",
        "thresholds.1.threshold": "0",
        "thresholds.1.color": "0EC9AC",
        "thresholds.2.threshold": "much",
        "thresholds.2.color": "0EC9AC",
      }),
    );
    expect(thresholds.map(({ from }) => from)).toEqual([0, 1024]);
    expect(reached(thresholds, 1024)?.color).toBe("#FF465C");
    expect(reached(thresholds, 12)?.color).toBe("#0EC9AC");
    expect(reached(thresholds, -1)).toBeUndefined();
    expect(suffixed("1.5m")).toBe(90);
  });

  it("have tags and sources", () => {
    const fields = of({
      "tags.0.tag": "scope",
      "tags.0.operator": "1",
      "tags.0.value": "availability",
      "itemid._reference": "EFBCE._itemid",
      "override_hostid._reference": "DASHBOARD._hostid",
    });
    expect(tagsOf(fields, "tags")).toEqual([{ tag: "scope", operator: 1, value: "availability" }]);
    expect(sourceOf(fields, "itemid")).toEqual({ reference: "EFBCE", kind: "itemid" });
    expect(fields.ids("itemid")).toEqual([]);
    expect(followsHost(fields)).toBe(true);
    expect(followsHost(of({}))).toBe(false);
  });

  it("are changed without touching others", () => {
    const all = of({ show_lines: "5", show: "1" }).all;
    const one = withOne(all, FIELD.number, "show", "3");
    expect(new Fields(one).number("show", 0)).toBe(3);
    expect(new Fields(one).number("show_lines", 0)).toBe(5);
    expect(withOne(one, FIELD.number, "show", undefined)).toEqual([all[0]]);
    const list = withList(one, FIELD.host, "hostids", ["7", "8"]);
    expect(new Fields(list).ids("hostids")).toEqual(["7", "8"]);
    expect(new Fields(withList(list, FIELD.host, "hostids", [])).ids("hostids")).toEqual([]);
    const records = withRecords(list, "ds", [[{ type: "1", name: "items.0", value: "CPU" }]]);
    expect(new Fields(records).records("ds")[0]?.list("items")).toEqual(["CPU"]);
  });

  it("get a reference of their own", () => {
    expect(newReference(new Set())).toBe("AAAAA");
    expect(newReference(new Set(["AAAAA", "AAAAB"]))).toBe("AAAAC");
  });
});
