import { describe, expect, it } from "vitest";
import type { LatestRow } from "@/api/latest-columns";
import type { Series } from "@/api/types";
import { componentsOf } from "./components";
import { columnTitle, entityTables, macrosIn, rankOf } from "./entities";
import { availabilityCells, availabilityItem, CELLS, problemCells, upShare } from "./strip";

function row(itemid: string, name: string, key: string, tags: LatestRow["tags"] = []): LatestRow {
  return {
    itemid,
    hostid: "1",
    host: "web01",
    name,
    key,
    units: "",
    valueType: 3,
    interval: "30s",
    tags,
    live: { clock: 0, value: "", previous: "", state: 0, error: "", text: "" },
  };
}

describe("discovered entities", () => {
  it("are distinguished by the values of their macros", () => {
    const found = macrosIn("net.if.in[{#IFNAME},{#MODE}]", "net.if.in[eth0.10,bytes]");
    expect([...(found ?? [])]).toEqual([
      ["#IFNAME", "eth0.10"],
      ["#MODE", "bytes"],
    ]);
    const made = macrosIn('Disk {{#DEV}.regsub("sd(.)", "\\1")}: reads', "Disk a: reads");
    expect(made?.get("#DEV")).toBe("a");
    expect(macrosIn("Disk {#DEV}: reads", "Disk a: writes")).toBeUndefined();
  });

  it("have columns by what prototypes say of them", () => {
    expect(columnTitle("Interface {#IFNAME}({#IFALIAS}): Bits received")).toBe("Bits received");
    expect(columnTitle("FS [{#FSNAME}]: Space: Used, in %")).toBe("Space: Used, in %");
    expect(columnTitle("CPU utilization of {#CPU}")).toBe("CPU utilization");
    expect(columnTitle("{#NAME}")).toBe("{#NAME}");
    expect(columnTitle("Uptime")).toBe("Uptime");
    const titles = ["Speed", "Inbound packets with errors", "Bits sent", "Operational status"];
    const sorted = [...titles, "Bits received"].sort((a, b) => rankOf(a) - rankOf(b));
    expect(sorted).toEqual([
      "Operational status",
      "Bits received",
      "Bits sent",
      "Inbound packets with errors",
      "Speed",
    ]);
  });

  it("are rows of their rule, named by it", () => {
    const prototype = (itemid: string, name: string, key: string) => ({
      itemid,
      name,
      key,
      ruleid: "9",
      rule: "Interfaces",
    });
    const item = (itemid: string, name: string, key: string, prototypeid: string) => ({
      itemid,
      name,
      key,
      prototypeid,
    });
    const [table, ...others] = entityTables({
      prototypes: [
        prototype("1", "Interface {#IFNAME}({#IFALIAS}): Bits received", "in[{#INDEX}]"),
        prototype("2", "Interface {#IFNAME}({#IFALIAS}): Operational status", "st[{#INDEX}]"),
        prototype("3", "Nothing was made of {#INDEX}", "x[{#INDEX}]"),
      ],
      items: [
        item("11", "Interface eth10(): Bits received", "in[10]", "1"),
        item("12", "Interface eth2(uplink): Bits received", "in[2]", "1"),
        item("13", "Interface eth2(uplink): Operational status", "st[2]", "2"),
      ],
    });
    expect(others).toEqual([]);
    expect(table?.columns.map(({ title }) => title)).toEqual([
      "Operational status",
      "Bits received",
    ]);
    expect(table?.rows.map(({ name, cells }) => [name, [...cells.values()]])).toEqual([
      ["eth2 (uplink)", ["12", "13"]],
      ["eth10", ["11"]],
    ]);
  });

  it("are called by their keys where names say nothing", () => {
    const [table] = entityTables({
      prototypes: [{ itemid: "1", name: "Load", key: "l[{#CPU}]", ruleid: "9", rule: "CPUs" }],
      items: [{ itemid: "11", name: "Load", key: "l[3]", prototypeid: "1" }],
    });
    expect(table?.rows[0]?.name).toBe("3");
  });
});

describe("the availability of a host", () => {
  const series = (values: readonly (number | null)[]): Series => ({
    itemid: "1",
    t: values.map((_, at) => at * 10),
    min: values,
    avg: values,
    max: values,
    count: values.map(() => 1),
    last: null,
    parts: [],
  });

  it("comes from a ping, else from the server's own state", () => {
    const known = row("1", "Available", "zabbix[host,agent,available]");
    expect(availabilityItem([row("3", "CPU", "cpu"), known])?.itemid).toBe("1");
    expect(availabilityItem([known, row("2", "Ping", "icmpping[,5]")])?.itemid).toBe("2");
    expect(availabilityItem([row("3", "CPU", "cpu")])).toBeUndefined();
    const available = availabilityItem([known]);
    expect([1, 2, 1.25].map((it) => available?.upOf(it))).toEqual([1, 0, 0.75]);
  });

  it("is a cell for each part of the time, and a share of what is known", () => {
    const ping = { upOf: (average: number) => average };
    const cells = availabilityCells(series([1, 0, 0.5, null]), ping, 0, CELLS * 10);
    expect(cells.slice(0, 4).map((it) => it.state)).toEqual(["up", "down", "partly", "unknown"]);
    expect(cells).toHaveLength(CELLS);
    expect(upShare(cells)).toBe(0.5);
    expect(upShare(availabilityCells(undefined, ping, 0, 100))).toBeUndefined();
  });

  it("holds between values, not where they stopped coming", () => {
    const t = [0, 30, 60, 90, 120, 600, 630];
    const slow: Series = { ...series(t.map((it) => (it === 30 ? 0 : 1))), t };
    const cells = availabilityCells(slow, { upOf: (average) => average }, 0, CELLS * 10);
    const states = cells.map((it) => it.state);
    expect(states.slice(0, 7)).toEqual(["up", "up", "up", "down", "down", "down", "up"]);
    expect(states.slice(13, 60)).toEqual(Array.from({ length: 47 }, () => "unknown"));
    expect(states[60]).toBe("up");
  });

  it("has the worst problem of each time", () => {
    const span = { triggerid: "1", name: "Down", severity: 5 };
    const cells = problemCells(
      [
        { ...span, from: 0, to: 15 },
        { ...span, name: "Slow", severity: 2, from: 12, to: 25 },
      ],
      0,
      CELLS * 10,
    );
    expect(cells.slice(0, 4).map((it) => it.severity)).toEqual([5, 5, 2, undefined]);
    expect(cells[1]?.names).toEqual(["Down", "Slow"]);
  });
});

describe("items by component", () => {
  it("are those without a table", () => {
    const rows = [
      row("1", "Load 10", "load", [["component", "cpu"]]),
      row("2", "Load 2", "load", [["component", "cpu"]]),
      row("3", "Memory used", "mem"),
      row("4", "eth0", "if"),
    ];
    const found = componentsOf(rows, new Set(["4"]));
    expect(found.map(({ name, rows: of }) => [name, of.map((it) => it.itemid)])).toEqual([
      ["cpu", ["2", "1"]],
      ["Memory", ["3"]],
    ]);
  });
});
