// The filter of the Problems view applied to the columns of a table, and its order. Runs in a worker (lists.ts): what
// is here knows no texts of the pages and no time zone.

import { FLAG, type ProblemHost } from "@/api/problem-lines";
import type { ProblemTable } from "@/api/problem-table";
import type { Id } from "@/api/types";
import type { TagPair } from "@/lib/columns";
import type { ProblemFilter, ProblemStatus } from "./filter";

/** Resolved problems stay in the "recent" view for so long. */
const RECENT_SECONDS = 300;

export interface FilterResult {
  /** positions in the table, in the wanted order */
  readonly positions: Uint32Array;
  /** by severity, of what the other conditions let through */
  readonly bySeverity: number[];
}

/** Hosts of groups; a group that is not known yet admits none. */
export type GroupHosts = ReadonlyMap<Id, ReadonlySet<Id>>;

const NO_GROUPS: GroupHosts = new Map();

export function applyFilter(
  table: ProblemTable,
  filter: ProblemFilter,
  now: number,
  groups: GroupHosts = NO_GROUPS,
  collator: Intl.Collator = COLLATOR,
): FilterResult {
  const found = newestFirst(table).slice();
  let n = found.length;
  for (const test of testsOf(table, filter, now, groups)) n = kept(found, n, test);
  const bySeverity = [0, 0, 0, 0, 0, 0];
  for (let place = 0; place < n; place += 1) {
    const severity = table.severity[found[place] ?? 0] ?? 0;
    bySeverity[severity] = (bySeverity[severity] ?? 0) + 1;
  }
  if (filter.severities.length > 0) {
    const isWanted = Uint8Array.from(bySeverity, (_, it) =>
      filter.severities.some((severity) => severity === it) ? 1 : 0,
    );
    n = kept(found, n, (at) => isWanted[table.severity[at] ?? 0] === 1);
  }
  return { positions: ordered(table, filter, found.subarray(0, n), collator), bySeverity };
}

type Test = (at: number) => boolean;

/** Moves those of the first `n` that pass to the front, in their order: how many these are. */
function kept(positions: Uint32Array, n: number, test: Test): number {
  let to = 0;
  for (let place = 0; place < n; place += 1) {
    const at = positions[place] ?? 0;
    if (!test(at)) continue;
    positions[to] = at;
    to += 1;
  }
  return to;
}

/** Only the conditions that are set cost anything. */
function testsOf(
  table: ProblemTable,
  filter: ProblemFilter,
  now: number,
  groups: GroupHosts,
): readonly Test[] {
  const { ack, suppressed, tags, ageMax } = filter;
  const tests: Test[] = [statusTest(table, filter.status, now)];
  if (ack !== "any") tests.push((at) => table.has(at, FLAG.acknowledged) === (ack === "yes"));
  if (!suppressed) tests.push((at) => !table.has(at, FLAG.suppressed));
  if (ageMax > 0) tests.push((at) => now - (table.clock[at] ?? 0) <= ageMax);
  if (filter.hostids.length > 0) {
    const hostids = new Set(filter.hostids);
    const wanted = perEntry(table.hosts, ({ hostid }) => (hostids.has(hostid) ? 1 : 0));
    tests.push((at) => wanted(table.host[at] ?? 0) === 1);
  }
  if (filter.groupids.length > 0) {
    const sets = filter.groupids.flatMap((it) => groups.get(it) ?? []);
    const wanted = perEntry(table.hosts, ({ hostid }) =>
      sets.some((it) => it.has(hostid)) ? 1 : 0,
    );
    tests.push((at) => wanted(table.host[at] ?? 0) === 1);
  }
  if (tags.length > 0) {
    const wanted = perEntry(table.tagLists, (present) => (hasTags(present, tags) ? 1 : 0));
    tests.push((at) => wanted(table.tags[at] ?? 0) === 1);
  }
  const needles = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  if (needles.length > 0) tests.push(textTest(table, needles));
  return tests;
}

