import { describe, expect, it } from "vitest";
import {
  anchorOf,
  contentsOf,
  GUIDE,
  guideHref,
  guideImage,
  guidePage,
  headingsOf,
  searchGuide,
} from "./guide";

/** Whether a picture is there, or the section that a link names. */
function isThere(isPicture: boolean, target: string, page: string): boolean {
  if (isPicture) return guideImage(target) !== undefined;
  const [, name, anchor] = /^\/docs\/([^#]*)#(.*)$/.exec(guideHref(target, page) ?? "") ?? [];
  if (name === undefined) return true;
  return headingsOf(guidePage(name)?.text ?? "").some((it) => it.anchor === anchor);
}

describe("the guide", () => {
  it("has every page with a title, in the order of the table of contents", () => {
    expect(GUIDE.length).toBeGreaterThan(50);
    expect(GUIDE[0]?.name).toBe("first-steps");
    expect(GUIDE.filter(({ title }) => title === "")).toEqual([]);
    expect(guidePage("macros")?.about).toContain("which value counts");
  });

  it("leads to pages and pictures that are there, and to sections by GitHub's anchors", () => {
    const wrong = GUIDE.flatMap(({ name, text }) =>
      [...text.matchAll(/(!?)\[[^\]]*\]\(([^)\s]*)\)/g)]
        .filter(([, mark, target = ""]) => !isThere(mark === "!", target, name))
        .map(([whole]) => `${name}: ${whole}`),
    );
    expect(wrong).toEqual([]);
  });

  it("leads nowhere with links to files that are not here", () => {
    expect(guideHref("../decisions/0018-late-values.md", "events")).toBeUndefined();
    expect(guideHref("saker.sample.toml", "running")).toBeUndefined();
    expect(guideHref("../api.md#alert", "media")).toBe("/docs/api");
    expect(guideHref("macros.md#secrets", "hosts")).toBe("/docs/macros#secrets");
    expect(guideHref("#a", "hosts")).toBe("/docs/hosts#a");
    expect(guideHref("https://example.com/x.md", "hosts")).toBe("https://example.com/x.md");
  });

  it("finds titles before headings, and headings before texts", () => {
    const hits = searchGuide("maintenance");
    expect(hits[0]?.page.name).toBe("maintenance");
    expect(hits.length).toBeGreaterThan(2);
    expect(searchGuide("xyzzy plugh")).toEqual([]);
    expect(searchGuide("").length).toBe(GUIDE.length);
  });

  it("reads headings without those in code", () => {
    const text = "# A `b`\n```\n# no\n```\n## [C](c.md) d, e";
    expect(headingsOf(text)).toEqual([
      { title: "A b", anchor: "a-b", depth: 1 },
      { title: "C d, e", anchor: "c-d-e", depth: 2 },
    ]);
    expect(anchorOf("What's `new`: all")).toBe("whats-new-all");
  });

  it("reads the table of contents over ends of lines", () => {
    const contents = contentsOf("- [user/a.md](user/a.md): one\n  and two\n- [b](b.md): three\n");
    expect([...contents]).toEqual([
      ["a", "one and two"],
      ["b", "three"],
    ]);
  });
});
