import { describe, expect, it } from "vitest";
import { changesOf, summary, withBefore } from "./details";

describe("details of the audit log", () => {
  it("are read field by field", () => {
    const details = JSON.stringify({
      "host.name": ["update", "web 2", "web"],
      "host.tags[7]": ["add"],
      "host.tags[7].tag": ["add", "site"],
    });
    expect(changesOf(details)).toEqual([
      { field: "host.name", done: "update", after: "web 2", before: "web" },
      { field: "host.tags[7]", done: "add", after: "", before: "" },
      { field: "host.tags[7].tag", done: "add", after: "site", before: "" },
    ]);
    expect(summary(changesOf(details))).toBe("name: web 2; tags[7].tag: site");
  });

  it("may be missing or broken", () => {
    for (const details of ["", "{", "[]", "null", "7"]) expect(changesOf(details)).toEqual([]);
  });

  it("say what was before where an earlier record of the object does", () => {
    const of = (after: unknown) => ({
      all_details: JSON.stringify({
        "host.tags": ["update", after],
        "host.name": ["update", "web"],
      }),
    });
    const [newest, , oldest] = withBefore([of(["b"]), of(["a"]), of([])]);
    expect(newest?.[0]).toEqual({
      field: "host.tags",
      done: "update",
      after: '[\n "b"\n]',
      before: '[\n "a"\n]',
    });
    expect(oldest?.[0]?.before).toBe("");
  });
});
