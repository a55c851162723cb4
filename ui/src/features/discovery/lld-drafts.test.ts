import { expect, test } from "vitest";
import type { LldOverride } from "@/api/types";
import { keyed } from "@/widgets/keyed";
import {
  filterOf,
  isFilterValid,
  isOperationValid,
  isOverrideValid,
  newCondition,
  newOperation,
  newOverride,
  overrideOf,
  toFilter,
  toOverrides,
} from "./lld-drafts";

const OVERRIDE: LldOverride = {
  name: "temporary",
  step: "1",
  stop: "1",
  filter: {
    evaltype: "3",
    formula: "A and not B",
    conditions: [
      { macro: "{#T}", operator: "8", value: "^tmpfs$", formulaid: "A" },
      { macro: "{#N}", operator: "12", value: "", formulaid: "B" },
    ],
  },
  operations: [
    {
      operationobject: "0",
      operator: "2",
      value: "Space",
      opstatus: { status: "1" },
      ophistory: { history: "7d" },
      optag: [{ tag: "kind", value: "{#T}" }],
    },
    { operationobject: "1", operator: "8", value: "", opseverity: { severity: "5" } },
    {
      operationobject: "3",
      operator: "0",
      value: "h",
      opdiscover: { discover: "1" },
      optemplate: [{ templateid: "7" }],
      opinventory: { inventory_mode: "-1" },
    },
  ],
};

test("overrides come back as they went in", () => {
  expect(toOverrides([overrideOf(OVERRIDE)])).toEqual([OVERRIDE]);
});

test("steps follow the order of the list", () => {
  const list = [overrideOf(OVERRIDE), overrideOf({ ...OVERRIDE, name: "other" })];
  expect(toOverrides(list.reverse()).map((it) => [it.name, it.step])).toEqual([
    ["other", "1"],
    ["temporary", "2"],
  ]);
});

test("actions of another kind of object are left out", () => {
  const operation = { ...newOperation(), object: "1", delay: "1m", severity: "2" };
  const [made] = toOverrides([{ ...newOverride(), operations: [operation] }]);
  expect(made?.operations).toEqual([
    { operationobject: "1", operator: "0", value: "", opseverity: { severity: "2" } },
  ]);
});

test("templates are linked to hosts alone, and that is an action", () => {
  const operation = { ...newOperation(), object: "3", templates: ["7", "8"] };
  expect(isOperationValid(operation)).toBe(true);
  const [made] = toOverrides([{ ...newOverride(), operations: [operation] }]);
  expect(made?.operations[0]?.optemplate).toEqual([{ templateid: "7" }, { templateid: "8" }]);
  expect(isOperationValid({ ...operation, object: "0" })).toBe(false);
});

test("conditions keep their letters, and those without one get theirs by position", () => {
  const bare = { macro: "{#T}", operator: "8", value: "x", formulaid: "" };
  const filter = filterOf({ evaltype: "0", formula: "", conditions: [bare, bare] });
  expect(filter.conditions.map((it) => it.formulaid)).toEqual(["A", "B"]);
  expect(newCondition(filter.conditions.slice(1)).formulaid).toBe("A");
});

test("what is not needed is not sent", () => {
  const condition = keyed({ macro: "{#T}", operator: "13", value: "left", formulaid: "A" });
  const filter = { evaltype: "1", formula: "A or B", conditions: [condition] };
  expect(toFilter(filter)).toEqual({
    evaltype: "1",
    formula: "",
    conditions: [{ macro: "{#T}", operator: "13", value: "", formulaid: "A" }],
  });
});

test("what is wrong keeps the form from being sent", () => {
  const condition = keyed({ macro: "{#T}", operator: "8", value: "", formulaid: "A" });
  expect(isFilterValid({ evaltype: "0", formula: "", conditions: [condition] })).toBe(false);
  const good = { ...condition, value: "x" };
  expect(isFilterValid({ evaltype: "0", formula: "", conditions: [good] })).toBe(true);
  expect(isFilterValid({ evaltype: "3", formula: "B", conditions: [good] })).toBe(false);
  expect(isOperationValid(newOperation())).toBe(false);
  expect(isOperationValid({ ...newOperation(), delay: "soon" })).toBe(false);
  expect(isOperationValid({ ...newOperation(), delay: "1m" })).toBe(true);
  const first = { ...newOverride(), name: "same" };
  expect(isOverrideValid({ ...newOverride(), name: "same " }, [first])).toBe(false);
  expect(isOverrideValid(first, [first])).toBe(true);
});
