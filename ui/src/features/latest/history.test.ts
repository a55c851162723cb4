import { describe, expect, it } from "vitest";
import type { StoredValue } from "@/api/history";
import type { ValuedItem } from "@/api/types";
import { historyCsv, historyItems, historySearch, instantText, valueRows } from "./history";

const item = (itemid: string, valueType: number, units = ""): ValuedItem => ({
  itemid,
  hostid: "1",
  host: "web",
  name: `Item ${itemid}`,
  key: "k",
  units,
  valueType,
  lastvalue: "",
  lastclock: 0,
  state: "0",
  error: "",
});

const value = (itemid: string, text: string, part: Partial<StoredValue> = {}): StoredValue => ({
  itemid,
  clock: 60,
  ns: 0,
  value: text,
  source: "",
  severity: "0",
  logeventid: "0",
  timestamp: 0,
  ...part,
});

describe("a table of values", () => {
  it("has its items in the address, each once", () => {
    expect(historyItems(historySearch(["7", "3", "7"]))).toEqual(["7", "3"]);
    expect(historyItems({ items: "x" })).toEqual([]);
  });

  it("searches numbers by what is shown of them; texts were searched by the server", () => {
    const items = [item("1", 0, "B"), item("2", 4)];
    const values = [value("1", "2048"), value("1", "5"), value("2", "a line"), value("9", "x")];
    const texts = (part: string) => valueRows(values, items, part).map((it) => it.text);
    expect(texts("")).toEqual(["2 KB", "5 B", "a line"]);
    expect(texts("kb")).toEqual(["2 KB", "a line"]);
    expect(texts("2048")).toEqual(["2 KB", "a line"]);
    expect(new Set(valueRows(values, items, "").map((it) => it.key)).size).toBe(3);
  });

  it("shows milliseconds where there are any", () => {
    expect(instantText({ clock: 60, ns: 0 })).toBe("1970-01-01 00:01:00");
    expect(instantText({ clock: 60, ns: 7_900_000 })).toBe("1970-01-01 00:01:00.007");
  });

  it("is written as it is stored, log lines with what the log says", () => {
    const rows = valueRows(
      [value("2", "=1+1", { severity: "4", source: "app", timestamp: 61, logeventid: "17" })],
      [item("2", 4)],
      "",
    );
    expect(historyCsv(rows, true)[1]).toBe(
      '"1970-01-01 00:01:00","web","Item 2","\'=1+1","1970-01-01 00:01:01","Error","app","17"\r\n',
    );
    expect(historyCsv(rows, false)[0]).toBe('"Time","Host","Item","Value"\r\n');
  });
});
