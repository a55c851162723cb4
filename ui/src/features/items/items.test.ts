import { describe, expect, it } from "vitest";
import { moved } from "@/widgets/keyed";
import {
  checkStep,
  draftOfItem,
  fieldsOfItem,
  isItemValid,
  newStep,
  stepOf,
  toStep,
} from "./item-fields";
import { interfaceFor } from "./item-form";

const OWN = { hostid: "10", inherited: false, onTemplate: false };

describe("items", () => {
  const fields = { ...fieldsOfItem(undefined), name: "Load", key: "system.cpu.load", units: "x" };

  it("are valid with name, key and interval", () => {
    expect(isItemValid(fields)).toBe(true);
    expect(isItemValid({ ...fields, name: " " })).toBe(false);
    expect(isItemValid({ ...fields, key: "a b" })).toBe(false);
    expect(isItemValid({ ...fields, delay: "often" })).toBe(false);
  });

  it("want what their type needs and nothing else", () => {
    expect(isItemValid({ ...fields, type: 2, delay: "often" })).toBe(true);
    expect(isItemValid({ ...fields, type: 20 })).toBe(false);
    expect(isItemValid({ ...fields, type: 20, snmpOid: "1.3.6" })).toBe(true);
    expect(isItemValid({ ...fields, type: 18 })).toBe(false);
    expect(isItemValid({ ...fields, type: 15, formula: "last(//a" })).toBe(false);
  });

  it("send the fields of their type", () => {
    const agent = draftOfItem({ ...fields, interfaceid: "3" }, OWN);
    expect(agent).toMatchObject({
      hostid: "10",
      key_: "system.cpu.load",
      interfaceid: "3",
      units: "x",
    });
    expect(agent).not.toHaveProperty("snmp_oid");
    const trapper = draftOfItem({ ...fields, type: 2, valueType: 4 }, OWN);
    expect(trapper).not.toHaveProperty("delay");
    expect(trapper).not.toHaveProperty("units");
    expect(trapper).not.toHaveProperty("trends");
    expect(draftOfItem(fields, { ...OWN, onTemplate: true })).not.toHaveProperty("interfaceid");
  });

  it("of a template send only what may differ from it", () => {
    const sent = draftOfItem(fields, { hostid: undefined, inherited: true, onTemplate: false });
    expect(Object.keys(sent).sort()).toEqual([
      "delay",
      "description",
      "history",
      "status",
      "tags",
      "trends",
    ]);
  });

  it("take the default interface of their kind", () => {
    const base = { main: "1", useip: "1", ip: "", dns: "", port: "", available: "0", error: "" };
    const interfaces = [
      { ...base, interfaceid: "1", type: "2" },
      { ...base, interfaceid: "2", type: "1", main: "0" },
      { ...base, interfaceid: "3", type: "1" },
    ];
    expect(interfaceFor({ type: 0, interfaceid: "0" }, interfaces)).toBe("3");
    expect(interfaceFor({ type: 0, interfaceid: "2" }, interfaces)).toBe("2");
    expect(interfaceFor({ type: 20, interfaceid: "0" }, interfaces)).toBe("1");
    expect(interfaceFor({ type: 2, interfaceid: "3" }, interfaces)).toBe("0");
  });
});

describe("preprocessing steps", () => {
  it("keep their parameters through reading and sending", () => {
    const sent = {
      type: "5",
      params: "(\\d+)\n\\1",
      error_handler: "3",
      error_handler_params: "no",
    };
    expect(toStep(stepOf(sent))).toEqual(sent);
    const other = {
      type: "21",
      params: "return 1;\nx",
      error_handler: "0",
      error_handler_params: "",
    };
    expect(toStep(stepOf(other))).toEqual(other);
  });

  it("have no handler where they cannot fail", () => {
    const step = { ...newStep(), type: "19", params: [], onFail: "2", onFailParams: "x" };
    expect(toStep(step)).toEqual({
      type: "19",
      params: "",
      error_handler: "0",
      error_handler_params: "",
    });
  });

  it.each([
    ["1", ["8"], true],
    ["1", ["eight"], false],
    ["1", ["{$FACTOR}"], true],
    ["5", ["(\\d+)", "\\1"], true],
    ["5", ["(\\d+", "\\1"], false],
    ["5", ["[)(]\\(", "x"], true],
    ["5", ["a", ""], false],
    ["12", ["$.a"], true],
    ["12", ["a"], false],
    ["20", ["1h"], true],
    ["20", ["soon"], false],
    ["10", [], true],
  ])("of kind %s with %j are checked", (type, params, ok) => {
    expect(checkStep({ ...newStep(), type, params }).ok).toBe(ok);
  });

  it("move without changing the order of the others", () => {
    expect(moved(["a", "b", "c"], 0, 2)).toEqual(["b", "c", "a"]);
    expect(moved(["a", "b", "c"], 2, 1)).toEqual(["a", "c", "b"]);
    expect(moved(["a"], 0, 5)).toEqual(["a"]);
  });
});
