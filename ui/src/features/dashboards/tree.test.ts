import { describe, expect, it } from "vitest";
import { grouped } from "./tree";

describe("rows under headings", () => {
  it("stand under each value, those without last", () => {
    const rows = [
      { id: 1, tags: ["b", "a"], kind: "x" },
      { id: 2, tags: [], kind: "x" },
      { id: 3, tags: ["a"], kind: "y" },
    ];
    const nodes = grouped(
      rows,
      [
        { attribute: 3, tag: "t" },
        { attribute: 1, tag: "" },
      ],
      (row, { attribute }) => (attribute === 3 ? row.tags : [row.kind]),
    );
    const names = nodes.map((it) => ("leaf" in it ? "leaf" : `${it.name}:${it.count}`));
    expect(names).toEqual(["a:2", "b:1", ":1"]);
    const [first] = nodes;
    const inner = first !== undefined && !("leaf" in first) ? first.nodes : [];
    expect(inner.map((it) => ("leaf" in it ? "leaf" : it.name))).toEqual(["x", "y"]);
    expect(grouped(rows, [], () => [])).toHaveLength(3);
  });
});
