// The Problems view as data: filter and order, written to and read from the address, applied to the columns.

import { FLAG } from "@/api/problem-lines";
import type { ProblemTable } from "@/api/problem-table";
import type { Id } from "@/api/types";
import type { TagPair } from "@/lib/columns";
import { SEVERITIES, type Severity, toSeverity } from "@/lib/severity";
import { readTags, writeTags } from "@/lib/tag-pairs";

export type ProblemStatus = "open" | "recent" | "resolved";
export type AckFilter = "any" | "yes" | "no";
export type ProblemSort = "time" | "severity" | "host" | "name";

export interface ProblemFilter {
  readonly severities: readonly Severity[];
  readonly text: string;
  readonly status: ProblemStatus;
  readonly ack: AckFilter;
  readonly suppressed: boolean;
  readonly hostids: readonly Id[];
  readonly tags: readonly TagPair[];
  /** not older than so many seconds; 0 for any age */
  readonly ageMax: number;
  readonly sort: ProblemSort;
  readonly descending: boolean;
  readonly timeline: boolean;
}

export const DEFAULT_FILTER: ProblemFilter = {
  severities: [],
  text: "",
  status: "recent",
  ack: "any",
  suppressed: false,
  hostids: [],
  tags: [],
  ageMax: 0,
  sort: "time",
  descending: true,
  timeline: true,
};

/** Address parameters; what is as usual is left out, so that addresses stay short. */
export interface ProblemSearch {
  readonly sev?: string;
  readonly q?: string;
  readonly status?: string;
  readonly ack?: string;
  readonly suppressed?: string;
  readonly hosts?: string;
  readonly tags?: string;
  readonly age?: string;
  readonly sort?: string;
  readonly timeline?: string;
  readonly event?: string;
}

const STATUSES: readonly ProblemStatus[] = ["open", "recent", "resolved"];
const SORTS: readonly ProblemSort[] = ["time", "severity", "host", "name"];

function oneOf<T extends string>(value: unknown, options: readonly T[], usual: T): T {
  return options.find((option) => option === value) ?? usual;
}

