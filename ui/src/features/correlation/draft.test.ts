import { describe, expect, it } from "vitest";
import type { Correlation, CorrelationCondition } from "@/api/correlations";
import {
  type ConditionFields,
  conditionError,
  conditionText,
  draftOf,
  fieldsOf,
  isComplete,
  newCondition,
  operationsText,
  operatorOptions,
  warningOf,
} from "./draft";

/** As the server returns it. */
function read(of: Partial<CorrelationCondition>): CorrelationCondition {
  return { type: "0", formulaid: "", tag: "", oldtag: "", newtag: "", value: "", ...of };
}

const RULE: Correlation = {
  correlationid: "7",
  name: "Links",
  description: "",
  status: "1",
  filter: {
    evaltype: "3",
    formula: "A and (B or C)",
    conditions: [
      read({ type: "3", formulaid: "A", oldtag: "link", newtag: "link" }),
      read({ type: "5", formulaid: "B", tag: "state", operator: "2", value: "up" }),
      read({ type: "2", formulaid: "C", groupid: "4", operator: "1" }),
    ],
  },
  operations: [{ type: "1" }],
};

/** What the types of its conditions have. */
const CONDITIONS = [
  { type: "3", formulaid: "A", oldtag: "link", newtag: "link" },
  { type: "5", formulaid: "B", tag: "state", operator: "2", value: "up" },
  { type: "2", formulaid: "C", groupid: "4", operator: "1" },
];

function condition(change: Partial<ConditionFields>): ConditionFields {
  return { ...newCondition([]), ...change };
}

const groupName = (id: string) => `group ${id}`;

describe("a correlation rule while it is edited", () => {
  it("is saved as it was read", () => {
    const { correlationid: _, ...same } = RULE;
    const filter = { ...RULE.filter, conditions: CONDITIONS };
    expect(draftOf(fieldsOf(RULE))).toEqual({ ...same, filter });
    expect(isComplete(fieldsOf(RULE))).toBe(true);
  });

  it("sends letters and a formula only where they count", () => {
    const draft = draftOf({ ...fieldsOf(RULE), evaltype: "1", formula: "A" });
    expect(draft.filter).toEqual({
      evaltype: "1",
      conditions: CONDITIONS.map(({ formulaid: _, ...rest }) => rest),
    });
  });

  it("sends of a condition what its type has, whatever was typed before", () => {
    const fields = fieldsOf(RULE);
    const typed = { ...condition({ type: "0", tag: " a ", value: "x", operator: "2" }), key: 1 };
    expect(draftOf({ ...fields, evaltype: "0", conditions: [typed] }).filter.conditions).toEqual([
      { type: "0", tag: "a" },
    ]);
  });

  it("is complete with a name, conditions, a whole formula and an operation", () => {
    const fields = fieldsOf(RULE);
    for (const wrong of [
      { name: " " },
      { conditions: [] },
      { formula: "A and B" },
      { closesNew: false },
    ]) {
      expect(isComplete({ ...fields, ...wrong })).toBe(false);
    }
    expect(isComplete(fieldsOf(undefined))).toBe(false);
    expect(conditionError(condition({ type: "2" }))).toBe("a host group is required");
    expect(conditionError(condition({ oldtag: "a" }))).toBe("two tags are required");
    expect(conditionError(condition({ type: "4" }))).toBe("a tag is required");
    expect(conditionError(condition({ type: "4", tag: "a" }))).toBeUndefined();
  });

  it("is described in words", () => {
    expect(fieldsOf(RULE).conditions.map((it) => conditionText(it, groupName))).toEqual([
      "the value of old event tag link equals the value of new event tag link",
      "state of the new event contains “up”",
      "the host group of the new event does not equal group 4",
    ]);
    expect(conditionText(condition({ type: "0" }), groupName)).toBe("the old event has the tag …");
    expect(operationsText({ operations: [{ type: "0" }, { type: "1" }] })).toBe(
      "close old events, close new event",
    );
    expect(["0", "2", "5"].map((type) => operatorOptions(type).length)).toEqual([0, 2, 4]);
  });

  it("warns of what closes all, and of what looks at all", () => {
    const one = (it: ConditionFields, closesOld = true) =>
      warningOf({ ...fieldsOf(RULE), closesOld, conditions: [{ ...it, key: 1 }] });
    expect(one(condition({ type: "1", tag: "a" }))).toMatch(/closes all open problems/);
    expect(one(condition({ type: "1", tag: "a" }), false)).toBeUndefined();
    expect(one(condition({ type: "4", tag: "a", operator: "1" }))).toMatch(/each open problem/);
    expect(one(condition({ type: "4", tag: "a" }))).toBeUndefined();
    expect(one(condition({ oldtag: "a", newtag: "a" }))).toBeUndefined();
  });
});
