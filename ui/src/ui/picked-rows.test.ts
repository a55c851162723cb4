import { expect, it } from "vitest";
import { areAllPicked, withoutShown } from "./picked-rows";

const shown = (...keys: (string | undefined)[]) => ({
  count: keys.length,
  getRow: (at: number) => keys[at],
  rowKey: (key: string) => key,
});

it("picks of another search are no picks of the rows that are shown", () => {
  const picked = new Set(["a", "b"]);
  expect(areAllPicked(picked, shown("c", "d"))).toBe(false);
  expect(areAllPicked(picked, shown("a", "d"))).toBe(false);
  expect(areAllPicked(picked, shown("a", "b"))).toBe(true);
  expect(areAllPicked(picked, shown("b"))).toBe(true);
  expect(areAllPicked(picked, shown())).toBe(false);
});

it("rows that are not loaded count as picked where as many are", () => {
  expect(areAllPicked(new Set(["a", "b"]), shown("a", undefined))).toBe(true);
  expect(areAllPicked(new Set(["a"]), shown("a", undefined))).toBe(false);
});

it("picks of rows that are not shown stay when those shown are let go", () => {
  expect(withoutShown(new Set(["a", "b", "c"]), shown("b"))).toEqual(new Set(["a", "c"]));
  expect(withoutShown(new Set(["a", "b"]), shown("a", undefined))).toEqual(new Set());
});
