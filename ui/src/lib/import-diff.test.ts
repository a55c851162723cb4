import { expect, test } from "vitest";
import { diffLines } from "./import-diff";

test("objects stand below those that they belong to, with the fields that differ", () => {
  const diff = {
    templates: {
      updated: [
        {
          before: { template: "T", name: "T" },
          after: { template: "T", name: "T" },
          items: {
            added: [{ after: { name: "New", key: "new" } }],
            updated: [
              {
                before: { name: "Load", units: "%", tags: [{ tag: "a" }] },
                after: { name: "Load", delay: "5m", tags: [{ tag: "b" }] },
              },
            ],
            removed: [{ before: { key: "old" } }],
          },
        },
      ],
    },
    groups: "not a list of changes",
  };
  const lines = diffLines(diff);
  expect(lines.map(({ depth, change, list, name }) => [depth, change, list, name])).toEqual([
    [0, "updated", "templates", "T"],
    [1, "added", "items", "New"],
    [1, "updated", "items", "Load"],
    [1, "removed", "items", "old"],
  ]);
  expect(lines[2]?.fields).toEqual([
    { name: "units", before: "%", after: undefined },
    { name: "tags", before: '[\n {\n  "tag": "a"\n }\n]', after: '[\n {\n  "tag": "b"\n }\n]' },
    { name: "delay", before: undefined, after: "5m" },
  ]);
  expect(new Set(lines.map(({ key }) => key)).size).toBe(lines.length);
});

test("an import that changes nothing has no lines", () => {
  expect(diffLines({})).toEqual([]);
});
