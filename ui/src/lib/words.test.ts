import { describe, expect, it } from "vitest";
import { tagTexts, wordMatcher } from "./words";

describe("words of a search", () => {
  const row = () => ["CPU load", "system.cpu.load", ...tagTexts([{ tag: "os", value: "Linux" }])];

  it("are all found, in any order and case", () => {
    expect(wordMatcher("linux LOAD")(row)).toBe(true);
    expect(wordMatcher("cpu.l os:lin")(row)).toBe(true);
    expect(wordMatcher("load windows")(row)).toBe(false);
  });

  it("are not found across two texts", () => {
    expect(wordMatcher("loadsystem")(row)).toBe(false);
  });

  it("without any, nothing has to be looked at", () => {
    const texts = () => {
      throw new Error("looked at");
    };
    expect(wordMatcher("  ")(texts)).toBe(true);
  });
});
