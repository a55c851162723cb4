import { describe, expect, it } from "vitest";
import { draftOfMap, isMapComplete, mappingText, newMapping } from "./mappings";

describe("value maps", () => {
  const up = { ...newMapping(), value: "1", newvalue: "up" };
  const other = { ...newMapping(), type: "5", value: "9", newvalue: "unknown" };

  it("send no value of the mapping for all others", () => {
    expect(draftOfMap({ name: " State ", mappings: [up, other] })).toEqual({
      name: "State",
      mappings: [
        { type: "0", value: "1", newvalue: "up" },
        { type: "5", newvalue: "unknown" },
      ],
    });
  });

  it("are complete with a name and names of all values", () => {
    expect(isMapComplete({ name: "State", mappings: [up] })).toBe(true);
    expect(isMapComplete({ name: "", mappings: [up] })).toBe(false);
    expect(isMapComplete({ name: "State", mappings: [] })).toBe(false);
    expect(isMapComplete({ name: "State", mappings: [newMapping()] })).toBe(false);
  });

  it("are shown in short", () => {
    expect(mappingText(up)).toBe("1 → up");
    expect(mappingText({ ...up, type: "1", value: "5" })).toBe("≥ 5 → up");
    expect(mappingText(other)).toBe("any other → unknown");
  });
});
