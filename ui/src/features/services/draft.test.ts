import { expect, test } from "vitest";
import { draftOf, fieldsOf, isComplete, newCondition, newRule, propagationValue } from "./draft";

const EMPTY = { ...fieldsOf(undefined, []), name: "Shop" };

test("a new service is complete with a name", () => {
  expect(isComplete(fieldsOf(undefined, []))).toBe(false);
  expect(isComplete(EMPTY)).toBe(true);
});

test("problem tags and children exclude each other", () => {
  const children = [{ serviceid: "1", name: "Web" }];
  const problem_tags = [{ ...newCondition(), tag: "service" }];
  expect(isComplete({ ...EMPTY, children })).toBe(true);
  expect(isComplete({ ...EMPTY, problem_tags })).toBe(true);
  expect(isComplete({ ...EMPTY, children, problem_tags })).toBe(false);
  expect(isComplete({ ...EMPTY, children, problem_tags: [newCondition()] })).toBe(true);
});

test("rules in percent go up to a hundred", () => {
  const rule = (type: string, limit_value: string) => [{ ...newRule(), type, limit_value }];
  expect(isComplete({ ...EMPTY, status_rules: rule("0", "101") })).toBe(true);
  expect(isComplete({ ...EMPTY, status_rules: rule("1", "101") })).toBe(false);
  expect(isComplete({ ...EMPTY, status_rules: rule("4", "") })).toBe(false);
});

test("a value that a rule of propagation does not have is not sent", () => {
  const fields = { ...EMPTY, propagation_rule: "3", propagation_value: "2" };
  expect(draftOf(fields).propagation_value).toBe("0");
  expect(["0", "1", "2", "3", "4"].map(propagationValue)).toEqual(["0", "1", "1", "0", "-1"]);
});

test("lines without a tag are left out", () => {
  const fields = { ...EMPTY, problem_tags: [newCondition(), { ...newCondition(), tag: "a" }] };
  expect(draftOf(fields).problem_tags).toEqual([{ tag: "a", operator: "0", value: "" }]);
});
