// What the problems of the list are made of: hosts, groups and tags with how many problems each has. And what some of
// them have in common that the others have not.

import type { GroupMembers } from "@/api/groups";
import type { ProblemTable } from "@/api/problem-table";
import type { Id } from "@/api/types";
import type { TagPair } from "@/lib/columns";

export interface Facet<Key> {
  readonly key: Key;
  readonly name: string;
  readonly n: number;
}

export interface Facets {
  readonly hosts: readonly Facet<Id>[];
  readonly groups: readonly Facet<Id>[];
  readonly tags: readonly Facet<TagPair>[];
}

/** How many rows have each entry of a dictionary. */
function tally(column: Uint32Array | Uint8Array, size: number, positions: ArrayLike<number>) {
  const counts = new Uint32Array(size);
  for (let place = 0; place < positions.length; place += 1) {
    const entry = column[positions[place] ?? 0] ?? 0;
    counts[entry] = (counts[entry] ?? 0) + 1;
  }
  return counts;
}

const mostFirst = (a: { readonly n: number }, b: { readonly n: number }) => b.n - a.n;

function hostCounts(table: ProblemTable, positions: ArrayLike<number>): ReadonlyMap<Id, Facet<Id>> {
  const { entries } = table.hosts;
  const found = new Map<Id, Facet<Id>>();
  for (const [at, n] of tally(table.host, entries.length, positions).entries()) {
    const host = entries[at];
    if (n === 0 || host === undefined) continue;
    // a host that was renamed stands twice in the dictionary
    const before = found.get(host.hostid)?.n ?? 0;
    found.set(host.hostid, { key: host.hostid, name: host.host, n: n + before });
  }
  return found;
}

function tagCounts(table: ProblemTable, positions: ArrayLike<number>): Map<string, Facet<TagPair>> {
  const { entries } = table.tagLists;
  const found = new Map<string, Facet<TagPair>>();
  for (const [at, n] of tally(table.tags, entries.length, positions).entries()) {
    if (n === 0) continue;
    for (const tag of entries[at] ?? []) {
      const name = `${tag[0]}: ${tag[1]}`;
      found.set(name, { key: tag, name, n: n + (found.get(name)?.n ?? 0) });
    }
  }
  return found;
}

function groupCounts(
  hosts: ReadonlyMap<Id, Facet<Id>>,
  groups: readonly GroupMembers[],
): readonly Facet<Id>[] {
  return groups.flatMap(({ groupid, name, hostids }) => {
    let n = 0;
    // whichever is shorter
    if (hosts.size < hostids.size) {
      for (const [hostid, host] of hosts) if (hostids.has(hostid)) n += host.n;
    } else {
      for (const hostid of hostids) n += hosts.get(hostid)?.n ?? 0;
    }
    return n === 0 ? [] : [{ key: groupid, name, n }];
  });
}

export function facetsOf(
  table: ProblemTable,
  positions: ArrayLike<number>,
  groups: readonly GroupMembers[],
): Facets {
  const hosts = hostCounts(table, positions);
  return {
    hosts: [...hosts.values()].sort(mostFirst),
    groups: groupCounts(hosts, groups).toSorted(mostFirst),
    tags: [...tagCounts(table, positions).values()].sort(mostFirst),
  };
}

/** The first of a kind, and how many more there are. */
export interface ShownFacet<Key> {
  readonly first: readonly Facet<Key>[];
  readonly more: number;
}

export interface ShownFacets {
  readonly hosts: ShownFacet<Id>;
  readonly groups: ShownFacet<Id>;
  readonly tags: ShownFacet<TagPair>;
}

/** Those whose names have the text, so many of each kind. */
export function shownFacets(facets: Facets, text: string, max: number): ShownFacets {
  const needle = text.trim().toLowerCase();
  const shown = <Key>(all: readonly Facet<Key>[]): ShownFacet<Key> => {
    const found = needle === "" ? all : all.filter((it) => it.name.toLowerCase().includes(needle));
    return { first: found.slice(0, max), more: Math.max(0, found.length - max) };
  };
  return { hosts: shown(facets.hosts), groups: shown(facets.groups), tags: shown(facets.tags) };
}

/** Names of tags that problems have, those that the most problems have first. */
export function tagNames(table: ProblemTable, max: number): readonly string[] {
  const { entries } = table.tagLists;
  const counts = new Uint32Array(entries.length);
  for (let at = 0; at < table.size; at += 1) {
    const entry = table.tags[at] ?? 0;
    counts[entry] = (counts[entry] ?? 0) + 1;
  }
  const found = new Map<string, number>();
  for (const [at, n] of counts.entries()) {
    if (n === 0) continue;
    for (const name of new Set(entries[at]?.map(([tag]) => tag))) {
      found.set(name, n + (found.get(name) ?? 0));
    }
  }
  const names = [...found].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return names.slice(0, max).map(([name]) => name);
}

export interface Common {
  /** host, group, tag, severity, name */
  readonly kind: "host" | "group" | "tag" | "severity" | "name";
  /** of a severity its number */
  readonly name: string;
  /** shares of those picked, and of the others, that have it: 0 to 1 */
  readonly picked: number;
  readonly others: number;
}

// a property of so many of those picked that is so much rarer among the others distinguishes them
const SHARE_MIN = 0.5;
const LEAD_MIN = 0.15;
const SHOWN_MAX = 20;

/** Properties that distinguish those picked from the others of the list, the clearest first. */
export function commonOf(
  table: ProblemTable,
  picked: ArrayLike<number>,
  all: ArrayLike<number>,
  groups: readonly GroupMembers[],
): readonly Common[] {
  const chosen = new Set(Array.from(picked));
  const others = Array.from(all).filter((at) => !chosen.has(at));
  const counts = (positions: ArrayLike<number>) => attributesOf(table, positions, groups);
  const [mine, theirs] = [counts(picked), counts(others)];
  const found: Common[] = [];
  for (const [key, { kind, name, n }] of mine) {
    const share = n / picked.length;
    const rest = others.length === 0 ? 0 : (theirs.get(key)?.n ?? 0) / others.length;
    if (share >= SHARE_MIN && share - rest >= LEAD_MIN) {
      found.push({ kind, name, picked: share, others: rest });
    }
  }
  return found.sort((a, b) => b.picked - b.others - (a.picked - a.others)).slice(0, SHOWN_MAX);
}

type Attribute = Pick<Common, "kind" | "name"> & { readonly n: number };

function attributesOf(
  table: ProblemTable,
  positions: ArrayLike<number>,
  groups: readonly GroupMembers[],
): ReadonlyMap<string, Attribute> {
  const { hosts, groups: ofGroups, tags } = facetsOf(table, positions, groups);
  const found = new Map<string, Attribute>();
  const add = (kind: Common["kind"], name: string, n: number) =>
    found.set(`${kind} ${name}`, { kind, name, n });
  for (const { name, n } of hosts) add("host", name, n);
  for (const { name, n } of ofGroups) add("group", name, n);
  for (const { name, n } of tags) add("tag", name, n);
  const names = tally(table.name, table.names.entries.length, positions);
  for (const [at, n] of names.entries()) if (n > 0) add("name", table.names.at(at) ?? "", n);
  for (const [at, n] of tally(table.severity, 6, positions).entries()) {
    if (n > 0) add("severity", String(at), n);
  }
  return found;
}
