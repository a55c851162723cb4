import { describe, expect, it } from "vitest";
import type { WatchingTrigger } from "@/api/graph-marks";
import type { StoredGraph } from "@/api/graphs";
import type { Series, ValuedItem } from "@/api/types";
import { fileName } from "@/lib/save-file";
import { graphCsv } from "./export";
import { problemSpans } from "./marks";
import { pieOf, slicePath } from "./pie";
import { chartLine, percentile, valueAt } from "./series";
import { linkAt, linkWith } from "./share";
import { type GraphLine, plainSpec, specOf, unitsOf } from "./spec";
import { constantValue, thresholdOf } from "./thresholds";
import { comparisonOf, PLAIN_VIEW, readView, writeView } from "./view";

function series(itemid: string, values: readonly (number | null)[], spread = 0): Series {
  const known = values.filter((it) => it !== null);
  return {
    itemid,
    t: values.map((_, at) => at * 10),
    min: values.map((it) => (it === null ? null : it - spread)),
    avg: values,
    max: values.map((it) => (it === null ? null : it + spread)),
    count: values.map((it) => (it === null ? 0 : 1)),
    last: known.at(-1) ?? null,
    parts: [{ source: "history", from: 0, to: 100 }],
  };
}

const graphLine = (part: Partial<GraphLine>): GraphLine => ({
  itemid: "1",
  name: "a",
  units: "B",
  color: "#112233",
  draw: "line",
  axis: "left",
  calc: "avg",
  isWhole: false,
  ...part,
});

describe("levels of triggers", () => {
  it("are read where one function is held against one constant", () => {
    const at = (expression: string) => thresholdOf(expression)?.constant;
    expect(at("last(/web 1/system.cpu.load[all,avg1])>5")).toBe("5");
    expect(at("min(/web/vfs.fs.size[/,pused],5m) >= 90")).toBe("90");
    expect(at('avg(/web/key["a)b(",x],#3)<{$LOW:"eth(0)"}')).toBe('{$LOW:"eth(0)"}');
    expect(thresholdOf("max(/web/key,1h)<={$LIMIT}")).toEqual({
      operator: "<=",
      constant: "{$LIMIT}",
    });
  });

  it("are none of anything else", () => {
    for (const expression of [
      "last(/a/k)>5 and last(/a/k)<9",
      "last(/a/k)-last(/a/m)>5",
      "nodata(/a/k,5m)=1",
      "last(/a/k)>last(/a/m)",
      "last(/a/k)>{$A}+{$B}",
      "5<last(/a/k)",
      "",
    ]) {
      expect(thresholdOf(expression)).toBeUndefined();
    }
  });

  it("know the suffixes of numbers", () => {
    expect(constantValue("1.5K")).toBe(1536);
    expect(constantValue("-10m")).toBe(-600);
    expect(constantValue("1e3")).toBe(1000);
    expect(constantValue("x")).toBeUndefined();
  });
});

describe("problems of a time", () => {
  const trigger: WatchingTrigger = {
    triggerid: "7",
    name: "High",
    expression: "",
    severity: 4,
    hasProblem: false,
    lastchange: 0,
    itemids: ["1"],
    hostids: ["2"],
  };
  const change = (clock: number, isProblem: boolean) => ({ triggerid: "7", clock, isProblem });
  const spans = (part: Partial<WatchingTrigger>, ...changes: ReturnType<typeof change>[]) =>
    problemSpans([{ ...trigger, ...part }], changes, 100, 200).map(({ from, to }) => [from, to]);

  it("begin and end with their events", () => {
    expect(spans({}, change(120, true), change(150, false), change(180, true))).toEqual([
      [120, 150],
      [180, 200],
    ]);
  });

  it("were there before if they end within the time or behind it", () => {
    expect(spans({}, change(130, false))).toEqual([[100, 130]]);
    expect(spans({}, change(300, false))).toEqual([[100, 200]]);
  });

  it("last as long as nothing happens", () => {
    expect(spans({ hasProblem: true, lastchange: 50 })).toEqual([[100, 200]]);
    expect(spans({ hasProblem: true, lastchange: 250 })).toEqual([]);
    expect(spans({})).toEqual([]);
    expect(spans({}, change(250, true))).toEqual([]);
  });
});

describe("the view of a page", () => {
  it("is the same again when it was written", () => {
    const view = {
      stack: "percent",
      isLogarithmic: true,
      hasBands: true,
      percentile: 95,
      compare: "1w",
      hasMarks: false,
    } as const;
    expect(readView(writeView(view))).toEqual(view);
    expect(comparisonOf(view)).toBe(604_800);
    expect(writeView(PLAIN_VIEW)).toEqual({});
    expect(readView({ stack: "x", pct: "500", compare: "9y" })).toEqual(PLAIN_VIEW);
  });

  it("is shared with its time, or as it follows the clock", () => {
    const href = "http://saker/latest/graph?items=1,2&from=now-1h&to=now&log=1";
    const range = { from: "now-1h", to: "now" };
    const fixed = new URL(linkAt(href, range, 1_800_000_000));
    expect(fixed.searchParams.get("to")).toBe("2027-01-15 08:00:00");
    expect(fixed.searchParams.get("from")).toBe("2027-01-15 07:00:00");
    expect(fixed.searchParams.get("log")).toBe("1");
    const usual = new URL(linkWith("http://saker/graphs", range));
    expect(usual.searchParams.get("from")).toBe("now-1h");
  });
});

