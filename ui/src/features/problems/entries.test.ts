import { expect, it } from "vitest";
import { type ProblemRow, ProblemTable } from "@/api/problem-table";
import { Entries } from "./entries";

function problem(eventid: number, change: Partial<ProblemRow> = {}): ProblemRow {
  return {
    eventid: String(eventid),
    objectid: "7",
    clock: 1000,
    severity: 3,
    name: "Disk is full",
    hostid: "10",
    host: "web",
    acknowledged: false,
    suppressed: false,
    flapping: false,
    rClock: 0,
    opdata: "",
    tags: [["site", "fra"]],
    manualClose: false,
    cause: "0",
    ...change,
  };
}

it("an entry is the same object until its problem says something else", () => {
  const table = ProblemTable.of([problem(1), problem(2)]);
  const entries = new Entries();
  const [first, second] = [entries.problem(table, 1), entries.problem(table, 2)];
  table.upsert(problem(2, { acknowledged: true }));
  table.takeOpdata([["1", "90 %"]]);
  table.upsert(problem(3));
  const third = entries.problem(table, 3);
  expect(entries.problem(table, 1)).toMatchObject({ kind: "problem", row: { opdata: "90 %" } });
  expect(entries.problem(table, 1)).not.toBe(first);
  expect(entries.problem(table, 2)).not.toBe(second);
  table.remove("1");
  // the last row has another position then
  expect(entries.problem(table, 3)).toBe(third);
  expect(entries.problem(table, 1)).toBeUndefined();
  // another snapshot, the same problem
  expect(entries.problem(ProblemTable.of([problem(3)]), 3)).toMatchObject({ kind: "problem" });
});

it("entries of sections are those of the answer that they came with", () => {
  const entries = new Entries();
  const section = { kind: "time", clock: 5, folded: false } as const;
  expect(entries.section(section, 1)).toBe(entries.section(section, 1));
  expect(entries.section({ ...section }, 1)).not.toBe(entries.section(section, 1));
});
