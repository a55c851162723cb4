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
export const RECENT_SECONDS = 300;

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
  positions.sort(comparator(table, filter));
  return { positions, bySeverity };
}

function matcher(table: ProblemTable, filter: ProblemFilter, now: number): (at: number) => boolean {
  const { status, ack, suppressed, tags, ageMax } = filter;
  const hostids = new Set(filter.hostids);
  const needles = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  const containsText = textMatcher(table, needles);
  return (at) => {
    const rClock = table.rClock[at] ?? 0;
    if (status === "open" && rClock > 0) return false;
    if (status === "resolved" && rClock === 0) return false;
    if (status === "recent" && rClock > 0 && now - rClock > RECENT_SECONDS) return false;
    if (ack !== "any" && (table.acknowledged[at] === true) !== (ack === "yes")) return false;
    if (!suppressed && table.suppressed[at] === true) return false;
    if (ageMax > 0 && now - (table.clock[at] ?? 0) > ageMax) return false;
    if (hostids.size > 0 && !hostids.has(table.hostid[at] ?? "")) return false;
    if (tags.length > 0 && !hasTags(table.tags[at] ?? [], tags)) return false;
    return containsText(at);
  };
}

function hasTags(present: readonly TagPair[], wanted: readonly TagPair[]): boolean {
  return wanted.every(([tag, value]) =>
    present.some(([name, its]) => name === tag && (value === "" || its === value)),
  );
}

/** Names and hosts repeat: each distinct text is searched once a pass. */
function textMatcher(table: ProblemTable, needles: readonly string[]): (at: number) => boolean {
  if (needles.length === 0) return () => true;
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

function comparator(table: ProblemTable, filter: ProblemFilter): (a: number, b: number) => number {
  const sign = filter.descending ? -1 : 1;
  // equal rows: newest first, then by id, so that the order is the same each time
  const newest = (a: number, b: number) =>
    (table.clock[b] ?? 0) - (table.clock[a] ?? 0) ||
    Number(table.eventid[b] ?? 0) - Number(table.eventid[a] ?? 0);
  const byText = (column: readonly string[]) => {
    // 100,000 comparisons of texts by collation are slow; ranks of the distinct ones are not
    const ranks = new Map([...new Set(column)].sort(collator.compare).map((it, at) => [it, at]));
    const rank = column.map((it) => ranks.get(it) ?? 0);
    return (a: number, b: number) => sign * ((rank[a] ?? 0) - (rank[b] ?? 0)) || newest(a, b);
  };
  switch (filter.sort) {
    case "time":
      return (a, b) => sign * -newest(a, b);
    case "severity":
      return (a, b) => sign * ((table.severity[a] ?? 0) - (table.severity[b] ?? 0)) || newest(a, b);
    case "host":
      return byText(table.host);
    case "name":
      return byText(table.name);
    default:
      return filter.sort satisfies never;
  }
}
