import { describe, expect, it } from "vitest";
import { bottom, COLUMNS, freePlace, overlaps, put, ROWS, stepped, within } from "./layout";

const at = (x: number, y: number, width: number, height: number) => ({ x, y, width, height });

describe("places of widgets", () => {
  it("stay within the grid", () => {
    expect(within(at(70, 63, 12, 5))).toEqual(at(60, 59, 12, 5));
    expect(within(at(-3, -1, 100, 0))).toEqual(at(0, 0, COLUMNS, 1));
  });

  it("overlap where they share a cell, not where they touch", () => {
    expect(overlaps(at(0, 0, 36, 4), at(36, 0, 36, 4))).toBe(false);
    expect(overlaps(at(0, 0, 36, 4), at(35, 3, 2, 2))).toBe(true);
  });

  it("are found where there is room, by rows", () => {
    expect(freePlace([], 36, 5)).toEqual(at(0, 0, 36, 5));
    expect(freePlace([at(0, 0, 36, 5)], 36, 5)).toEqual(at(36, 0, 36, 5));
    expect(freePlace([at(0, 0, 40, 5)], 36, 5)).toEqual(at(0, 5, 36, 5));
    expect(freePlace([at(0, 0, COLUMNS, ROWS)], 1, 1)).toBeUndefined();
    expect(bottom([at(0, 0, 36, 5), at(0, 5, 1, 2)])).toBe(7);
  });

  it("push others down, and never over the end", () => {
    const places = [at(0, 0, 36, 4), at(0, 4, 36, 4), at(36, 0, 36, 4)];
    expect(put(places, 2, at(10, 2, 36, 4))).toEqual([
      at(0, 6, 36, 4),
      at(0, 10, 36, 4),
      at(10, 2, 36, 4),
    ]);
    // the order of the list stays, and what is not in the way too
    expect(put(places, 0, at(0, 0, 20, 4))).toEqual([
      at(0, 0, 20, 4),
      at(0, 4, 36, 4),
      at(36, 0, 36, 4),
    ]);
    expect(put([at(0, 0, 72, 60), at(0, 60, 72, 4)], 0, at(0, 0, 72, 61))).toBeUndefined();
  });

  it("go by arrows", () => {
    expect(stepped(at(0, 0, 10, 2), "ArrowRight", false)).toEqual(at(1, 0, 10, 2));
    expect(stepped(at(0, 0, 10, 2), "ArrowLeft", false)).toEqual(at(0, 0, 10, 2));
    expect(stepped(at(62, 0, 10, 2), "ArrowRight", true)).toEqual(at(62, 0, 10, 2));
    expect(stepped(at(0, 0, 10, 2), "ArrowDown", true)).toEqual(at(0, 0, 10, 3));
    expect(stepped(at(0, 0, 10, 2), "a", false)).toBeUndefined();
  });
});
