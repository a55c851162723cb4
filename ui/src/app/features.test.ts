import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { GUIDE } from "@/features/docs/guide";
import { PAGES } from "@/features/roles/elements";
import type { Feature, PageDef } from "@/ui/feature";
import { FEATURES } from "./features";

const FOLDERS = fileURLToPath(new URL("../features", import.meta.url));
const ALL: readonly Feature[] = FEATURES;

// shown before anybody is signed in: app/root-tree.tsx
const WITHOUT_MANIFEST = ["login"];

function pagesOf({ pages, parts = [], ofHost = [], ofTemplate = [] }: Feature): readonly PageDef[] {
  return [...pages, ...parts, ...ofHost, ...ofTemplate];
}

describe("manifests", () => {
  it("of all folders are listed", () => {
    const list = readFileSync(fileURLToPath(new URL("features.ts", import.meta.url)), "utf8");
    for (const folder of readdirSync(FOLDERS)) {
      if (WITHOUT_MANIFEST.includes(folder)) continue;
      expect(existsSync(`${FOLDERS}/${folder}/feature.ts`), folder).toBe(true);
      expect(list, folder).toContain(`"@/features/${folder}/feature"`);
    }
  });

  it("have an address each", () => {
    const own = ALL.flatMap(({ pages }) => pages.map(({ path }) => path));
    expect(new Set(own).size).toBe(own.length);
    for (const of of ["ofHost", "ofTemplate"] as const) {
      const below = ALL.flatMap((it) => [...(it.parts ?? []), ...(it[of] ?? [])]);
      expect(new Set(below.map(({ path }) => path)).size).toBe(below.length);
    }
  });

  it("name pages of the guide that are there", () => {
    const known = new Set(GUIDE.map(({ name }) => name));
    for (const feature of ALL) {
      const named = [feature.guide, ...pagesOf(feature).map(({ guide }) => guide)];
      for (const it of named) if (it !== undefined) expect(known).toContain(it);
    }
    // the page about the program itself has no other one about it
    const without = ALL.filter(({ menu, guide }) => menu !== undefined && guide === undefined);
    expect(without.map(({ title }) => title)).toEqual(["About"]);
  });

  it("name elements that the form of a role has", () => {
    const known = new Set(PAGES.map(({ name }) => name));
    for (const { elements = [] } of ALL) for (const it of elements) expect(known).toContain(it);
  });

  it("have filtered pages at addresses that keep the filter", () => {
    const pages = ALL.flatMap((it) => it.pages);
    for (const { href } of ALL.flatMap(({ filtered = [] }) => filtered)) {
      const { pathname, searchParams } = new URL(href, "http://localhost");
      const target = pages.find(({ path }) => path === pathname);
      for (const name of searchParams.keys()) expect(target?.search, href).toContain(name);
      expect(searchParams.size).toBeGreaterThan(0);
    }
  });

  it("open new objects at addresses with one parameter, or none", () => {
    const forms = ALL.flatMap(({ pages }) => pages.filter(({ create }) => create !== undefined));
    expect(forms.length).toBeGreaterThan(15);
    for (const { path } of forms) expect(path.match(/\$|new/g), path).toHaveLength(1);
  });

  it("have keys of their own", () => {
    const keys = ALL.flatMap(({ shortcut }) => (shortcut === undefined ? [] : [shortcut.keys]));
    expect(new Set(keys).size).toBe(keys.length);
  });
});
