import { describe, expect, it } from "vitest";
import {
  ColumnError,
  decodeTags,
  dictionary,
  numbers,
  rowCount,
  strings,
  tagLists,
} from "./columns";
import { fuzzyScore, fuzzySearch } from "./fuzzy";
import { setCatalogue, t } from "./i18n";
import { SEVERITIES, severityLook, toSeverity, worstSeverity } from "./severity";

describe("columns", () => {
  const columns = {
    id: [1, 2, 3],
    name: { dict: ["cpu", "disk"], idx: [0, 1, 0] },
    tags: { dict: [[["site", "fra"]], []], idx: [0, 1, 0] },
    short: [1],
    broken: { dict: ["x"], idx: [0, 1, 0] },
  };

  it("are read plain and as dictionaries", () => {
    expect(rowCount(columns, "id")).toBe(3);
    expect(strings(columns, "id", 3)).toEqual(["1", "2", "3"]);
    expect(strings(columns, "name", 3)).toEqual(["cpu", "disk", "cpu"]);
    expect(tagLists(columns, "tags", 3)).toEqual([[["site", "fra"]], [], [["site", "fra"]]]);
  });

  it("may be missing, except for the key", () => {
    expect(numbers(columns, "clock", 3)).toEqual([0, 0, 0]);
    expect(strings(columns, "opdata", 2)).toEqual(["", ""]);
    expect(() => rowCount(columns, "eventid")).toThrow(ColumnError);
  });

  it("are refused when their lengths or dictionaries do not fit", () => {
    expect(() => numbers(columns, "short", 3)).toThrow("column short has 1 rows instead of 3");
    expect(() => dictionary(columns, "broken", 3, String)).toThrow("points past its dictionary");
    expect(() => strings({ id: "x" }, "id", 1)).toThrow("column id is not a list");
  });

  it("take tags in either form", () => {
    expect(decodeTags([["a", "b"]])).toEqual([["a", "b"]]);
    expect(decodeTags([{ tag: "a", value: "b" }])).toEqual([["a", "b"]]);
    expect(decodeTags(null)).toEqual([]);
  });
});

describe("fuzzy search", () => {
  const names = ["core-fra1", "db-fra1", "Frankfurt core", "web01"];

  it("finds letters in order, whole words first", () => {
    expect(fuzzySearch("core", names, (it) => it, 2)).toEqual(["core-fra1", "Frankfurt core"]);
    expect(fuzzySearch("cf1", names, (it) => it, 9)).toEqual(["core-fra1"]);
    expect(fuzzySearch("fra db", names, (it) => it, 9)).toEqual(["db-fra1"]);
    expect(fuzzyScore("xyz", "core")).toBeUndefined();
  });

  it("shows the first ones for an empty search", () => {
    expect(fuzzySearch(" ", names, (it) => it, 2)).toEqual(names.slice(0, 2));
  });
});

describe("severities", () => {
  it("are distinguished by letter and by shape alone", () => {
    expect(new Set(SEVERITIES.map((it) => severityLook(it).letter)).size).toBe(6);
    expect(new Set(SEVERITIES.map((it) => severityLook(it).shape)).size).toBe(6);
  });

  it("take anything else as not classified", () => {
    expect([5, "4", 6, -1, null, "x"].map(toSeverity)).toEqual([5, 4, 0, 0, 0, 0]);
    expect(worstSeverity([1, 4, 2])).toBe(4);
    expect(worstSeverity([])).toBeUndefined();
  });
});

describe("texts", () => {
  it("are replaced by the catalogue and filled with values", () => {
    const texts = { "{n} of them": "{n} davon" };
    setCatalogue({ tag: "de", texts, plurals: {}, forms: ["one", "other"] });
    expect(t("{n} of them", { n: 3 })).toBe("3 davon");
    expect(t("{x} of {y}", { x: 1 })).toBe("1 of {y}");
    setCatalogue();
  });
});