describe("lines of a graph", () => {
  it("go through the number that is asked for, with a band of all", () => {
    const of = series("1", [1, null, 3], 1);
    const plain = { hasBand: false, isEarlier: false };
    expect(chartLine(graphLine({ calc: "min" }), of, plain).values).toEqual([0, null, 2]);
    expect(chartLine(graphLine({ calc: "max" }), of, plain).values).toEqual([2, null, 4]);
    expect(chartLine(graphLine({}), of, { ...plain, hasBand: true }).low).toEqual([0, null, 2]);
    expect(valueAt(of, "max", 15)).toBe(2);
    expect(valueAt(of, "avg", -1)).toBeUndefined();
  });

  it("have a percentile: the value that so many are at or below", () => {
    const values = [5, null, 1, 2, 3, 4];
    expect(percentile(values, 50)).toBe(3);
    expect(percentile(values, 95)).toBe(5);
    expect(percentile([], 95)).toBeUndefined();
  });

  it("are written as a table of times", () => {
    const csv = graphCsv(
      [
        { itemid: "1", name: "a" },
        { itemid: "2", name: "b" },
      ],
      new Map([
        ["1", series("1", [1, null], 1)],
        ["2", series("2", [null, 7])],
      ]),
    );
    expect(csv[0]).toContain('"a (min)","a (avg)","a (max)","b (min)"');
    expect(csv[1]).toBe('"1970-01-01 00:00:00",0,1,2,"","",""\r\n');
    expect(csv[2]).toBe('"1970-01-01 00:00:10","","","",7,7,7\r\n');
    expect(csv).toHaveLength(3);
    expect(fileName("web 1: CPU / load", "csv")).toBe("web-1-CPU-load.csv");
    expect(fileName("..//", "png")).toBe("saker.png");
  });

  it("of two units have an axis each", () => {
    const spec = plainSpec("both", [
      { itemid: "1", name: "a", units: "B" },
      { itemid: "2", name: "b", units: "%" },
    ]);
    expect(spec.lines.map((it) => it.axis)).toEqual(["left", "right"]);
    expect(unitsOf(spec, "right")).toBe("%");
  });
});

describe("a configured graph", () => {
  const item = (itemid: string, part: Partial<ValuedItem> = {}): ValuedItem => ({
    itemid,
    hostid: "9",
    host: "web",
    name: `Item ${itemid}`,
    key: "k",
    units: "B",
    valueType: 0,
    lastvalue: "1",
    lastclock: 1,
    state: "0",
    error: "",
    ...part,
  });
  const gitem = {
    drawtype: "0",
    sortorder: "0",
    color: "1A7C11",
    yaxisside: "0",
    calc_fnc: "2",
    type: "0",
  };
  const graph: StoredGraph = {
    graphid: "5",
    name: "Memory",
    width: "900",
    height: "200",
    yaxismin: "0",
    yaxismax: "100",
    templateid: "0",
    show_work_period: "1",
    show_triggers: "1",
    show_legend: "1",
    show_3d: "0",
    percent_left: "95",
    percent_right: "0",
    ymin_type: "1",
    ymax_type: "2",
    ymin_itemid: "0",
    ymax_itemid: "3",
    flags: "0",
    kind: "stacked",
    discover: "0",
    hosts: [],
    gitems: [
      { ...gitem, itemid: "2", sortorder: "1", drawtype: "4", yaxisside: "1", calc_fnc: "7" },
      { ...gitem, itemid: "1" },
      { ...gitem, itemid: "4" },
      { ...gitem, itemid: "6" },
    ],
  };

  it("is drawn as it is kept, without what is gone or no number", () => {
    const spec = specOf(graph, [item("1"), item("2"), item("6", { valueType: 4 })]);
    expect(spec.lines).toEqual([
      graphLine({ name: "Item 1", color: "#1A7C11" }),
      graphLine({
        itemid: "2",
        name: "Item 2",
        color: "#1A7C11",
        draw: "dashed",
        axis: "right",
        calc: "all",
      }),
    ]);
    expect([spec.min, spec.max]).toEqual([{ value: 0 }, { itemid: "3" }]);
    expect([spec.kind, spec.percentLeft]).toEqual(["stacked", 95]);
  });

  it("over several hosts names them", () => {
    const spec = specOf(graph, [item("1"), item("2", { hostid: "8", host: "db" })]);
    expect(spec.lines.map((it) => it.name)).toEqual(["web: Item 1", "db: Item 2"]);
  });
});

describe("a pie", () => {
  const known = new Map([
    ["1", series("1", [1, 3])],
    ["2", series("2", [6])],
    ["3", series("3", [16])],
  ]);

  it("has slices of the sum of its parts", () => {
    const lines = [
      graphLine({}),
      graphLine({ itemid: "2" }),
      graphLine({ itemid: "9", name: "x" }),
    ];
    const pie = pieOf(lines, known);
    expect(pie.slices.map(({ value, share, from }) => [value, share, from])).toEqual([
      [2, 0.25, 0],
      [6, 0.75, 0.25],
    ]);
    expect(pie.absent).toEqual(["x"]);
  });

  it("has a rest where a whole is given", () => {
    const lines = [graphLine({ calc: "last" }), graphLine({ itemid: "3", isWhole: true })];
    expect(pieOf(lines, known).slices.map((it) => it.value)).toEqual([3, 13]);
  });

  it("of one part is round", () => {
    expect(slicePath({ from: 0, share: 1 })).toMatch(/^M0-1A.*Z$/);
    expect(slicePath({ from: 0, share: 0.25 })).toMatch(
      /^M0 0L0.0000 -1.0000A1 1 0 0 1 1.0000 -?0.0000Z$/,
    );
  });
});
