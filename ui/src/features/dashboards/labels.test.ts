import { describe, expect, it } from "vitest";
import type { BoardItem } from "@/api/widgets";
import { labelText } from "./labels";
import { itemText, valueParts } from "./value";

const ITEM: BoardItem = {
  itemid: "7",
  hostid: "3",
  host: "Web 1",
  technical: "web-1",
  name: "Cluster node [db-2]: Status",
  key: "node[db-2]",
  units: "B",
  valueType: 3,
  value: "1536",
  previous: "1024",
  clock: 1,
  description: "",
  mappings: [],
  tags: [],
  error: "",
  isTemplate: false,
};

describe("labels", () => {
  it("have macros of the item and its host", () => {
    expect(labelText("{HOST.NAME}: {ITEM.KEY}", ITEM)).toBe("Web 1: node[db-2]");
    expect(labelText("{ITEM.LASTVALUE}, {$MACRO} {OTHER}", ITEM)).toBe("1.5 KB, {$MACRO} {OTHER}");
  });

  it("have functions of macros", () => {
    const node = '{{ITEM.NAME}.regsub("Cluster node \\[(.*)]: Status","\\1")}';
    expect(labelText(node, ITEM)).toBe("db-2");
    expect(labelText('{{ITEM.NAME}.regsub("^none", "\\1")}!', ITEM)).toBe("!");
    expect(labelText("{{ITEM.LASTVALUE}.fmtnum(2)}", ITEM)).toBe("1536");
    expect(labelText('{{ITEM.NAME}.iregsub("STATUS", "S")}', ITEM)).toBe("S");
    expect(labelText('{{ITEM.NAME}.regsub("(", "\\1")}', ITEM)).toContain("regsub");
  });

  it("show values by units and value maps", () => {
    expect(itemText(ITEM)).toBe("1.5 KB");
    expect(itemText({ ...ITEM, clock: 0 })).toBe("");
    const mappings = [{ type: "0", value: "1536", newvalue: "up" }];
    expect(itemText({ ...ITEM, mappings })).toBe("up (1536)");
    expect(valueParts(ITEM, undefined, 2)).toEqual({ number: "1.5", units: "KB" });
    expect(valueParts(ITEM, "%", 0)).toEqual({ number: "1536", units: "%" });
    expect(valueParts({ ...ITEM, units: "" }, undefined, 0)).toEqual({ number: "1536", units: "" });
  });
});
