import { describe, expect, it } from "vitest";
import { effectiveMacros, levelsOf } from "./levels";

const macro = (name: string, value: string) => ({ macro: name, value, description: "", type: "0" });

describe("macros of all levels", () => {
  it("count at their nearest level, and name the levels that they hide", () => {
    const template = (name: string, value: string, from: string) => ({
      ...macro(name, value),
      from,
      templateid: `id of ${from}`,
    });
    const levels = levelsOf(
      [macro("{$A}", "own")],
      [
        template("{$A}", "near", "T1"),
        template("{$B}", "near", "T1"),
        template("{$B}", "far", "T2"),
      ],
      [macro("{$A}", "global"), macro("{$C}", "global")],
    );
    const shown = effectiveMacros(levels).map(({ effective, hidden }) => [
      effective.macro,
      effective.value,
      effective.source.kind,
      hidden.map(({ value }) => value),
    ]);
    expect(shown).toEqual([
      ["{$A}", "own", "own", ["near", "global"]],
      ["{$B}", "near", "template", ["far"]],
      ["{$C}", "global", "global", []],
    ]);
  });
});
