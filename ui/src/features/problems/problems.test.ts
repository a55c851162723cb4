import { describe, expect, it } from "vitest";
import { type ProblemRow, ProblemTable } from "@/api/problem-table";
import { toSeverity } from "@/lib/severity";
import { formatDateTime } from "@/lib/time";
import { EMPTY_DRAFT, toAcknowledgement } from "./acknowledge-dialog";
import { applyFilter } from "./apply";
import { DEFAULT_FILTER, type ProblemFilter, readFilter, writeFilter } from "./filter";
import { listLayout } from "./layout";
import { rangeAround } from "./range";
import { timelineLines, timelineSection } from "./timeline";
import { problemTree } from "./tree";

const NOW = Date.UTC(2026, 10, 20, 14, 30, 0) / 1000;

function row(change: Partial<ProblemRow> & { readonly eventid: string }): ProblemRow {
  return {
    objectid: "1",
    clock: NOW,
    severity: 0,
    name: "",
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

const FRA: ProblemRow["tags"] = [["site", "fra"]];
const BER: ProblemRow["tags"] = [
  ["site", "ber"],
  ["role", "web"],
];
const WEB01 = { hostid: "101", host: "web01" };
const WEB02 = { hostid: "102", host: "web02" };
const WEB10 = { hostid: "103", host: "web10" };
const [DISK, LOAD, DOWN] = ["Disk full", "High load", "Agent down"];

function table(firstHost = WEB01): ProblemTable {
  return ProblemTable.of(
    [
      row({
        eventid: "1",
        clock: NOW - 60,
        severity: 4,
        name: DISK,
        opdata: "92 %",
        tags: FRA,
        ...firstHost,
      }),
      row({
        eventid: "2",
        clock: NOW - 7200,
        severity: 2,
        name: LOAD,
        acknowledged: true,
        tags: BER,
        ...WEB02,
      }),
      row({
        eventid: "3",
        clock: NOW - 90_000,
        severity: 5,
        name: DOWN,
        rClock: NOW - 80_000,
        tags: FRA,
        manualClose: true,
        ...WEB01,
      }),
      row({
        eventid: "4",
        clock: NOW - 30,
        severity: 2,
        name: LOAD,
        rClock: NOW - 10,
        tags: BER,
        ...WEB10,
      }),
      row({
        eventid: "5",
        clock: NOW - 500,
        severity: 1,
        name: DISK,
        suppressed: true,
        tags: FRA,
        ...WEB02,
      }),
    ],
    7,
  );
}

function ids(change: Partial<ProblemFilter>): string[] {
  const problems = table();
  const { positions } = applyFilter(problems, { ...DEFAULT_FILTER, ...change }, NOW);
  return Array.from(positions, (at) => problems.id(at) ?? "");
}

describe("filters and order of problems", () => {
  it("show open and just resolved problems, newest first, without suppressed ones", () => {
    expect(ids({})).toEqual(["4", "1", "2"]);
  });

  it.each<[Partial<ProblemFilter>, string[]]>([
    [{ status: "open" }, ["1", "2"]],
    [{ status: "resolved" }, ["4", "3"]],
    [{ suppressed: true }, ["4", "1", "5", "2"]],
    [{ ack: "yes" }, ["2"]],
    [{ ack: "no", status: "open" }, ["1"]],
    [{ severities: [4] }, ["1"]],
    [{ hostids: ["101"] }, ["1"]],
    [{ tags: [["site", "ber"]] }, ["4", "2"]],
    [{ tags: [["role", ""]] }, ["4", "2"]],
    [{ text: "LOAD web02" }, ["2"]],
    [{ text: "92" }, ["1"]],
    [{ ageMax: 100 }, ["4", "1"]],
    [{ sort: "severity", descending: true }, ["1", "4", "2"]],
    [{ sort: "host", descending: false }, ["1", "2", "4"]],
    [{ sort: "name", descending: true, suppressed: true }, ["4", "2", "1", "5"]],
    [{ sort: "time", descending: false }, ["2", "1", "4"]],
  ])("%j", (change, expected) => {
    expect(ids(change)).toEqual(expected);
  });

  it("of one second follow their event ids, whatever was removed before", () => {
    const problems = table();
    const first = problems.byId("1");
    if (first === undefined) throw new Error("row 1 is in the table");
    for (const eventid of ["30", "10", "20"]) problems.upsert({ ...first, eventid });
    problems.remove("2");
    const { positions } = applyFilter(problems, DEFAULT_FILTER, NOW);
    expect(Array.from(positions, (at) => problems.id(at))).toEqual(["4", "30", "20", "10", "1"]);
  });

  it("count each severity of what the other filters let through", () => {
    const { bySeverity } = applyFilter(table(), { ...DEFAULT_FILTER, severities: [4] }, NOW);
    expect(bySeverity).toEqual([0, 0, 2, 0, 1, 0]);
  });
});

describe("filters in the address", () => {
  it("leave out what is as usual", () => {
    expect(writeFilter(DEFAULT_FILTER)).toEqual({});
  });

  it("come back as they were", () => {
    const filter: ProblemFilter = {
      severities: [2, 5],
      text: "disk full",
      status: "open",
      ack: "no",
      suppressed: true,
      groupids: ["4"],
      hostids: ["101", "102"],
      tags: [
        ["site", "fra,1:x"],
        ["role", ""],
      ],
      ageMax: 3600,
      sort: "severity",
      descending: false,
      timeline: false,
      grouping: "host" as const,
    };
    expect(readFilter(writeFilter(filter))).toEqual(filter);
  });

  it.each(["host", "group", "severity", "name", "tag:site", "tag:a,b: c"] as const)(
    "keep what problems are grouped by: %s",
    (grouping) => {
      expect(readFilter(writeFilter({ ...DEFAULT_FILTER, grouping }))).toEqual({
        ...DEFAULT_FILTER,
        grouping,
      });
    },
  );

  it.each(["tag:", "colour", ""])("group by nothing where %j stands there", (by) => {
    expect(readFilter({ by }).grouping).toBeUndefined();
  });

  it("are read whatever stands there", () => {
    const filter = readFilter({
      sev: "9,x,3",
      status: "never",
      age: "-5",
      sort: "-colour",
      tags: "%",
    });
    expect(filter).toEqual({ ...DEFAULT_FILTER, severities: [3], tags: [["%", ""]] });
  });
});

describe("deltas", () => {
  it("add, change and remove rows", () => {
    const problems = table();
    const first = problems.byId("1");
    if (first === undefined) throw new Error("row 1 is in the table");
    problems.upsert({ ...first, acknowledged: true });
    problems.upsert({ ...first, eventid: "9", name: "New" });
    problems.remove("2");
    problems.remove("9");
    problems.remove("404");
    expect(problems.size).toBe(4);
    expect(problems.byId("1")?.acknowledged).toBe(true);
    expect(problems.byId("2")).toBeUndefined();
    expect(problems.byId("5")?.name).toBe("Disk full");
    for (const id of ["1", "3", "4", "5"]) {
      expect(problems.row(problems.position(id) ?? -1)?.eventid).toBe(id);
    }
  });
});

describe("timeline", () => {
  it.each([
    [0, "14:00"],
    [3600 * 14, "00:00"],
    [3600 * 15, "Yesterday"],
    [86_400 * 3, "17 November"],
    [86_400 * 30, "October"],
    [86_400 * 400, "October 2025"],
  ])("%i seconds ago belong to %j", (age, section) => {
    const found = timelineSection(NOW - age, NOW);
    expect(found.title).toBe(section);
    expect(found.from).toBeLessThanOrEqual(NOW - age);
    expect(found.to).toBeGreaterThan(NOW - age);
  });

  it("puts a separator before each section", () => {
    const problems = table();
    const { lines, sections } = timelineLines(problems, [3, 0, 1, 2], NOW);
    const title = (at: number) => {
      const section = sections[at];
      return section?.kind === "time" ? timelineSection(section.clock, NOW).title : undefined;
    };
    expect(Array.from(lines, (it) => (it < 0 ? title(-it - 1) : problems.id(it)))).toEqual([
      "14:00",
      "4",
      "1",
      "12:00",
      "2",
      "Yesterday",
      "3",
    ]);
  });
});

describe("acknowledgement", () => {
  it("is nothing when nothing would change", () => {
    expect(toAcknowledgement({ ...EMPTY_DRAFT, message: "  " }, ["1"], 1000)).toBeUndefined();
  });

  it("adds up the bits of what is done", () => {
    const all = {
      ...EMPTY_DRAFT,
      message: "on it",
      acknowledgement: "acknowledge",
      severity: "5",
      suppression: "for",
      period: "2h",
      rank: "symptom",
      cause: "9",
    } as const;
    expect(toAcknowledgement(all, ["1", "2"], 1000)).toEqual({
      eventids: ["1", "2"],
      action: 14 + 32 + 256,
      message: "on it",
      severity: 5,
      suppress_until: 8200,
      cause_eventid: "9",
    });
    const one = (change: Partial<typeof EMPTY_DRAFT>) =>
      toAcknowledgement({ ...EMPTY_DRAFT, ...change }, ["1"], 1000);
    const eventids = ["1"];
    expect(one({ acknowledgement: "unacknowledge" })).toEqual({ eventids, action: 16 });
    expect(one({ suppression: "forever" })).toEqual({ eventids, action: 32, suppress_until: 0 });
    expect(one({ suppression: "unsuppress", rank: "cause" })).toEqual({ eventids, action: 192 });
    expect(one({ suppression: "forever", close: true })).toEqual({ eventids, action: 1 });
    expect(one({ suppression: "unsuppress", close: true })).toEqual({ eventids, action: 1 });
  });

  it("is no call while something of it is missing", () => {
    const one = (change: Partial<typeof EMPTY_DRAFT>) =>
      toAcknowledgement({ ...EMPTY_DRAFT, ...change }, ["1"], 1000);
    expect(one({ rank: "symptom" })).toBeUndefined();
    expect(one({ suppression: "for", period: "soon" })).toBeUndefined();
    expect(one({ suppression: "for", period: "" })).toBeUndefined();
  });
});

describe("symptoms", () => {
  const family = ProblemTable.of([
    row({ eventid: "1", clock: NOW - 7200 }),
    row({ eventid: "2", clock: NOW - 60, cause: "1" }),
    row({ eventid: "3", clock: NOW - 30, cause: "1" }),
    row({ eventid: "4", clock: NOW - 20, cause: "99" }),
  ]);
  const all = [3, 2, 1, 0];

  it("are folded away below a cause that is in the list", () => {
    const folded = problemTree(family, all, new Set());
    expect(folded.positions).toEqual([3, 0]);
    expect([...folded.symptoms]).toEqual([[1, 2]]);
    const unfolded = problemTree(family, all, new Set(["1"]));
    expect(unfolded.positions).toEqual([3, 0, 2, 1]);
    expect([...unfolded.nested]).toEqual([2, 1]);
  });

  it("stand by themselves where the filter leaves their cause out", () => {
    const tree = problemTree(family, [3, 2, 1], new Set());
    expect(tree.positions).toEqual([3, 2, 1]);
    expect(tree.symptoms.size).toBe(0);
  });

  it("begin no section of the timeline", () => {
    const { positions, nested } = problemTree(family, [2, 1, 0], new Set(["1"]));
    const { lines, sections } = timelineLines(family, positions, NOW, nested);
    expect([...lines]).toEqual([-1, 0, 2, 1]);
    expect(sections).toHaveLength(1);
  });
});

describe("100,000 problems", () => {
  it("are filtered and ordered within the time of a few frames", () => {
    const n = 100_000;
    const big = ProblemTable.of(
      Array.from({ length: n }, (_, at) =>
        row({
          eventid: String(at),
          clock: NOW - ((at * 7919) % 1_000_000),
          severity: toSeverity(at % 6),
          name: `Problem ${at % 500}`,
          hostid: String(at % 10_000),
          host: `host${at % 10_000}`,
        }),
      ),
    );
    const started = process.cpuUsage();
    const filter = { ...DEFAULT_FILTER, text: "problem 4", severities: [3, 4, 5] as const };
    const { positions } = applyFilter(big, filter, NOW);
    const used = process.cpuUsage(started);
    expect(positions.length).toBeGreaterThan(5000);
    // some 30 ms when warm; the first run also compiles
    expect((used.user + used.system) / 1000).toBeLessThan(500);
  });
});

describe("many changes", () => {
  it("do not leave texts behind that no problem has any more", () => {
    const problems = table();
    const first = problems.byId("1");
    if (first === undefined) throw new Error("row 1 is in the table");
    for (let n = 0; n < 30_000; n += 1) problems.upsert({ ...first, opdata: `${n} %` });
    expect(problems.opdatas.entries.length).toBeLessThan(10_100);
    expect(problems.byId("1")?.opdata).toBe("29999 %");
    expect(problems.byId("2")).toMatchObject({ opdata: "", name: LOAD, tags: BER });
    problems.upsert({ ...first, opdata: "29998 %" });
    expect(problems.byId("1")?.opdata).toBe("29998 %");
  });
});

describe("columns of the list", () => {
  it("give hosts the room that their names need, within bounds", () => {
    const widths = (host: string, narrow: boolean) =>
      listLayout(table({ hostid: "104", host }), [-1, 1], NOW, narrow).host;
    expect(widths("web01", false)).toBe("minmax(90px, 90px)");
    expect(widths("bench-host-0001.example", false)).toBe("minmax(90px, 184px)");
    expect(widths("x".repeat(200), false)).toBe("minmax(90px, 230px)");
    expect(widths("x".repeat(200), true)).toBe("minmax(90px, 150px)");
  });

  it("show dates only if one is not of today, and tags only if there are any", () => {
    const problems = table();
    const first = problems.byId("1");
    if (first === undefined) throw new Error("row 1 is in the table");
    problems.upsert({ ...first, tags: [] });
    expect(listLayout(problems, [1], NOW, false)).toMatchObject({ time: "96px", hasTags: false });
    expect(listLayout(problems, [1, 3], NOW, false)).toMatchObject({
      time: "162px",
      hasTags: true,
    });
  });
});

describe("graphs of a problem", () => {
  const at = (seconds: number) => formatDateTime(seconds);

  it.each([
    ["just begun", NOW - 600, 0, "now-1h", "now"],
    ["open for two hours", NOW - 7200, 0, at(NOW - 7200 - 2160), "now"],
    ["open for months", NOW - 9e6, 0, "now-7d", "now"],
    ["short and over", NOW - 9000, NOW - 8940, at(NOW - 9900), at(NOW - 8040)],
    ["over just now", NOW - 9000, NOW - 5, at(NOW - 9000 - 2698), at(NOW)],
  ])("show what led to it and what came of it: %s", (_, clock, rClock, from, to) => {
    expect(rangeAround(clock, rClock, NOW)).toEqual({ from, to });
  });
});

describe("host groups as a filter", () => {
  it("admit the hosts of any of them, and none while they are not known", () => {
    const table = ProblemTable.of([
      row({ eventid: "1" }),
      row({ eventid: "2", ...WEB02 }),
      row({ eventid: "3", hostid: "103", host: "db01" }),
    ]);
    const groups = new Map([
      ["7", new Set(["101"])],
      ["8", new Set(["102"])],
    ]);
    const ids = (groupids: readonly string[], known: ReadonlyMap<string, ReadonlySet<string>>) =>
      Array.from(applyFilter(table, { ...DEFAULT_FILTER, groupids }, NOW, known).positions, (at) =>
        table.id(at),
      ).sort();
    expect(ids([], groups)).toEqual(["1", "2", "3"]);
    expect(ids(["7"], groups)).toEqual(["1"]);
    expect(ids(["7", "8"], groups)).toEqual(["1", "2"]);
    expect(ids(["7"], new Map())).toEqual([]);
  });
});
