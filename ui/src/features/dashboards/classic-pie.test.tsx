import { cleanup, render } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import type { BoardGraph, BoardItem } from "@/api/widgets";
import { pieOf } from "@/widgets/graph/pie";
import { isPie, pieLines } from "./classic-pie";
import { BoardContext, FrameContext, titleOf, useTitle } from "./context";

afterEach(cleanup);

function item(itemid: string, valueType = 0): BoardItem {
  return { itemid, host: "db", name: `item ${itemid}`, units: "B", valueType } as BoardItem;
}

function graphOf(graphtype: number): BoardGraph {
  const line = { draw: 0, right: false, isWhole: false, calc: "9" };
  return {
    graphid: "1",
    name: "Space utilization",
    host: "db",
    graphtype,
    legend: true,
    min: undefined,
    max: undefined,
    lines: [
      { ...line, itemid: "1", color: "#00AA00" },
      { ...line, itemid: "2", color: "#AA0000", isWhole: true, calc: "2" },
      { ...line, itemid: "3", color: "#0000AA" },
      { ...line, itemid: "4", color: "#0000AA" },
    ],
  };
}

describe("a configured graph in a widget", () => {
  it("is a pie by its type alone", () => {
    expect([0, 1, 2, 3].map((it) => isPie(graphOf(it)))).toEqual([false, false, true, true]);
  });

  it("has a slice for each item with numbers, and the rest of its whole", () => {
    // the third one is text, the fourth cannot be seen
    const lines = pieLines(graphOf(2), [item("1"), item("2"), item("3", 4)]);
    expect(lines.map(({ itemid, calc, isWhole }) => [itemid, calc, isWhole])).toEqual([
      ["1", "last", false],
      ["2", "avg", true],
    ]);
    expect(lines[0]?.name).toBe("item 1");
    expect(pieOf(lines, new Map()).slices).toEqual([]);
  });
});

function Named() {
  useTitle({ host: "db", name: "Space utilization" });
  return null;
}

function Nameless({ isTemplated }: { readonly isTemplated: boolean }) {
  const board = { range: { from: "now-1h", to: "now" }, setRange: () => {}, hostid: "1" };
  return (
    <BoardContext value={{ ...board, isTemplated, signals: {}, emit: () => {} }}>
      <FrameContext
        value={{
          isSeen: true,
          isVisible: true,
          refresh: 60,
          width: 1,
          height: 1,
          setTitle: (title) => {
            document.title = title ?? "";
          },
        }}
      >
        <Named />
      </FrameContext>
    </BoardContext>
  );
}

describe("a widget without a name", () => {
  it.each([
    [false, "db: Space utilization"],
    [true, "Space utilization"],
  ])("is called by what it shows (of a template: %s)", (isTemplated, title) => {
    render(<Nameless isTemplated={isTemplated} />);
    expect(document.title).toBe(title);
    expect(titleOf("", "Load", false)).toBe("Load");
  });
});
