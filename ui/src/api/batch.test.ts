import { describe, expect, it } from "vitest";
import { Batcher } from "./batch";

describe("what is asked for in one moment", () => {
  it("is asked for once, each key once", async () => {
    const asked: (readonly string[])[] = [];
    const batcher = new Batcher(async (keys) => {
      asked.push(keys);
      return new Map(keys.filter((it) => it !== "gone").map((it) => [it, `value of ${it}`]));
    });
    const answers = await Promise.all([
      batcher.get("a"),
      batcher.get("b"),
      batcher.get("a"),
      batcher.get("gone"),
      batcher.all(["b", "gone", "c"]),
    ]);
    expect(asked).toEqual([["a", "b", "gone", "c"]]);
    expect(answers).toEqual([
      "value of a",
      "value of b",
      "value of a",
      undefined,
      ["value of b", "value of c"],
    ]);
  });

  it("fails for all who asked", async () => {
    const batcher = new Batcher<string>(async () => {
      throw new Error("away");
    });
    const both = await Promise.allSettled([batcher.get("a"), batcher.get("b")]);
    expect(both.map((it) => it.status)).toEqual(["rejected", "rejected"]);
  });
});
