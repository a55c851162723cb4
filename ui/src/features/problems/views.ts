// Views: filters with a name. The server has no place for them, so this browser keeps them, for each user.

import { isRecord } from "@/lib/columns";
import { readKept, writeKept } from "@/lib/kept";
import { type ProblemSearch, readFilter, writeFilter } from "./filter";

export interface SavedView {
  readonly name: string;
  readonly search: ProblemSearch;
}

const NAME_MAX = 60;
const VIEWS_MAX = 50;

function keyOf(userid: string): string {
  return `saker.problem-views.${userid}`;
}

/** Whatever stands in the storage gives usable views. */
function readViews(value: unknown): readonly SavedView[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, VIEWS_MAX).flatMap((it) => {
    if (!isRecord(it) || typeof it["name"] !== "string" || !isRecord(it["search"])) return [];
    return [{ name: it["name"], search: writeFilter(readFilter(it["search"] as ProblemSearch)) }];
  });
}

export function savedViews(userid: string): readonly SavedView[] {
  return readKept(keyOf(userid), readViews);
}

export function nameOfView(text: string): string {
  return text.trim().slice(0, NAME_MAX);
}

/** One of the same name is replaced. undefined: there are too many, or this browser keeps nothing. */
export function withView(userid: string, view: SavedView): readonly SavedView[] | undefined {
  const others = savedViews(userid).filter(({ name }) => name !== view.name);
  const views = [...others, view].sort((a, b) => a.name.localeCompare(b.name));
  return views.length <= VIEWS_MAX && writeKept(keyOf(userid), views) ? views : undefined;
}

export function withoutView(userid: string, name: string): readonly SavedView[] {
  const views = savedViews(userid).filter((it) => it.name !== name);
  writeKept(keyOf(userid), views);
  return views;
}
