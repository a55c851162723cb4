// The Problems view as data: filter and order, written to and read from the address, applied to the columns.

import type { ProblemTable } from "@/api/problem-table";
import type { Id } from "@/api/types";
import type { TagPair } from "@/lib/columns";
import { SEVERITIES, type Severity, toSeverity } from "@/lib/severity";

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

function readTags(text: string): TagPair[] {
  return text
    .split(",")
    .filter(Boolean)
    .map((part): TagPair => {
      const colon = part.indexOf(":");
      const decode = (it: string) => {
        try {
          return decodeURIComponent(it);
        } catch {
          return it;
        }
      };
      return colon < 0
        ? [decode(part), ""]
        : [decode(part.slice(0, colon)), decode(part.slice(colon + 1))];
    });
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

function writeTags(tags: readonly TagPair[]): string {
  return tags
    .map(([tag, value]) =>
      value === ""
        ? encodeURIComponent(tag)
        : `${encodeURIComponent(tag)}:${encodeURIComponent(value)}`,
    )
    .join(",");
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
  const severities = new Set<Severity>(filter.severities);
  const bySeverity = [0, 0, 0, 0, 0, 0];
  const positions: number[] = [];
  for (let at = 0; at < table.size; at += 1) {
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
  if (ack !== "any") tests.push((at) => (table.acknowledged[at] === true) === (ack === "yes"));
  if (!suppressed) tests.push((at) => table.suppressed[at] !== true);
  if (ageMax > 0) tests.push((at) => now - (table.clock[at] ?? 0) <= ageMax);
  if (filter.hostids.length > 0) {
    const hostids = new Set(filter.hostids);
    tests.push((at) => hostids.has(table.hostid[at] ?? ""));
  }
  if (tags.length > 0) tests.push((at) => hasTags(table.tags[at] ?? [], tags));
  const needles = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  if (needles.length > 0) tests.push(textTest(table, needles));
  return (at) => tests.every((test) => test(at));
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

/** Names and hosts repeat: each distinct text is searched once a pass. */
function textTest(table: ProblemTable, needles: readonly string[]): Test {
  const known = new Map<string, number>();
  const all = 2 ** needles.length - 1;
  const found = (text: string): number => {
    let bits = known.get(text);
    if (bits === undefined) {
      const lower = text.toLowerCase();
      bits = 0;
      for (const [at, needle] of needles.entries()) if (lower.includes(needle)) bits |= 1 << at;
      known.set(text, bits);
    }
    return bits;
  };
  return (at) =>
    (found(table.name[at] ?? "") | found(table.host[at] ?? "") | found(table.opdata[at] ?? "")) ===
    all;
}

const collator = new Intl.Collator("en", { numeric: true });

/** Newest first among equals, then by event id, so that the order is the same each time. */
function ordered(
  table: ProblemTable,
  filter: ProblemFilter,
  positions: readonly number[],
): number[] {
  const newest = newestFirst(table, positions);
  switch (filter.sort) {
    case "time":
      return filter.descending ? newest : newest.reverse();
    case "severity":
      return byRank(newest, table.severity, filter.descending);
    case "host":
      return byRank(newest, textRanks(table.host), filter.descending);
    case "name":
      return byRank(newest, textRanks(table.name), filter.descending);
    default:
      return filter.sort satisfies never;
  }
}

/**
 * Clock and place packed into one number and sorted as numbers: no comparison function, which is what makes
 * sorting 100,000 rows slow. Second 0 is taken from the first problem so that both fit into 53 bits.
 */
function newestFirst(table: ProblemTable, positions: readonly number[]): number[] {
  const n = positions.length;
  let latest = 0;
  for (const at of positions) latest = Math.max(latest, table.clock[at] ?? 0);
  const keys = new Float64Array(n);
  for (let place = 0; place < n; place += 1) {
    const clock = Math.floor(table.clock[positions[place] ?? 0] ?? 0);
    keys[place] = (Math.floor(latest) - clock) * n + place;
  }
  keys.sort();
  const sorted = Array.from(keys, (key) => positions[key % n] ?? 0);
  return sortTies(table, sorted);
}

/** Runs of the same second are short; each is put in order of event ids. */
function sortTies(table: ProblemTable, sorted: number[]): number[] {
  const id = (at: number | undefined) => table.order[at ?? 0] ?? 0;
  const clock = (at: number | undefined) => Math.floor(table.clock[at ?? 0] ?? 0);
  for (let from = 0; from < sorted.length; ) {
    let to = from + 1;
    while (to < sorted.length && clock(sorted[to]) === clock(sorted[from])) to += 1;
    if (to - from > 1) {
      const run = sorted.slice(from, to).sort((a, b) => id(b) - id(a));
      for (const [offset, at] of run.entries()) sorted[from + offset] = at;
    }
    from = to;
  }
  return sorted;
}

/** Stable distribution by rank: equal ranks keep the order that they came in. */
function byRank(
  positions: readonly number[],
  ranks: readonly number[],
  descending: boolean,
): number[] {
  const buckets: number[][] = [];
  for (const at of positions) {
    const rank = ranks[at] ?? 0;
    const bucket = buckets[rank];
    if (bucket === undefined) buckets[rank] = [at];
    else bucket.push(at);
  }
  const filled = buckets.filter((bucket) => bucket !== undefined);
  return (descending ? filled.reverse() : filled).flat();
}

function textRanks(column: readonly string[]): number[] {
  const ranks = new Map([...new Set(column)].sort(collator.compare).map((it, at) => [it, at]));
  return column.map((it) => ranks.get(it) ?? 0);
}
