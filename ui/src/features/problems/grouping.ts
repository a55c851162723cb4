// Problems put together by what they have in common: a section with the name and the count before each group. A problem
// of several host groups, or with several values of a tag, stands in each of them.

import type { ProblemTable } from "@/api/problem-table";
import type { Id } from "@/api/types";
import { type ProblemGrouping, tagOf } from "./filter";
import type { Lines, ListSection } from "./timeline";

/** The groups of a host: ids and names. */
export type GroupsOfHost = ReadonlyMap<Id, readonly { readonly id: Id; readonly name: string }[]>;

export interface GroupedBy {
  readonly grouping: ProblemGrouping;
  /** positions that stand below the one before them, wherever that stands */
  readonly nested?: ReadonlySet<number>;
  readonly groupsOfHost?: GroupsOfHost;
  /** keys of groups of which only the section is shown */
  readonly folded?: ReadonlySet<string>;
  readonly linesMax?: number;
}

// browsers end a scrolled element at some 17 million pixels; a line has 28 of them
export const LINES_MAX = 600_000;
/** The group of those that are in none. */
const NONE = 0;

/** Groups as they are found, each with a number. */
class Keys {
  readonly found: { readonly key: string; readonly name: string | undefined }[] = [
    { key: "", name: undefined },
  ];
  private readonly known = new Map<string, number>();

  of(key: string, name = key): number {
    let it = this.known.get(key);
    if (it === undefined) {
      it = this.found.push({ key, name }) - 1;
      this.known.set(key, it);
    }
    return it;
  }
}

type KeysOf = (at: number) => readonly number[];

/** What an entry of a dictionary is in is found once. */
function perEntry<T>(
  entries: readonly T[],
  column: Uint32Array | Uint8Array,
  keysOf: (entry: T) => readonly number[],
): KeysOf {
  const known: (readonly number[] | undefined)[] = new Array(entries.length);
  return (at) => {
    const entry = column[at] ?? 0;
    let it = known[entry];
    if (it === undefined) {
      it = keysOf(entries[entry] as T);
      known[entry] = it;
    }
    return it;
  };
}

function keysFor(table: ProblemTable, by: GroupedBy, keys: Keys): KeysOf {
  const { grouping, groupsOfHost } = by;
  const tag = tagOf(grouping);
  if (tag !== undefined) {
    return perEntry(table.tagLists.entries, table.tags, (list) => {
      const values = list.filter(([name]) => name === tag);
      return values.length === 0 ? [NONE] : [...new Set(values.map(([, it]) => keys.of(it)))];
    });
  }
  switch (grouping) {
    case "host":
      return perEntry(table.hosts.entries, table.host, (it) => [keys.of(it.hostid, it.host)]);
    case "group":
      return perEntry(table.hosts.entries, table.host, ({ hostid }) => {
        const groups = groupsOfHost?.get(hostid) ?? [];
        return groups.length === 0 ? [NONE] : groups.map(({ id, name }) => keys.of(id, name));
      });
    case "severity":
      return perEntry([0, 1, 2, 3, 4, 5], table.severity, (it) => [keys.of(String(it))]);
    default:
      return perEntry(table.names.entries, table.name, (it) => [keys.of(it)]);
  }
}

/** Groups in the order of their first problem, that of those in none last; within a group the order stays. */
export function groupedLines(
  table: ProblemTable,
  positions: ArrayLike<number>,
  by: GroupedBy,
): Lines {
  const nested = by.nested ?? new Set();
  const keys = new Keys();
  const groups = groupsOfPlaces(positions, nested, keysFor(table, by, keys));
  const { order, lines: counts, own } = counted(positions, nested, groups, keys.found.length);

  const linesMax = by.linesMax ?? LINES_MAX;
  const sections: ListSection[] = [];
  const sectionAt: number[] = [];
  // where the next problem of a group goes; -1: it has no line
  const next = new Int32Array(keys.found.length).fill(-1);
  let total = 0;
  for (const group of order) {
    const { key, name } = keys.found[group] ?? { key: "", name: undefined };
    const n = counts[group] ?? 0;
    const folded = by.folded?.has(key) === true || total + 1 + n > linesMax;
    sections.push({ kind: "group", key, name, n: own[group] ?? 0, folded });
    sectionAt.push(total);
    if (!folded) next[group] = total + 1;
    total += folded ? 1 : 1 + n;
  }
  const lines = new Int32Array(total);
  for (const [at, line] of sectionAt.entries()) lines[line] = -at - 1;
  place(lines, positions, groups, next);
  return { lines, sections };
}

/** Puts each problem where the next one of each of its groups goes. */
function place(
  lines: Int32Array,
  positions: ArrayLike<number>,
  groups: readonly (readonly number[])[],
  next: Int32Array,
): void {
  for (let from = 0; from < groups.length; from += 1) {
    const of = groups[from] ?? [];
    for (let at = 0; at < of.length; at += 1) {
      const group = of[at] ?? NONE;
      const line = next[group] ?? -1;
      if (line < 0) continue;
      lines[line] = positions[from] ?? 0;
      next[group] = line + 1;
    }
  }
}

/** Of each place its groups; what is nested goes with the one before it. */
function groupsOfPlaces(
  positions: ArrayLike<number>,
  nested: ReadonlySet<number>,
  keysOf: KeysOf,
): readonly (readonly number[])[] {
  const found = new Array<readonly number[]>(positions.length);
  let current: readonly number[] | undefined;
  for (let place = 0; place < positions.length; place += 1) {
    const at = positions[place] ?? 0;
    if (current === undefined || !nested.has(at)) current = keysOf(at);
    found[place] = current;
  }
  return found;
}

interface Counts {
  /** groups in the order in which they come */
  readonly order: readonly number[];
  /** lines of each */
  readonly lines: Uint32Array;
  /** those of them that are not nested */
  readonly own: Uint32Array;
}

function counted(
  positions: ArrayLike<number>,
  nested: ReadonlySet<number>,
  groups: readonly (readonly number[])[],
  nGroups: number,
): Counts {
  const [lines, own] = [new Uint32Array(nGroups), new Uint32Array(nGroups)];
  const order: number[] = [];
  const count = (group: number, isOwn: boolean) => {
    if (lines[group] === 0 && group !== NONE) order.push(group);
    lines[group] = (lines[group] ?? 0) + 1;
    if (isOwn) own[group] = (own[group] ?? 0) + 1;
  };
  for (let place = 0; place < groups.length; place += 1) {
    const of = groups[place] ?? [];
    const isOwn = place === 0 || !nested.has(positions[place] ?? 0);
    for (let at = 0; at < of.length; at += 1) count(of[at] ?? NONE, isOwn);
  }
  if ((lines[NONE] ?? 0) > 0) order.push(NONE);
  return { order, lines, own };
}