function statusTest(table: ProblemTable, status: ProblemStatus, now: number): Test {
  const resolved = (at: number) => table.rClock[at] ?? 0;
  switch (status) {
    case "open":
      return (at) => resolved(at) === 0;
    case "resolved":
      return (at) => resolved(at) > 0;
    case "recent":
      return (at) => resolved(at) === 0 || now - resolved(at) <= RECENT_SECONDS;
    default:
      return status satisfies never;
  }
}

function hasTags(present: readonly TagPair[], wanted: readonly TagPair[]): boolean {
  return wanted.every(([tag, value]) =>
    present.some(([name, its]) => name === tag && (value === "" || its === value)),
  );
}

/** Values repeat: each distinct one is looked at once a pass, when the first row has it. */
function perEntry<T>(
  { entries }: { readonly entries: readonly T[] },
  read: (entry: T) => number,
): (position: number) => number {
  const unknown = -1;
  const known = new Int32Array(entries.length).fill(unknown);
  return (position) => {
    let it = known[position] ?? unknown;
    if (it === unknown) {
      it = read(entries[position] as T);
      known[position] = it;
    }
    return it;
  };
}

function textTest(table: ProblemTable, needles: readonly string[]): Test {
  const all = 2 ** needles.length - 1;
  const found = (lower: string): number => {
    let bits = 0;
    for (let at = 0; at < needles.length; at += 1) {
      if (lower.includes(needles[at] ?? "")) bits |= 1 << at;
    }
    return bits;
  };
  const inName = perEntry({ entries: searchTexts(table.names.entries, text) }, found);
  const inHost = perEntry({ entries: searchTexts(table.hosts.entries, hostText) }, found);
  const inOpdata = perEntry({ entries: searchTexts(table.opdatas.entries, text) }, found);
  return (at) =>
    (inName(table.name[at] ?? 0) |
      inHost(table.host[at] ?? 0) |
      inOpdata(table.opdata[at] ?? 0)) ===
    all;
}

const text = (entry: string) => entry;
const hostText = ({ host }: ProblemHost) => host;

// dictionaries grow at their end, and are another list when unused entries were dropped
const lowerTexts = new WeakMap<readonly unknown[], string[]>();

/** The entries in small letters: made once, not at each key press. */
function searchTexts<T>(entries: readonly T[], textOf: (entry: T) => string): readonly string[] {
  const known = lowerTexts.get(entries) ?? [];
  for (let at = known.length; at < entries.length; at += 1) {
    known.push(textOf(entries[at] as T).toLowerCase());
  }
  lowerTexts.set(entries, known);
  return known;
}

const COLLATOR = collatorOf("en-US");

/** The order of names in a language: `web2` before `web10`. */
export function collatorOf(locale: string): Intl.Collator {
  return new Intl.Collator(locale, { numeric: true });
}

/** Of positions that come newest first; equal ones stay so. */
function ordered(
  table: ProblemTable,
  filter: ProblemFilter,
  newest: Uint32Array,
  collator: Intl.Collator,
): Uint32Array {
  const { descending } = filter;
  switch (filter.sort) {
    case "time":
      return descending ? newest : newest.reverse();
    case "severity":
      return byRank(newest, table.severity, SEVERITY_RANKS, descending);
    case "host": {
      const ranks = textRanks(table.hosts.entries, hostText, collator);
      return byRank(newest, table.host, ranks, descending);
    }
    case "name": {
      const ranks = textRanks(table.names.entries, text, collator);
      return byRank(newest, table.name, ranks, descending);
    }
    default:
      return filter.sort satisfies never;
  }
}

interface TimeOrder {
  readonly membership: number;
  readonly positions: Uint32Array;
}

// a problem's beginning does not change: the order stays until rows come or go
const timeOrders = new WeakMap<ProblemTable, TimeOrder>();

