import { describe, expect, it } from "vitest";
import {
  checkColor,
  checkPercent,
  draftOfGraph,
  fieldsOfGraph,
  isGraphComplete,
  newLine,
  previewOf,
} from "./draft";
import { drawsGraphs, readGraphs, writeGraphs } from "./search";

const fresh = () => {
  const fields = fieldsOfGraph(undefined);
  return { ...fields, name: " Load ", lines: [newLine("7", "normal", [])] };
};

describe("a graph while it is edited", () => {
  it("needs a name and an item", () => {
    expect(isGraphComplete(fieldsOfGraph(undefined))).toBe(false);
    expect(isGraphComplete(fresh())).toBe(true);
    expect(isGraphComplete({ ...fresh(), lines: [] })).toBe(false);
    expect(isGraphComplete({ ...fresh(), min: { type: "2", value: "0", itemid: "" } })).toBe(false);
    expect(isGraphComplete({ ...fresh(), percentLeft: "101" })).toBe(false);
    expect(checkColor("1A7C1G").ok).toBe(false);
    expect(checkPercent("").ok).toBe(false);
  });

  it("sends what its kind uses", () => {
    const draft = draftOfGraph({ ...fresh(), max: { type: "1", value: "50", itemid: "" } }, false);
    expect(draft).toMatchObject({
      name: "Load",
      graphtype: "0",
      ymin_type: "0",
      ymax_type: "1",
      yaxismax: "50",
      gitems: [{ itemid: "7", sortorder: "0", calc_fnc: "2", color: "0072B2" }],
    });
    expect(draft).not.toHaveProperty("yaxismin");
    expect(draft).not.toHaveProperty("discover");
    expect(draft.gitems?.[0]).not.toHaveProperty("key");
    const pie = draftOfGraph({ ...fresh(), kind: "pie", percentLeft: "95", isSolid: true }, true);
    expect(pie).toMatchObject({ graphtype: "2", percent_left: "0", show_3d: "1", discover: "0" });
  });

  it("gives new items colors of their own, as long as there are some", () => {
    const lines = [newLine("1", "normal", [])];
    for (let id = 2; id <= 9; id += 1) lines.push(newLine(String(id), "normal", lines));
    expect(new Set(lines.slice(0, 8).map((it) => it.color)).size).toBe(8);
    expect(lines[8]?.color).toMatch(/^[0-9A-F]{6}$/);
    expect(newLine("1", "exploded", []).calc_fnc).toBe("9");
  });

  it("is the same again when it was read", () => {
    const preview = previewOf({ ...fresh(), hasLegend: false });
    const again = fieldsOfGraph(preview);
    expect(again.hasLegend).toBe(false);
    expect(again.lines.map(({ key: _, ...line }) => line)).toEqual(
      fresh().lines.map(({ key: _, ...line }) => line),
    );
  });
});

describe("the list of graphs", () => {
  it("draws what was looked for, and lists everything else", () => {
    expect(drawsGraphs(readGraphs({}))).toBe(false);
    expect(drawsGraphs(readGraphs({ hosts: "5" }))).toBe(true);
    expect(drawsGraphs(readGraphs({ hosts: "5", show: "list" }))).toBe(false);
    const search = { q: "cpu", hosts: "5,6", groups: "7", show: "list" };
    expect(writeGraphs(readGraphs(search))).toEqual(search);
    expect(writeGraphs(readGraphs({ show: "x", hosts: "a" }))).toEqual({});
  });
});
