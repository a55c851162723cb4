import { expect, test } from "vitest";
import type { ServiceRow } from "@/api/services";
import { treeLines } from "./tree";

function row(serviceid: string, parents: readonly string[], status = "-1"): ServiceRow {
  return {
    serviceid,
    name: `service ${serviceid}`,
    status,
    sortorder: "0",
    readonly: false,
    created_at: "0",
    parents: parents.map((it) => ({ serviceid: it })),
    tags: [{ tag: "team", value: serviceid }],
    problem_events: [],
  };
}

const ALL = { text: "", onlyProblems: false };
// 9 is out of view: services below it are at the top
const SERVICES = [row("1", []), row("2", ["1"]), row("3", ["1", "2"], "4"), row("4", ["9"], "2")];

function paths(folded: readonly string[], filter = ALL): readonly string[] {
  return treeLines(SERVICES, new Set(folded), filter).map(({ path }) => path);
}

test("a service stands below each of its parents", () => {
  expect(paths([])).toEqual(["1", "1/2", "1/2/3", "1/3", "4"]);
});

test("what is folded hides what is below it, in this place alone", () => {
  expect(paths(["1/2"])).toEqual(["1", "1/2", "1/3", "4"]);
  expect(paths(["1"])).toEqual(["1", "4"]);
});

test("a filter gives a flat list, the worst first", () => {
  expect(paths(["1"], { text: "", onlyProblems: true })).toEqual(["3", "4"]);
  expect(paths([], { text: "team: 2", onlyProblems: false })).toEqual(["2"]);
});
