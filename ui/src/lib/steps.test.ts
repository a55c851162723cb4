import { describe, expect, it } from "vitest";
import {
  checkStep,
  checkSteps,
  macrosIn,
  newParams,
  paramsOf,
  STEP_KINDS,
  stepKind,
  textOfParams,
  textsIn,
  usesPrevious,
} from "./steps";

const step = (type: string, params: readonly string[], onFail = "0", onFailParams = "") => ({
  type,
  params,
  onFail,
  onFailParams,
});

describe("kinds of steps", () => {
  it("are all those of Zabbix 7.0 and our own, each once", () => {
    const types = STEP_KINDS.map((it) => it.type).sort((a, b) => a - b);
    const zabbix = Array.from({ length: 30 }, (_, at) => at + 1);
    expect(types).toEqual([...zabbix, 1001, 1002, 1003]);
  });

  it("that can fail offer what the API takes", () => {
    const cannot = STEP_KINDS.filter((it) => it.onFail.length === 0).map((it) => it.type);
    expect(cannot.sort((a, b) => a - b)).toEqual([2, 3, 4, 19, 20, 21, 25]);
    expect(stepKind(26).onFail).toEqual(["1", "2", "3"]);
    expect(stepKind(12).onFail).toEqual(["0", "1", "2", "3"]);
  });

  it.each([
    ["1", "8"],
    ["5", "(\\d+)\n\\1"],
    ["9", ""],
    ["13", "\n100"],
    ["21", "return 1;\n// two lines"],
    ["22", 'cpu{mode="idle"}\nlabel\ncore'],
    ["22", "cpu\nvalue\n"],
    ["22", "cpu\nfunction\nsum"],
    ["24", ";\n\n0"],
    ["26", "-1"],
    ["26", "0\n^timeout"],
    ["28", "1.3.6.1\n0"],
    ["29", "{#A}\n1.3\n0\n{#B}\n1.4\n2"],
    ["30", "1"],
    ["1001", "5m\navg"],
    ["1002", "keep\n$.host\n$.disks[*].name"],
    ["1003", "name\n$.hostname"],
    ["1003", "ip\n$.ip\n$.data"],
    ["1003", "ip\n$.ip\n\nrow[in]"],
    ["99", "of a later\nversion"],
  ])("of type %s keep %j through reading and sending", (type, text) => {
    expect(textOfParams(type, paramsOf(type, text))).toBe(text);
  });

  it("begin with what is usual", () => {
    expect(newParams(24)).toEqual([",", '"', "1"]);
    expect(newParams(26)).toEqual(["-1", ""]);
    expect(newParams(22)).toEqual(["", "value", ""]);
    expect(newParams(29)).toEqual(["", "", "0"]);
  });

  it("leave out what does not count", () => {
    expect(textOfParams(26, ["-1", "left from before"])).toBe("-1");
    expect(textOfParams(22, ["cpu", "value", "sum"])).toBe("cpu\nvalue\n");
  });
});

describe("checks of a step", () => {
  it.each([
    ["1", ["8"], true],
    ["1", ["eight"], false],
    ["1", ["{$FACTOR}"], true],
    ["1", ["{#FACTOR}"], true],
    ["1", ["1e-3"], true],
    ["4", [""], false],
    ["5", ["(\\d+)", "\\1"], true],
    ["5", ["(\\d+", "\\1"], false],
    ["5", ["[)(]\\(", "x"], true],
    ["5", ["a", ""], false],
    ["12", ["$.a"], true],
    ["12", ["a"], false],
    ["13", ["", ""], false],
    ["13", ["1", ""], true],
    ["13", ["", "{$MAX}"], true],
    ["13", ["5", "1"], false],
    ["13", ["a", "1"], false],
    ["20", ["1h"], true],
    ["20", ["{$HEARTBEAT}"], true],
    ["20", ["soon"], false],
    ["21", [" "], false],
    ["22", ["cpu", "label", ""], false],
    ["22", ["cpu", "label", "core"], true],
    ["23", [""], true],
    ["24", [";;", "", "1"], false],
    ["25", ["", ""], false],
    ["25", ["a", ""], true],
    ["26", ["-1", ""], true],
    ["26", ["1", ""], false],
    ["29", ["{#A}", "1.3", "0", "{#A}", "1.4", "0"], false],
    ["29", ["{#A}", "1.3", "0", "", "1.4", "0"], false],
    ["29", ["{#A}", "1.3", "0", "{#B}", "1.4", "0"], true],
    ["10", [], true],
  ])("of type %s with %j", (type, params, ok) => {
    expect(checkStep(step(type, params)).ok).toBe(ok);
  });

  it("want a message where one is to be set", () => {
    expect(checkStep(step("12", ["$.a"], "3")).ok).toBe(false);
    expect(checkStep(step("12", ["$.a"], "3", "no a")).ok).toBe(true);
    expect(checkStep(step("12", ["$.a"], "2")).ok).toBe(true);
  });

  it("see what can be there only once, and what only first", () => {
    const ok = (...types: string[]) =>
      checkSteps(types.map((type) => step(type, type === "20" ? ["1h"] : newParams(type)))).map(
        (it) => it.ok,
      );
    expect(ok("9", "10")).toEqual([true, false]);
    expect(ok("19", "20")).toEqual([true, false]);
    expect(ok("26", "26", "9")).toEqual([true, true, true]);
    expect(ok("9", "26")).toEqual([true, false]);
    expect(ok("1003", "9")).toEqual([false, false]);
  });
});

describe("what a test asks for", () => {
  it("is the value before where a step looks at it", () => {
    expect(usesPrevious([{ type: "1" }, { type: "10" }])).toBe(true);
    expect(usesPrevious([{ type: "19" }])).toBe(true);
    expect(usesPrevious([{ type: "12" }])).toBe(false);
  });

  it("are user and discovery macros, each once, with their context", () => {
    const texts = ['{$A} {$B:"x}y"}', "{$A}", "{#LLD} {HOST.NAME} {$C:ctx}"];
    expect(macrosIn(texts)).toEqual(["{$A}", '{$B:"x}y"}', "{#LLD}", "{$C:ctx}"]);
    const request = {
      key_: "a[{#X}]",
      type: 19,
      headers: [{ name: "h", value: "{$Y}" }],
      none: null,
    };
    expect(macrosIn(textsIn(request))).toEqual(["{#X}", "{$Y}"]);
    expect(textsIn(undefined)).toEqual([]);
  });
});
