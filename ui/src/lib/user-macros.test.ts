import { expect, it } from "vitest";
import { macroValue } from "./user-macros";

const text = (macro: string, value: string) => ({ macro, value, type: "0" });

it("a user macro has the value of its context, else the plain one, nearest first", () => {
  const known = [text("{$A}", "host"), text('{$A:"x y"}', "of x y"), text("{$A}", "global")];
  expect(macroValue("{$A}", known)).toBe("host");
  expect(macroValue("{$A:x y}", known)).toBe("of x y");
  expect(macroValue('{$A:"other"}', known)).toBe("host");
  expect(macroValue("{$B}", known)).toBeUndefined();
});

it("a secret is not told", () => {
  expect(macroValue("{$A}", [{ macro: "{$A}", value: "", type: "1" }])).toBeUndefined();
});
