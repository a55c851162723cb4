import { expect, test } from "vitest";
import { ACKNOWLEDGE as DO } from "@/api/events";
import { type ProblemRow, ProblemTable } from "@/api/problem-table";
import { announcementOf, newProblems } from "./announce";
import { csvOf } from "./export";
import { previewOf } from "./preview";
import { undoOf } from "./undo";

const NOW = Date.UTC(2026, 10, 20, 14, 30, 0) / 1000;

function row(eventid: string, change: Partial<ProblemRow> = {}): ProblemRow {
  return {
    eventid,
    objectid: "1",
    clock: NOW - 60,
    severity: 3,
    name: "Disk full",
    hostid: "101",
    host: "web01",
    acknowledged: false,
    suppressed: false,
    flapping: false,
    rClock: 0,
    opdata: "",
    tags: [],
    manualClose: false,
    cause: "0",
    ...change,
  };
}

test("an update is taken back as each problem was before", () => {
  const rows = [
    row("1"),
    row("2", { acknowledged: true, severity: 2 }),
    row("3", { severity: 4 }),
    row("4"),
  ];
  const eventids = rows.map((it) => it.eventid);
  const update = { eventids, action: DO.acknowledge | DO.severity, severity: 4 };
  expect(undoOf(rows, update)).toEqual({
    isPartial: false,
    calls: [
      { eventids: ["1", "4"], action: DO.unacknowledge | DO.severity, severity: 3 },
      { eventids: ["2"], action: DO.severity, severity: 2 },
      { eventids: ["3"], action: DO.unacknowledge },
    ],
  });
  expect(undoOf(rows, { eventids, action: DO.unacknowledge }).calls).toEqual([
    { eventids: ["2"], action: DO.acknowledge },
  ]);
});

test("what cannot be taken back is said to stay", () => {
  const rows = [row("1"), row("2", { suppressed: true })];
  const eventids = ["1", "2"];
  expect(undoOf(rows, { eventids, action: DO.suppress, suppress_until: 0 })).toEqual({
    isPartial: true,
    calls: [{ eventids: ["1"], action: DO.unsuppress }],
  });
  expect(undoOf(rows, { eventids, action: DO.unsuppress })).toEqual({ isPartial: true, calls: [] });
  const closed = { eventids, action: DO.close | DO.acknowledge };
  expect(undoOf(rows, closed)).toEqual({ isPartial: true, calls: [] });
  const said = undoOf(rows, { eventids, action: DO.message | DO.acknowledge, message: "x" });
  expect(said.isPartial).toBe(true);
  expect(said.calls).toEqual([{ eventids, action: DO.unacknowledge }]);
});

test("ranks come back to the cause that there was", () => {
  const rows = [row("1"), row("2", { cause: "9" }), row("3", { cause: "7" })];
  const eventids = ["1", "2", "3"];
  expect(undoOf(rows, { eventids, action: DO.symptom, cause_eventid: "9" }).calls).toEqual([
    { eventids: ["1"], action: DO.cause },
    { eventids: ["3"], action: DO.symptom, cause_eventid: "7" },
  ]);
  expect(undoOf(rows, { eventids, action: DO.cause }).calls).toEqual([
    { eventids: ["2"], action: DO.symptom, cause_eventid: "9" },
    { eventids: ["3"], action: DO.symptom, cause_eventid: "7" },
  ]);
});

test("symptoms that move along with their cause come back to it, after it is a cause again", () => {
  const rows = [row("1"), row("2", { cause: "8" })];
  const symptoms = [row("3", { cause: "1" }), row("4", { cause: "1" })];
  const update = { eventids: ["1", "2"], action: DO.symptom | DO.acknowledge, cause_eventid: "9" };
  expect(undoOf(rows, update, symptoms).calls).toEqual([
    { eventids: ["1"], action: DO.cause | DO.unacknowledge },
    { eventids: ["2"], action: DO.symptom | DO.unacknowledge, cause_eventid: "8" },
    { eventids: ["3", "4"], action: DO.symptom, cause_eventid: "1" },
  ]);
  // they move with ranks only
  expect(undoOf(rows, { eventids: ["1", "2"], action: DO.acknowledge }, symptoms).calls).toEqual([
    { eventids: ["1", "2"], action: DO.unacknowledge },
  ]);
});

test("the preview has the changes, and their numbers by severity and host", () => {
  const hosts = ["a", "b", "b", "c", "d", "e", "f"];
  const rows = hosts.map((host, at) =>
    row(String(at + 1), { host, acknowledged: at === 0, severity: at < 2 ? 5 : 2 }),
  );
  const eventids = rows.map((it) => it.eventid);
  const update = { eventids, action: DO.acknowledge | DO.severity | DO.message, severity: 5 };
  expect(previewOf(rows, update)).toEqual({
    changes: [
      "Acknowledged: 6 problems, 1 unchanged",
      "Severity Disaster: 5 problems, 2 unchanged",
      "Message added: 7 problems",
    ],
    bySeverity: [
      [5, 2],
      [2, 5],
    ],
    byHost: [
      ["b", 2],
      ["a", 1],
      ["c", 1],
      ["d", 1],
      ["e", 1],
    ],
    otherHosts: 1,
  });
});

test("the export has all rows of the list, with texts that are no formulas", () => {
  const tags = [["site", "fra"] as const, ["x", ""] as const];
  const table = ProblemTable.of([
    row("1", { name: '=HYPERLINK("x")', tags: tags.map(([tag, value]) => [tag, value]) }),
    row("2", { rClock: NOW - 30, acknowledged: true, cause: "1" }),
  ]);
  const lines = csvOf(table, [1, 404, 2], NOW);
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatch(/^"Time","Resolved","Severity","Host","Problem"/);
  expect(lines[1]).toContain('"web01","\'=HYPERLINK(""x"")","",60,"no","no","site: fra, x","1",""');
  expect(lines[2]).toContain('"",30,"yes","no","","2","1"');
});

test("only new, open problems from the severity on are announced", () => {
  const table = ProblemTable.of([
    row("5", { severity: 5 }),
    row("6", { severity: 2 }),
    row("7", { severity: 4 }),
    row("8", { severity: 4, rClock: NOW }),
    row("9", { severity: 5, name: "Down" }),
  ]);
  // the filter leaves the last one out
  const found = newProblems(table, [-1, 5, 6, 7, 8, 7], 5, 3);
  expect(found.map((it) => it.eventid)).toEqual(["7"]);
  expect(announcementOf(newProblems(table, [5, 6, 7, 8, 9], 5, 3))).toEqual({
    title: "2 new problems: Disaster",
    body: "web01: Disk full\nweb01: Down",
  });
});
