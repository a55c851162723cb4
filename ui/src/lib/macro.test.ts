import { describe, expect, it } from "vitest";
import { upperCaseName } from "./macro";

describe("names of macros", () => {
  it("are in capital letters, their context as it was typed", () => {
    expect(upperCaseName("{$low.space.max}")).toBe("{$LOW.SPACE.MAX}");
    expect(upperCaseName('{$max:regex:"^/var"}')).toBe('{$MAX:regex:"^/var"}');
  });
});
