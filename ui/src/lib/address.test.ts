import { describe, expect, it } from "vitest";
import { parseSearch, pickSearch, stringifySearch } from "./address";

describe("address parameters", () => {
  it("are plain texts", () => {
    expect(stringifySearch({ sev: "4,5", q: "disk full", none: undefined, empty: "" })).toBe(
      "?sev=4,5&q=disk+full",
    );
    expect(parseSearch("?sev=4,5&q=disk+full")).toEqual({ sev: "4,5", q: "disk full" });
    expect(stringifySearch({})).toBe("");
  });

  it("come back as they were, whatever they hold", () => {
    const search = { q: "a&b=c,d:e %41 ü", tags: "site:fra%2C1" };
    expect(parseSearch(stringifySearch(search))).toEqual(search);
  });

  it("are taken over only where a page knows them", () => {
    expect(pickSearch({ q: "x", evil: "y", n: 3 }, ["q", "n"])).toEqual({ q: "x", n: "3" });
  });
});