function words(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** Whatever stands in the address gives a usable filter. */
export function readFilter(search: ProblemSearch): ProblemFilter {
  const sort = words(search.sort);
  const by = sort.replace(/^-/, "");
  const severities = words(search.sev)
    .split(",")
    .filter((it) => /^[0-5]$/.test(it))
    .map(toSeverity);
  return {
    severities: SEVERITIES.filter((it) => severities.includes(it)),
    text: words(search.q),
    status: oneOf(search.status, STATUSES, DEFAULT_FILTER.status),
    ack: oneOf(search.ack, ["any", "yes", "no"], DEFAULT_FILTER.ack),
    suppressed: words(search.suppressed) === "1",
    hostids: words(search.hosts).split(",").filter(Boolean),
    tags: readTags(words(search.tags)),
    ageMax: Math.max(0, Number.parseInt(words(search.age), 10) || 0),
    sort: oneOf(by, SORTS, DEFAULT_FILTER.sort),
    descending: sort === "" ? DEFAULT_FILTER.descending : sort.startsWith("-"),
    timeline: words(search.timeline) !== "0",
  };
}

export function writeFilter(filter: ProblemFilter): ProblemSearch {
  const usual = DEFAULT_FILTER;
  const order = `${filter.descending ? "-" : ""}${filter.sort}`;
  return {
    ...(filter.severities.length === 0 ? {} : { sev: filter.severities.join(",") }),
    ...(filter.text === "" ? {} : { q: filter.text }),
    ...(filter.status === usual.status ? {} : { status: filter.status }),
    ...(filter.ack === usual.ack ? {} : { ack: filter.ack }),
    ...(filter.suppressed ? { suppressed: "1" } : {}),
    ...(filter.hostids.length === 0 ? {} : { hosts: filter.hostids.join(",") }),
    ...(filter.tags.length === 0 ? {} : { tags: writeTags(filter.tags) }),
    ...(filter.ageMax === 0 ? {} : { age: String(filter.ageMax) }),
    ...(order === "-time" ? {} : { sort: order }),
    ...(filter.timeline ? {} : { timeline: "0" }),
  };
}

/** Resolved problems stay in the "recent" view for so long. */
const RECENT_SECONDS = 300;

export interface FilterResult {
  /** positions in the table, in the wanted order */
  readonly positions: number[];
  /** by severity, of what the other conditions let through */
  readonly bySeverity: number[];
}

export function applyFilter(table: ProblemTable, filter: ProblemFilter, now: number): FilterResult {
  const matches = matcher(table, filter, now);
  const severities = new Set<number>(filter.severities);
  const bySeverity = [0, 0, 0, 0, 0, 0];
  const positions: number[] = [];
  for (const at of newestFirst(table)) {
    if (!matches(at)) continue;
    const severity = table.severity[at] ?? 0;
    bySeverity[severity] = (bySeverity[severity] ?? 0) + 1;
    if (severities.size === 0 || severities.has(severity)) positions.push(at);
  }
  return { positions: ordered(table, filter, positions), bySeverity };
}

type Test = (at: number) => boolean;

/** Only the conditions that are set cost anything. */
function matcher(table: ProblemTable, filter: ProblemFilter, now: number): Test {
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
  if (tags.length > 0) {
    const wanted = perEntry(table.tagLists, (present) => (hasTags(present, tags) ? 1 : 0));
    tests.push((at) => wanted(table.tags[at] ?? 0) === 1);
  }
  const needles = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  if (needles.length > 0) tests.push(textTest(table, needles));
  const [first, ...others] = tests;
  if (first === undefined || others.length === 0) return first ?? (() => true);
  return (at) => first(at) && others.every((test) => test(at));
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
  const found = (text: string): number => {
    const lower = text.toLowerCase();
    let bits = 0;
    for (const [at, needle] of needles.entries()) if (lower.includes(needle)) bits |= 1 << at;
    return bits;
  };
  const inName = perEntry(table.names, found);
  const inHost = perEntry(table.hosts, ({ host }) => found(host));
  const inOpdata = perEntry(table.opdatas, found);
  return (at) =>
    (inName(table.name[at] ?? 0) |
      inHost(table.host[at] ?? 0) |
      inOpdata(table.opdata[at] ?? 0)) ===
    all;
}

const collator = new Intl.Collator("en", { numeric: true });

/** Of positions that come newest first; equal ones stay so. */
function ordered(table: ProblemTable, filter: ProblemFilter, newest: number[]): number[] {
  const { descending } = filter;
  switch (filter.sort) {
    case "time":
      return descending ? newest : newest.reverse();
    case "severity":
      return byRank(newest, (at) => table.severity[at] ?? 0, descending);
    case "host": {
      const ranks = textRanks(table.hosts.entries.map((it) => it.host));
      return byRank(newest, (at) => ranks[table.host[at] ?? 0] ?? 0, descending);
    }
    case "name": {
      const ranks = textRanks(table.names.entries);
      return byRank(newest, (at) => ranks[table.name[at] ?? 0] ?? 0, descending);
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

/** Stable distribution by rank: equal ranks keep the order that they came in. */
function byRank(
  positions: readonly number[],
  rankOf: (at: number) => number,
  descending: boolean,
): number[] {
  const buckets: number[][] = [];
  for (const at of positions) {
    const rank = rankOf(at);
    const bucket = buckets[rank];
    if (bucket === undefined) buckets[rank] = [at];
    else bucket.push(at);
  }
  const filled = buckets.filter((bucket) => bucket !== undefined);
  return (descending ? filled.reverse() : filled).flat();
}

function textRanks(texts: readonly string[]): number[] {
  const ranks = new Map([...new Set(texts)].sort(collator.compare).map((it, at) => [it, at]));
  return texts.map((it) => ranks.get(it) ?? 0);
}
