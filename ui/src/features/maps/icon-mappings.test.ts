import { describe, expect, it } from "vitest";
import { draftOf, fieldsOf, isComplete, isRepeated, NO_ICON, summary } from "./icon-mappings";

const MAP = {
  iconmapid: "7",
  name: "By system",
  default_iconid: "1",
  mappings: [
    { iconid: "2", expression: "^Linux", inventory_link: "5" },
    { iconid: "3", expression: "@switches", inventory_link: "1" },
  ],
};

describe("an icon map's form", () => {
  it("gives back what it got, in the same order", () => {
    const { iconmapid: _, ...rest } = MAP;
    expect(draftOf(fieldsOf(MAP))).toEqual(rest);
    expect(isComplete(fieldsOf(MAP))).toBe(true);
  });

  it("wants a name, icons and expressions that are not asked before", () => {
    const fields = fieldsOf(MAP);
    const [first] = fields.mappings;
    if (first === undefined) throw new Error("a mapping");
    expect(isComplete(fieldsOf(undefined))).toBe(false);
    expect(isComplete({ ...fields, defaultIconid: NO_ICON })).toBe(false);
    expect(isComplete({ ...fields, mappings: [] })).toBe(false);
    expect(isComplete({ ...fields, mappings: [{ ...first, expression: "" }] })).toBe(false);
    const twice = [first, { ...first, iconid: "9", key: -1 }];
    expect(isRepeated(twice, 0)).toBe(false);
    expect(isRepeated(twice, 1)).toBe(true);
    expect(isComplete({ ...fields, mappings: twice })).toBe(false);
  });

  it("is summarized in one line", () => {
    expect(summary(MAP.mappings)).toBe("OS: ^Linux, Type: @switches");
  });
});
