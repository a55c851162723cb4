import { describe, expect, it } from "vitest";
import { bytesAValue, forecastText } from "./words";

describe("storage in words", () => {
  it("says when there is no more room, or that there is enough", () => {
    expect(forecastText({ state: "full", days: 4.26, limit: "disk" }).name).toBe("4.3 days");
    expect(forecastText({ state: "full", days: 40.9, limit: "budget" })).toEqual({
      name: "40 days",
      note: "then the oldest data is deleted early",
    });
    expect(forecastText({ state: "steady", growth_bytes: 0 }).name).toBe("enough");
    expect(forecastText({ state: "unknown" }).name).toBe("not known");
  });

  it("has no bytes a value where there is no value", () => {
    expect(bytesAValue({ bytes: 10, count: 0 })).toBe("–");
    expect(bytesAValue({ bytes: 10, count: 8 })).toBe("1.25");
  });
});
