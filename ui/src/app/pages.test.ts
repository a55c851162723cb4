import { describe, expect, it } from "vitest";
import { isBelow, SECTIONS, sectionsFor } from "./pages";

const namesFor = (type: number) => sectionsFor(type).flatMap((it) => it.pages.map(({ to }) => to));

describe("the pages of the navigation", () => {
  it("are those that a user may see", () => {
    expect(sectionsFor(1).map(({ id }) => id)).toEqual(["monitoring", "collection"]);
    expect(namesFor(1)).not.toContain("/maintenance");
    expect(namesFor(2)).toContain("/maintenance");
    expect(namesFor(2)).not.toContain("/actions");
    expect(namesFor(3)).toHaveLength(SECTIONS.flatMap(({ pages }) => pages).length);
  });

  it("stand once each", () => {
    expect(new Set(namesFor(3)).size).toBe(namesFor(3).length);
  });

  it("are open at what is below them", () => {
    expect(isBelow("/hosts", "/hosts/7/items")).toBe(true);
    expect(isBelow("/users", "/usergroups")).toBe(false);
    expect(isBelow("/", "/problems")).toBe(false);
    expect(isBelow("/", "/")).toBe(true);
  });
});
