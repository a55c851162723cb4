import { describe, expect, it } from "vitest";
import { changedMeanwhile, changedPart, mergedDraft, sameDraft } from "./draft";

describe("drafts", () => {
  it.each([
    [{ a: 1 }, { a: 1, b: undefined }, true],
    [{ tags: [{ key: 3, tag: "x" }] }, { tags: [{ key: 9, tag: "x" }] }, true],
    [{ key: "a" }, { key: "b" }, false],
    [{ tags: [] }, { tags: [{ key: 1, tag: "" }] }, false],
    [[1, 2], [2, 1], false],
    [[], {}, false],
    [null, {}, false],
  ])("%j and %j are alike: %s", (a, b, alike) => {
    expect(sameDraft(a, b)).toBe(alike);
    expect(sameDraft(b, a)).toBe(alike);
  });
});

describe("what is sent of an existing object", () => {
  it.each([
    [{ name: "a", tags: [] }, { name: "a", tags: [] }, {}],
    [{ name: "a", delay: "1m" }, { name: "b", delay: "1m" }, { name: "b" }],
    [{ name: "a" }, { name: "a", passwd: "x" }, { passwd: "x" }],
    // another type makes other fields of what is there: all of them are said
    [
      { type: 0, delay: "1m", key_: "a" },
      { type: 2, delay: "1m", key_: "a" },
      { type: 2, delay: "1m", key_: "a" },
    ],
  ])("%j, now %j: %j", (before, after, sent) => {
    expect(changedPart(before, after)).toEqual(sent);
  });
});

const line = (key: number, tag: string) => ({ key, tag });

describe("changes that came from elsewhere", () => {
  const base = { name: "web", description: "", tags: [line(1, "a")] };

  it("are those that the user did not make as well", () => {
    const server = { name: "web", description: "theirs", tags: [line(4, "a")] };
    expect(changedMeanwhile(base, server, { ...base, name: "mine" })).toEqual([
      { field: "description", before: "", theirs: "theirs" },
    ]);
    expect(changedMeanwhile(base, server, { ...base, description: "theirs" })).toEqual([]);
  });

  it("of other fields go with those of the user", () => {
    const server = { ...base, description: "theirs" };
    const mine = { ...base, name: "mine" };
    const changes = changedMeanwhile(base, server, mine);
    expect(mergedDraft(server, mine, changes, {})).toEqual({
      ...base,
      name: "mine",
      description: "theirs",
    });
  });

  it("of the same field are the user's unless they are given up", () => {
    const server = { ...base, name: "theirs" };
    const mine = { ...base, name: "mine" };
    const changes = changedMeanwhile(base, server, mine);
    expect(changes).toMatchObject([{ field: "name", mine: { value: "mine", both: undefined } }]);
    expect(mergedDraft(server, mine, changes, {}).name).toBe("mine");
    expect(mergedDraft(server, mine, changes, { name: "theirs" }).name).toBe("theirs");
  });

  it("of one list are put together, what either took away stays away", () => {
    const was = { tags: [line(1, "a"), line(2, "b"), line(3, "c")] };
    const server = { tags: [line(7, "b"), line(8, "c"), line(9, "theirs")] };
    const mine = { tags: [line(1, "a"), line(3, "c"), line(4, "mine")] };
    const changes = changedMeanwhile(was, server, mine);
    const tags = (choice: Record<string, "mine" | "theirs">) =>
      mergedDraft(server, mine, changes, choice).tags.map(({ tag }) => tag);
    expect(tags({})).toEqual(["c", "theirs", "mine"]);
    expect(tags({ tags: "mine" })).toEqual(["a", "c", "mine"]);
    expect(tags({ tags: "theirs" })).toEqual(["b", "c", "theirs"]);
  });

  it("of the same line, and of lists whose order counts, are one or the other", () => {
    const both = (was: unknown[], server: unknown[], mine: unknown[]) =>
      changedMeanwhile({ it: was }, { it: server }, { it: mine })[0]?.mine?.both;
    expect(both([line(1, "a")], [line(2, "b")], [line(3, "c")])).toBeUndefined();
    const step = (type: string) => ({ type, params: [] });
    expect(both([], [step("1")], [step("2")])).toBeUndefined();
  });
});
