import { describe, expect, it } from "vitest";
import { canJoin, graphItems, graphLines, graphSearch, graphSpecs } from "./graph";

describe("a graph of picked items", () => {
  it("has them in its address, each once, no more than can be drawn", () => {
    expect(graphSearch(new Set(["7", "3"]))).toEqual({ items: "7,3" });
    expect(graphItems({ items: "7,3,x,7" })).toEqual(["7", "3"]);
    const many = Array.from({ length: 300 }, (_, at) => String(at + 1));
    expect(graphItems(graphSearch(many))).toHaveLength(200);
    expect(graphItems({})).toEqual([]);
  });

  it("names lines by their differences", () => {
    const item = (itemid: string, host: string, name: string) => ({
      itemid,
      host,
      name,
      units: "",
    });
    const lines = (...items: ReturnType<typeof item>[]) => {
      const graph = graphLines(items);
      return [graph.title, ...graph.lines.map(({ name }) => name)];
    };
    expect(lines(item("1", "web1", "CPU"), item("2", "web2", "CPU"))).toEqual([
      "CPU",
      "web1",
      "web2",
    ]);
    expect(lines(item("1", "web1", "CPU"), item("2", "web1", "Load"))).toEqual([
      "web1",
      "CPU",
      "Load",
    ]);
    expect(lines(item("1", "web1", "CPU"), item("2", "web2", "Load"))).toEqual([
      "web1: CPU …",
      "web1: CPU",
      "web2: Load",
    ]);
    expect(lines(item("1", "web1", "CPU"))).toEqual(["web1: CPU", "CPU"]);
  });

  it("is one for each kind of units, or one of two with an axis each", () => {
    const item = (itemid: string, units: string, valueType = 0) => ({
      itemid,
      units,
      valueType,
      host: "web1",
      name: `Item ${itemid}`,
    });
    const two = [item("1", "B"), item("2", "%"), item("3", "B"), item("4", "", 4)];
    expect(canJoin(two)).toBe(true);
    expect(graphSpecs(two, false).map(({ lines }) => lines.length)).toEqual([2, 1]);
    const [joined, ...others] = graphSpecs(two, true);
    expect(others).toEqual([]);
    expect(joined?.lines.map(({ axis }) => axis)).toEqual(["left", "left", "right"]);
    const three = [...two, item("5", "s")];
    expect(canJoin(three)).toBe(false);
    expect(graphSpecs(three, true)).toHaveLength(3);
  });
});
