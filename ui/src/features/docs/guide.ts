// The guide for users, docs/user of the repository as it was when the pages were built, and what is found in it.

import { wordMatcher } from "@/lib/words";

const TEXTS = import.meta.glob<string>(
  ["../../../../docs/user/*.md", "../../../../docs/metrics.md"],
  {
    query: "?raw",
    import: "default",
    eager: true,
  },
);
const IMAGES = import.meta.glob<string>("../../../../docs/images/*.png", {
  query: "?url",
  import: "default",
  eager: true,
});
const CONTENTS = import.meta.glob<string>("../../../../docs/README.md", {
  query: "?raw",
  import: "default",
  eager: true,
});

export interface GuideHeading {
  readonly title: string;
  readonly anchor: string;
}

export interface GuidePage {
  /** as in addresses: the file's name without its ending */
  readonly name: string;
  readonly title: string;
  /** what the table of contents says of it */
  readonly about: string;
  readonly text: string;
  /** without the title */
  readonly headings: readonly GuideHeading[];
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.[a-z]+$/, "");
}

/** As in links between the files, which are GitHub's. */
export function anchorOf(title: string): string {
  const kept = title.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "");
  return kept.trim().replaceAll(" ", "-");
}

/** Headings as they are read: no marks of code or of links. */
export function plainText(markdown: string): string {
  return markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[`*]/g, "");
}

/** The headings of a text, those in code left out. */
export function headingsOf(text: string): readonly (GuideHeading & { readonly depth: number })[] {
  const found: (GuideHeading & { readonly depth: number })[] = [];
  let isCode = false;
  for (const line of text.split("\n")) {
    if (line.startsWith("```")) isCode = !isCode;
    const [, marks, words] = /^(#{1,4}) (.*)$/.exec(line) ?? [];
    if (isCode || marks === undefined || words === undefined) continue;
    const title = plainText(words);
    found.push({ title, anchor: anchorOf(title), depth: marks.length });
  }
  return found;
}

/** Sentences of the table of contents by page, in its order. */
export function contentsOf(readme: string): ReadonlyMap<string, string> {
  const about = new Map<string, string>();
  const joined = readme.replace(/\n {2,}/g, " ");
  for (const [, path, said] of joined.matchAll(/^- \[[^\]]*\]\(([^)]*\.md)\): (.*)$/gm)) {
    if (path !== undefined && said !== undefined) about.set(nameOf(path), plainText(said));
  }
  return about;
}

function read(): readonly GuidePage[] {
  const contents = contentsOf(Object.values(CONTENTS)[0] ?? "");
  const order = [...contents.keys()];
  const place = (name: string) => (contents.has(name) ? order.indexOf(name) : order.length);
  const pages = Object.entries(TEXTS).map(([path, text]): GuidePage => {
    const name = nameOf(path);
    const [first, ...others] = headingsOf(text);
    const about = contents.get(name) ?? "";
    return { name, title: first?.title ?? name, about, text, headings: others };
  });
  return pages.sort((a, b) => place(a.name) - place(b.name) || a.name.localeCompare(b.name));
}

export const GUIDE: readonly GuidePage[] = read();

export function guidePage(name: string): GuidePage | undefined {
  return GUIDE.find((it) => it.name === name);
}

/** Where a link of a page leads inside of the UI; undefined: to a file that is not here. */
export function guideHref(href: string, from: string): string | undefined {
  if (/^(?:https?:|mailto:)/.test(href)) return href;
  if (href.startsWith("#")) return `/docs/${from}${href}`;
  const [path = "", anchor] = href.split("#");
  const fragment = anchor === undefined ? "" : `#${anchor}`;
  if (path === "../api.md") return "/docs/api";
  if (!/^(?:\.\.\/|user\/)?[a-z0-9-]+\.md$/.test(path)) return undefined;
  const name = nameOf(path);
  return guidePage(name) === undefined ? undefined : `/docs/${name}${fragment}`;
}

export function guideImage(src: string): string | undefined {
  const name = nameOf(src);
  return Object.entries(IMAGES).find(([path]) => nameOf(path) === name)?.[1];
}

export interface GuideHit {
  readonly page: GuidePage;
  /** sections whose headings are hits */
  readonly headings: readonly GuideHeading[];
}

/** Pages with the words of a search: first in their titles, then in headings, then in their texts. */
export function searchGuide(query: string): readonly GuideHit[] {
  const matches = wordMatcher(query);
  const ranked = GUIDE.flatMap((page): readonly (GuideHit & { readonly rank: number })[] => {
    const headings = page.headings.filter((it) => matches(() => [it.title]));
    if (matches(() => [page.title, page.name])) return [{ page, headings, rank: 0 }];
    if (headings.length > 0) return [{ page, headings, rank: 1 }];
    if (matches(() => [page.about])) return [{ page, headings, rank: 2 }];
    return matches(() => [page.text]) ? [{ page, headings, rank: 3 }] : [];
  });
  return ranked.sort((a, b) => a.rank - b.rank);
}
