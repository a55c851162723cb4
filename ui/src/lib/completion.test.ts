import { describe, expect, it } from "vitest";
import { completableAt, complete, matchingFunctions } from "./completion";

const at = (expression: string) => completableAt(expression, expression.length);

describe("completion of expressions", () => {
  it("knows whether a function, a host or a key is typed", () => {
    expect(at("av")).toEqual({ kind: "function", from: 0, text: "av" });
    expect(at("last(/web/a)>1 and ma")).toEqual({ kind: "function", from: 19, text: "ma" });
    expect(at("avg(/we")).toEqual({ kind: "host", from: 5, text: "we" });
    expect(at("avg(/")).toEqual({ kind: "host", from: 5, text: "" });
    expect(at("avg(/web01/sys")).toEqual({ kind: "key", from: 11, host: "web01", text: "sys" });
    expect(at("avg(/web01/")).toEqual({ kind: "key", from: 11, host: "web01", text: "" });
  });

  it("is silent in numbers, texts, periods and where one divides", () => {
    for (const it of ["", "5", 'find(/w/k,,"like","av', "last(/w/k)/", "avg(/w/k,5m"]) {
      expect(at(it), it).toBeUndefined();
    }
  });

  it("puts the choice in place of what was typed, and opens what follows", () => {
    const done = (expression: string, choice: string) => {
      const found = at(expression);
      if (found === undefined) throw new Error("nothing to complete");
      return complete(expression, expression.length, found, choice);
    };
    expect(done("av", "avg")).toEqual({ text: "avg(/", caret: 5 });
    expect(done("avg(/we", "web01")).toEqual({ text: "avg(/web01/", caret: 11 });
    expect(done("avg(/web01/sys", "system.cpu.load")).toEqual({
      text: "avg(/web01/system.cpu.load",
      caret: 26,
    });
    const inner = completableAt("av(/w/k)", 2);
    expect(inner && complete("av(/w/k)", 2, inner, "avg").text).toBe("avg(/w/k)");
  });

  it("offers what begins so before what has it within", () => {
    expect(matchingFunctions("max", 3)).toEqual(["max", "max_foreach", "trendmax"]);
  });
});
