import { describe, expect, it } from "vitest";
import type { Series } from "@/api/types";
import type { BoardHost, BoardProblem } from "@/api/widgets";
import { aggregated } from "../aggregate";
import { cellSize, mixed } from "./honeycomb";
import { availability } from "./hostavail";
import { hostsByGroup } from "./problemhosts";
import { sortedProblems, tagsShown } from "./problems";
import { countsByGroup } from "./problemsbysv";
import { bucketsFor } from "./svggraph";
import { topRows } from "./tophosts";

const group = (groupid: string, name: string) => ({ groupid, name });

function problem(part: Partial<BoardProblem>): BoardProblem {
  return {
    eventid: "1",
    triggerid: "1",
    name: "",
    severity: 2,
    clock: 0,
    end: 0,
    acknowledged: false,
    suppressed: false,
    opdata: "",
    symptom: false,
    tags: [],
    hosts: [{ hostid: "1", name: "web" }],
    groups: [group("2", "Linux")],
    ...part,
  };
}

describe("problems", () => {
  const problems = [
    problem({ eventid: "1", clock: 10, severity: 2, name: "b" }),
    problem({ eventid: "2", clock: 20, severity: 5, name: "a", acknowledged: true }),
    problem({
      eventid: "3",
      clock: 30,
      severity: 2,
      name: "c",
      hosts: [{ hostid: "2", name: "db" }],
      groups: [group("2", "Linux"), group("4", "Databases")],
    }),
  ];
  const order = (sort: number) => sortedProblems(problems, sort).map((it) => it.eventid);

  it("come in the order of Zabbix's codes", () => {
    expect(order(4)).toEqual(["3", "2", "1"]);
    expect(order(3)).toEqual(["1", "2", "3"]);
    expect(order(1)).toEqual(["2", "3", "1"]);
    expect(order(2)).toEqual(["3", "2", "1"]);
    expect(order(15)).toEqual(["2", "1", "3"]);
  });

  it("are counted in every group of their hosts", () => {
    const counts = countsByGroup(problems, []);
    expect(counts.map((it) => it.name)).toEqual(["Databases", "Linux"]);
    expect(counts[1]?.counts).toEqual({ 2: { all: 2, open: 2 }, 5: { all: 1, open: 0 } });
    expect(countsByGroup(problems, ["4"]).map((it) => it.name)).toEqual(["Databases"]);
  });

  it("count a host once, by its worst", () => {
    expect(hostsByGroup(problems, []).find((it) => it.name === "Linux")).toEqual({
      groupid: "2",
      name: "Linux",
      total: 2,
      hosts: { 2: 1, 5: 1 },
    });
  });

  it("show the tags that matter most", () => {
    const tags = [{ tag: "a" }, { tag: "scope" }, { tag: "b" }];
    expect(tagsShown(tags, ["scope"], 2)).toEqual([{ tag: "scope" }, { tag: "a" }]);
  });
});

describe("hosts", () => {
  const host = (
    ...interfaces: readonly (readonly [type: string, available: string])[]
  ): BoardHost => ({
    hostid: "1",
    name: "",
    status: "0",
    maintenance: false,
    groups: [],
    tags: [],
    latitude: "",
    longitude: "",
    interfaces: interfaces.map(([type, available]) => ({ type, available })),
    activeAvailable: "0",
  });

  it("are as available as their worst interface", () => {
    const hosts = [host(["1", "1"], ["2", "2"]), host(["1", "1"]), host(["2", "0"]), host()];
    expect(availability(hosts, new Set([1, 2]))).toEqual({ available: 1, not: 1, unknown: 1 });
    expect(availability(hosts, new Set([1]))).toEqual({ available: 2, not: 0, unknown: 0 });
  });

  it("are ordered by a column, those without a value last", () => {
    const row = (number: number | undefined) => ({ cells: [{ number }] });
    const rows = [row(1), row(undefined), row(3), row(2)];
    const shown = (isBottom: boolean, lines: number) =>
      topRows(rows, 0, isBottom, lines).map((it) => it.cells[0]?.number);
    expect(shown(false, 2)).toEqual([3, 2]);
    expect(shown(true, 4)).toEqual([1, 2, 3, undefined]);
  });
});

describe("values", () => {
  it("are one number over a time", () => {
    const series: Series = {
      itemid: "1",
      t: [0, 60, 120],
      min: [1, null, 3],
      avg: [2, null, 4],
      max: [3, null, 9],
      count: [2, 0, 2],
      last: 5,
      parts: [],
    };
    const all = [1, 2, 3, 4, 5, 6, 7].map((how) => aggregated(series, how));
    expect(all).toEqual([1, 9, 3, 4, 12, 2, 5]);
    expect(aggregated(undefined, 3)).toBeUndefined();
  });

  it("stand in cells that all fit", () => {
    const { columns, size } = cellSize(50, 400, 200);
    const rows = Math.ceil(50 / columns);
    expect(size * (columns + 0.5)).toBeLessThanOrEqual(400.001);
    expect((size / (Math.sqrt(3) / 2)) * (1 + (rows - 1) * 0.75)).toBeLessThanOrEqual(200.001);
    expect(mixed("#000000", "#ffffff", 0.5)).toBe("#808080");
  });

  it("share their answers among charts of about one width", () => {
    expect(bucketsFor(610)).toBe(bucketsFor(590));
    expect(bucketsFor(10)).toBe(60);
  });
});