/** All positions, newest first, of equal times by event id, so that the order is the same each time. */
function newestFirst(table: ProblemTable): Uint32Array {
  const known = timeOrders.get(table);
  if (known?.membership === table.membership) return known.positions;
  const positions = sortedByTime(table);
  timeOrders.set(table, { membership: table.membership, positions });
  return positions;
}

/**
 * Clock and place packed into one number and sorted as numbers: no comparison function, which is what makes
 * sorting 100,000 rows slow. Second 0 is taken from the last problem so that both fit into 53 bits.
 */
function sortedByTime(table: ProblemTable): Uint32Array {
  const n = table.size;
  let latest = 0;
  for (let at = 0; at < n; at += 1) latest = Math.max(latest, table.clock[at] ?? 0);
  const keys = new Float64Array(n);
  for (let at = 0; at < n; at += 1) {
    keys[at] = (Math.floor(latest) - Math.floor(table.clock[at] ?? 0)) * n + at;
  }
  keys.sort();
  const sorted = Uint32Array.from(keys, (key) => key % n);
  sortTies(table, sorted);
  return sorted;
}

/** Runs of the same second are put in order of event ids, which mostly they are in already. */
function sortTies(table: ProblemTable, sorted: Uint32Array): void {
  const id = (place: number) => table.eventid[sorted[place] ?? 0] ?? 0;
  const clock = (place: number) => Math.floor(table.clock[sorted[place] ?? 0] ?? 0);
  for (let from = 0; from < sorted.length; ) {
    let to = from + 1;
    let isSorted = true;
    while (to < sorted.length && clock(to) === clock(from)) {
      isSorted &&= id(to - 1) > id(to);
      to += 1;
    }
    if (!isSorted) {
      const ids = Float64Array.from(sorted.subarray(from, to), (at) => table.eventid[at] ?? 0);
      ids.sort().reverse();
      for (const [offset, eventid] of ids.entries()) {
        sorted[from + offset] = table.positionOf(eventid) ?? 0;
      }
    }
    from = to;
  }
}

const SEVERITY_RANKS = Uint32Array.of(0, 1, 2, 3, 4, 5);

/** Distribution by the rank of a column's entry: equal ranks keep the order that they came in. */
function byRank(
  positions: Uint32Array,
  column: Uint32Array | Uint8Array,
  ranks: Uint32Array,
  descending: boolean,
): Uint32Array {
  const rankOf = (at: number) => {
    const rank = ranks[column[at] ?? 0] ?? 0;
    return descending ? ranks.length - 1 - rank : rank;
  };
  const next = new Uint32Array(ranks.length + 1);
  for (let place = 0; place < positions.length; place += 1) {
    const rank = rankOf(positions[place] ?? 0);
    next[rank + 1] = (next[rank + 1] ?? 0) + 1;
  }
  for (let rank = 1; rank < next.length; rank += 1) {
    next[rank] = (next[rank] ?? 0) + (next[rank - 1] ?? 0);
  }
  const sorted = new Uint32Array(positions.length);
  for (let place = 0; place < positions.length; place += 1) {
    const at = positions[place] ?? 0;
    const rank = rankOf(at);
    const to = next[rank] ?? 0;
    sorted[to] = at;
    next[rank] = to + 1;
  }
  return sorted;
}

interface Ranks {
  readonly collator: Intl.Collator;
  readonly ranks: Uint32Array;
}

const textOrders = new WeakMap<readonly unknown[], Ranks>();

/** The place of each entry in the order of their texts, equal ones the same: kept until entries come. */
function textRanks<T>(
  entries: readonly T[],
  textOf: (entry: T) => string,
  collator: Intl.Collator,
): Uint32Array {
  const known = textOrders.get(entries);
  if (known?.ranks.length === entries.length && known.collator === collator) return known.ranks;
  const texts = entries.map(textOf);
  const places = new Map([...new Set(texts)].sort(collator.compare).map((it, at) => [it, at]));
  const ranks = Uint32Array.from(texts, (it) => places.get(it) ?? 0);
  textOrders.set(entries, { collator, ranks });
  return ranks;
}
