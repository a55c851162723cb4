import { describe, expect, it } from "vitest";
import { isAskable } from "./askable";

describe("a discovery rule", () => {
  it.each([
    ["0", true],
    ["18", true],
    ["19", true],
    ["20", true],
    // trappers, active agents, SNMP traps and nested rules wait for their data
    ["2", false],
    ["7", false],
    ["17", false],
    ["23", false],
  ])("of type %s can be asked now: %s", (type, expected) => {
    expect(isAskable({ type })).toBe(expected);
  });
});
