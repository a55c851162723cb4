import { describe, expect, it } from "vitest";
import { compare, constantTexts, findTexts } from "../../scripts/texts";
import { LANGUAGES } from "./languages";

const SRC = `${import.meta.dirname}/..`;
const found = findTexts(SRC);

describe("texts of the pages", () => {
  it("are found", () => {
    expect(found.texts.size).toBeGreaterThan(2500);
    expect(found.plurals.size).toBeGreaterThan(50);
  });

  it("pass through t and plural as literals", () => {
    expect(found.faults).toEqual([]);
  });

  it("are no constants of what is evaluated before the catalogue", () => {
    expect(constantTexts(SRC, "main.tsx")).toEqual([]);
    expect(constantTexts(SRC, "app/pages.ts")).toContain("app/pages.ts");
  });
});

describe.each(LANGUAGES.flatMap(({ name, load }) => (load === undefined ? [] : [{ name, load }])))(
  "$name",
  ({ load }) => {
    // to fill in what is missing: docs/adding.md, "A language"
    it("says all that the pages say, and nothing else", async () => {
      const { superfluous, faulty } = compare(found, await load());
      expect({ superfluous, faulty }).toEqual({ superfluous: [], faulty: [] });
    });

    it("has every text once", async () => {
      const parts = Object.values(import.meta.glob("./*/parts/*.ts", { eager: true })) as {
        readonly PART: { readonly texts: object; readonly plurals: object };
      }[];
      const { texts, plurals } = await load();
      const n = (of: (part: { texts: object; plurals: object }) => object) =>
        parts.reduce((sum, { PART }) => sum + Object.keys(of(PART)).length, 0);
      expect(n((it) => it.texts)).toBe(Object.keys(texts).length);
      expect(n((it) => it.plurals)).toBe(Object.keys(plurals).length);
    });
  },
);
