import { describe, expect, it } from "vitest";
import { draftOfTrigger, fieldsOfTrigger, isTriggerValid } from "./trigger-fields";

const FIELDS = {
  ...fieldsOfTrigger(undefined),
  name: "High load",
  expression: "last(/web01/system.cpu.load)>5",
};

describe("triggers", () => {
  it("begin with average severity and end when their expression is false", () => {
    expect(FIELDS).toMatchObject({ severity: 3, recovery: "expression", enabled: true });
  });

  it("need a name and an expression that can be read", () => {
    expect(isTriggerValid(FIELDS)).toBe(true);
    expect(isTriggerValid({ ...FIELDS, name: " " })).toBe(false);
    expect(isTriggerValid({ ...FIELDS, expression: "last(/a/b" })).toBe(false);
    expect(isTriggerValid({ ...FIELDS, recovery: "own" })).toBe(false);
    expect(isTriggerValid({ ...FIELDS, recovery: "own", recoveryExpression: "1=1" })).toBe(true);
  });

  it("send a recovery expression only where it counts", () => {
    const fields = { ...FIELDS, recoveryExpression: "1=1" };
    expect(draftOfTrigger(fields, false)).not.toHaveProperty("recovery_expression");
    const own = draftOfTrigger({ ...fields, recovery: "own" }, false);
    expect(own).toMatchObject({ recovery_mode: 1, recovery_expression: "1=1" });
    expect(draftOfTrigger({ ...fields, recovery: "none" }, false).recovery_mode).toBe(2);
  });

  it("close the problems of one tag value, and then name the tag", () => {
    expect(draftOfTrigger({ ...FIELDS, correlationTag: "x" }, false)).toMatchObject({
      correlation_mode: 0,
    });
    expect(draftOfTrigger({ ...FIELDS, correlationTag: "x" }, false)).not.toHaveProperty(
      "correlation_tag",
    );
    const byTag = { ...FIELDS, closes: "tag", correlationTag: " disk " } as const;
    expect(draftOfTrigger(byTag, false)).toMatchObject({
      correlation_mode: 1,
      correlation_tag: "disk",
    });
    expect(isTriggerValid(byTag)).toBe(true);
    expect(isTriggerValid({ ...byTag, correlationTag: " " })).toBe(false);
    // what never ends by itself closes nothing
    const never = { ...byTag, recovery: "none", correlationTag: "" } as const;
    expect(isTriggerValid(never)).toBe(true);
    expect(draftOfTrigger(never, false).correlation_mode).toBe(0);
  });

  it("of a template send only what may differ from it", () => {
    expect(Object.keys(draftOfTrigger(FIELDS, true)).sort()).toEqual([
      "comments",
      "dependencies",
      "event_name",
      "opdata",
      "priority",
      "status",
      "tags",
      "type",
      "url",
      "url_name",
    ]);
  });
});
