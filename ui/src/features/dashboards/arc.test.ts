import { describe, expect, it } from "vitest";
import { ring, shares } from "./arc";
import { onColor } from "./contrast";

describe("arcs", () => {
  it("begin at the top and go clockwise", () => {
    expect(ring([0, 0], [0, 10], 0, 0.25)).toBe("M 0 -10 A 10 10 0 0 1 10 0 L 0 0 Z");
    expect(ring([0, 0], [5, 10], 0, 1)).toContain("A 10 10 0 1 1");
  });

  it("share a whole", () => {
    expect(shares([1, 1, 2])).toEqual([
      [0, 0.25],
      [0.25, 0.5],
      [0.5, 1],
    ]);
    expect(shares([0, 0])).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });
});

describe("text on a colour", () => {
  it("is what can be read", () => {
    expect(onColor("#FFD54F")).toBe("#10151c");
    expect(onColor("#1565C0")).toBe("#ffffff");
  });
});
