import { expect, it } from "vitest";
import { macroKnowledge } from "./user-macros";

const text = (macro: string, value: string) => ({ macro, value, type: "0" });
const value = (of: string) => ({ known: "value", value: of });

it("a user macro has the value of its context, else the plain one, nearest first", () => {
  const known = [text("{$A}", "host"), text('{$A:"x y"}', "of x y"), text("{$A}", "global")];
  expect(macroKnowledge("{$A}", known)).toEqual(value("host"));
  expect(macroKnowledge("{$A:x y}", known)).toEqual(value("of x y"));
  expect(macroKnowledge('{$A:"other"}', known)).toEqual(value("host"));
  expect(macroKnowledge("{$B}", known)).toEqual({ known: "nothing" });
});

it("a secret is not returned", () => {
  const secret = [{ macro: "{$A}", value: "", type: "1" }];
  expect(macroKnowledge("{$A}", secret)).toEqual({ known: "secret" });
});

it("which pattern fits a context the server finds out", () => {
  const known = [text("{$A}", "plain"), text('{$A:regex:"^/dev"}', "device"), text("{$A:x}", "x")];
  expect(macroKnowledge("{$A:/dev/sda}", known)).toEqual({ known: "byServer" });
  expect(macroKnowledge("{$A:x}", known)).toEqual(value("x"));
  expect(macroKnowledge("{$A}", known)).toEqual(value("plain"));
});
