import { describe, expect, it } from "vitest";
import { nearestLine, nextLine } from "./cursor";

// a section, problems 5 and 7, a section, problems 7 and 5 again
const LINES = Float64Array.of(-1, 5, 7, -2, 7, 5);

describe("the keyboard's place in the list", () => {
  it.each([
    [5, 1, 1],
    [5, 5, 5],
    [5, 4, 5],
    [5, 2, 1],
    [7, 0, 2],
    [7, 9, 4],
    [9, 2, -1],
  ])("of problem %i near line %i is line %i", (id, near, line) => {
    expect(nearestLine(LINES, id, near)).toBe(line);
  });

  it.each([
    [-1, 1, 1],
    [2, 1, 4],
    [4, -1, 2],
    [5, 1, undefined],
    [1, -1, undefined],
  ] as const)("goes from line %i by %i to %s", (line, step, next) => {
    expect(nextLine(LINES, line, step)).toBe(next);
  });
});
