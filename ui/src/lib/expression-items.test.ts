import { describe, expect, it } from "vitest";
import { itemsIn } from "./expression-items";

describe("items in an expression", () => {
  it("are found once each, with their parameters", () => {
    const text =
      'avg(/web 1/cpu.load[all,"a,b)"],5m)>{$MAX} and last( /web 1/cpu.load[all,"a,b)"])/2<last(//own)';
    expect(itemsIn(text)).toEqual([
      { host: "web 1", key: 'cpu.load[all,"a,b)"]' },
      { host: "", key: "own" },
    ]);
  });

  it("are not those of wildcards, and a division names none", () => {
    expect(itemsIn('sum(avg_foreach(/*/cpu?[group="a"],5m))/3/4')).toEqual([]);
  });
});
