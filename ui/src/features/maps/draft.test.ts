import { describe, expect, it } from "vitest";
import type { MapDraft } from "@/api/maps";
import {
  alignElements,
  begin,
  changeTo,
  cloneOf,
  EMPTY,
  faultOf,
  linkElements,
  moveParts,
  newElement,
  newId,
  newLine,
  newShape,
  redo,
  removeParts,
  snapAll,
  undo,
} from "./draft";

function mapOf(...places: readonly (readonly [number, number])[]): MapDraft {
  let draft: MapDraft = { ...EMPTY, name: "m" };
  for (const [x, y] of places) {
    const added = newElement(draft, 4, { icon: "7", at: { x, y } });
    draft = { ...draft, selements: [...draft.selements, added] };
  }
  return draft;
}

const ids = (draft: MapDraft) => draft.selements.map(({ selementid }) => selementid);
const places = (draft: MapDraft) => draft.selements.map(({ x, y }) => [Number(x), Number(y)]);
const boxOf = ({ x, y }: { readonly x: string; readonly y: string }) => ({
  x: Number(x),
  y: Number(y),
  width: 20,
  height: 20,
});

describe("a draft of a map", () => {
  it("gives each new element an id of its own", () => {
    const draft = mapOf([0, 0], [1, 1], [2, 2]);
    expect(new Set(ids(draft)).size).toBe(3);
    expect(ids(draft)).not.toContain(newId(draft));
  });

  it("links the first with the others, and loses links with their ends", () => {
    const draft = mapOf([0, 0], [1, 1], [2, 2]);
    const [hub = "", one = "", other = ""] = ids(draft);
    const linked = linkElements(draft, [hub, one, other]);
    expect(linked.links.map((it) => [it.selementid1, it.selementid2])).toEqual([
      [hub, one],
      [hub, other],
    ]);
    expect(removeParts(linked, [`e:${one}`])).toMatchObject({
      links: [{ selementid2: other }],
      selements: [{ selementid: hub }, { selementid: other }],
    });
    expect(removeParts(linked, ["l:0"]).links).toHaveLength(1);
    expect(removeParts(linked, [`e:${hub}`]).links).toEqual([]);
    expect(linkElements(draft, [])).toBe(draft);
  });

  it("moves parts within the map, freely or on the grid", () => {
    const draft = {
      ...mapOf([12, 30]),
      shapes: [newShape("0", { x: 0, y: 0 })],
      lines: [newLine({ x: 10, y: 10 })],
    };
    const [id = ""] = ids(draft);
    const moved = moveParts(draft, [`e:${id}`, "s:0", "n:0"], { x: 5, y: -90 });
    expect(places(moved)).toEqual([[17, 0]]);
    expect(moved.shapes[0]).toMatchObject({ x: "5", y: "0" });
    expect(moved.lines[0]).toMatchObject({ x1: "15", x2: "215", y1: "0" });
    expect(places(moveParts(draft, [`e:${id}`], { x: 30, y: 0 }, true))).toEqual([[50, 50]]);
    expect(places(moveParts(draft, [`e:${id}`], { x: 5000, y: 5000 }))).toEqual([[1000, 700]]);
    expect(places(snapAll(mapOf([26, 74], [99, 101])))).toEqual([
      [50, 50],
      [100, 100],
    ]);
  });

  it("brings elements in line and spreads them", () => {
    const draft = mapOf([0, 0], [30, 50], [200, 20]);
    const all = ids(draft);
    const aligned = (how: Parameters<typeof alignElements>[2]) =>
      places(alignElements(draft, all, how, boxOf));
    expect(aligned("left").map(([x]) => x)).toEqual([0, 0, 0]);
    expect(aligned("right").map(([x]) => x)).toEqual([200, 200, 200]);
    expect(aligned("middle").map(([, y]) => y)).toEqual([25, 25, 25]);
    expect(aligned("row").map(([x]) => x)).toEqual([0, 100, 200]);
    expect(aligned("column").map(([, y]) => y)).toEqual([0, 50, 25]);
    expect(alignElements(draft, all.slice(0, 1), "left", boxOf)).toBe(draft);
  });

  it("goes back and forth, and forgets what was undone by a new change", () => {
    const [first, second, third] = [mapOf(), mapOf([0, 0]), mapOf([1, 1])];
    let history = changeTo(changeTo(begin(first), second), third);
    expect(changeTo(history, third)).toBe(history);
    history = undo(undo(history));
    expect(history.now).toBe(first);
    expect(undo(history)).toBe(history);
    expect(redo(history).now).toBe(second);
    history = changeTo(history, third);
    expect(redo(history)).toBe(history);
  });

  it("reports missing fields with their places", () => {
    expect(faultOf(EMPTY)).toEqual({ key: undefined, what: "name" });
    expect(faultOf({ ...mapOf(), width: "0" })?.what).toBe("size");
    const draft = mapOf([0, 0], [1, 1]);
    const [one = "", other = ""] = ids(draft);
    expect(faultOf(draft)).toBeUndefined();
    const added = newElement(draft, 0, { icon: "7", at: { x: 0, y: 0 } });
    expect(faultOf({ ...draft, selements: [added] })?.what).toBe("target");
    const linked = linkElements(draft, [one, other]);
    const [link] = linked.links;
    if (link === undefined) throw new Error("no link");
    expect(faultOf({ ...linked, links: [{ ...link, color: "green" }] })).toEqual({
      key: "l:0",
      what: "color",
    });
  });

  it("is copied with parts of its own", () => {
    const draft = {
      ...mapOf([0, 0]),
      shapes: [{ ...newShape("1", { x: 0, y: 0 }), sysmap_shapeid: "5" }],
    };
    const copy = cloneOf(draft, "copy");
    expect(copy.name).toBe("copy");
    expect(copy.shapes[0]).not.toHaveProperty("sysmap_shapeid");
  });
});
