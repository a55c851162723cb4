import { describe, expect, it } from "vitest";
import { untilBeat } from "./data";

describe("refreshes", () => {
  it("come on the same beat whenever they began", () => {
    expect(untilBeat(60, 0)).toBe(60_000);
    expect(untilBeat(60, 10_000)).toBe(50_000);
    expect(10_000 + untilBeat(60, 10_000)).toBe(30_000 + untilBeat(60, 30_000));
    // not at once after what was just asked
    expect(untilBeat(60, 59_000)).toBe(61_000);
  });
});
