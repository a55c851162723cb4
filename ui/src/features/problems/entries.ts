// What the lines of the list show. Entries stay the same objects as long as they say the same: such rows are not rendered again,
// whatever scrolls or changes around them.

import type { ProblemRow, ProblemTable } from "@/api/problem-table";
import type { ListSection } from "./timeline";

export type Entry =
  | { readonly kind: "problem"; readonly row: ProblemRow }
  | { readonly kind: "section"; readonly section: ListSection; readonly at: number };

// a few screens; the others are made again when they are looked at
const KEPT_MAX = 1000;

export class Entries {
  private readonly problems = new Map<number, Entry & { readonly kind: "problem" }>();
  private readonly sections = new WeakMap<ListSection, Entry & { readonly kind: "section" }>();

  problem(table: ProblemTable, eventid: number): Entry | undefined {
    const row = table.row(table.positionOf(eventid) ?? -1);
    if (row === undefined) return undefined;
    const known = this.problems.get(eventid);
    if (known !== undefined && isSameRow(known.row, row)) return known;
    if (this.problems.size >= KEPT_MAX) this.problems.clear();
    const entry = { kind: "problem", row } as const;
    this.problems.set(eventid, entry);
    return entry;
  }

  section(section: ListSection, at: number): Entry {
    const known = this.sections.get(section);
    if (known?.at === at) return known;
    const entry = { kind: "section", section, at } as const;
    this.sections.set(section, entry);
    return entry;
  }
}

function isSameRow(a: ProblemRow, b: ProblemRow): boolean {
  return (Object.keys(b) as (keyof ProblemRow)[]).every((it) => a[it] === b[it]);
}
