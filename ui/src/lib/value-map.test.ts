import { describe, expect, it } from "vitest";
import { type Mapping, mapped } from "./value-map";

const map = (...rows: readonly (readonly [type: string, value: string, newvalue: string])[]) =>
  rows.map(([type, value, newvalue]): Mapping => ({ type, value, newvalue }));

describe("value maps", () => {
  it("name values by the first mapping that fits, else by the default", () => {
    const states = map(
      ["5", "", "other"],
      ["0", "1", "up"],
      ["3", "2-4,7", "odd"],
      ["1", "90", "hot"],
    );
    expect(mapped("1", states)).toBe("up");
    expect(mapped("1.0", states)).toBe("up");
    expect(mapped("3", states)).toBe("odd");
    expect(mapped("7", states)).toBe("odd");
    expect(mapped("95", states)).toBe("hot");
    expect(mapped("8", states)).toBe("other");
    expect(mapped("8", map(["2", "3", "low"]))).toBeUndefined();
  });

  it("know texts and regular expressions, and no broken ones", () => {
    const texts = map(["0", "run", "running"], ["4", "^err", "failed"], ["4", "(", "never"]);
    expect(mapped("run", texts)).toBe("running");
    expect(mapped("error 5", texts)).toBe("failed");
    expect(mapped("(", texts)).toBeUndefined();
    expect(mapped("-2", map(["3", "-3--1", "below"]))).toBe("below");
  });
});
