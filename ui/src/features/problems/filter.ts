// The Problems view as data: filter and order, written to and read from the address. Applied in apply.ts.

import type { FirstProblems } from "@/api/problem-load";
import type { Id } from "@/api/types";
import type { TagPair } from "@/lib/columns";
import { SEVERITIES, type Severity, toSeverity } from "@/lib/severity";
import { readTags, writeTags } from "@/lib/tag-pairs";

export type ProblemStatus = "open" | "recent" | "resolved";
export type AckFilter = "any" | "yes" | "no";
/** What problems are put together by; by the values of a tag: `tag:` and its name. */
export type ProblemGrouping = "host" | "group" | "severity" | "name" | `tag:${string}`;
export type ProblemSort = "time" | "severity" | "host" | "name";

export interface ProblemFilter {
  readonly severities: readonly Severity[];
  readonly text: string;
  readonly status: ProblemStatus;
  readonly ack: AckFilter;
  readonly suppressed: boolean;
  readonly hostids: readonly Id[];
  readonly groupids: readonly Id[];
  readonly tags: readonly TagPair[];
  /** not older than so many seconds; 0 for any age */
  readonly ageMax: number;
  readonly sort: ProblemSort;
  readonly descending: boolean;
  readonly timeline: boolean;
  readonly grouping: ProblemGrouping | undefined;
}

export const DEFAULT_FILTER: ProblemFilter = {
  severities: [],
  text: "",
  status: "recent",
  ack: "any",
  suppressed: false,
  hostids: [],
  groupids: [],
  tags: [],
  ageMax: 0,
  sort: "time",
  descending: true,
  timeline: true,
  grouping: undefined,
};

/** Address parameters; what is as usual is left out, so that addresses stay short. */
export interface ProblemSearch {
  readonly sev?: string;
  readonly q?: string;
  readonly status?: string;
  readonly ack?: string;
  readonly suppressed?: string;
  readonly hosts?: string;
  readonly groups?: string;
  readonly tags?: string;
  readonly age?: string;
  readonly sort?: string;
  readonly timeline?: string;
  readonly by?: string;
  readonly event?: string;
}

const STATUSES: readonly ProblemStatus[] = ["open", "recent", "resolved"];
const GROUPINGS: readonly ProblemGrouping[] = ["host", "group", "severity", "name"];
const BY_TAG = /^tag:(?=.)/;
const SORTS: readonly ProblemSort[] = ["time", "severity", "host", "name"];

function oneOf<T extends string>(value: unknown, options: readonly T[], usual: T): T {
  return options.find((option) => option === value) ?? usual;
}

function words(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** As it stands in the address. */
export function readGrouping(by: string): ProblemGrouping | undefined {
  const tag = tagOf(by);
  return tag === undefined ? GROUPINGS.find((it) => it === by) : `tag:${tag}`;
}

/** The name of the tag whose values problems are grouped by. */
export function tagOf(by: string): string | undefined {
  return BY_TAG.test(by) ? by.replace(BY_TAG, "") : undefined;
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
    groupids: words(search.groups).split(",").filter(Boolean),
    tags: readTags(words(search.tags)),
    ageMax: Math.max(0, Number.parseInt(words(search.age), 10) || 0),
    sort: oneOf(by, SORTS, DEFAULT_FILTER.sort),
    descending: sort === "" ? DEFAULT_FILTER.descending : sort.startsWith("-"),
    timeline: words(search.timeline) !== "0",
    grouping: readGrouping(words(search.by)),
  };
}

/** What the list begins with: these come before all others. */
export function firstShown(filter: ProblemFilter, hostid: Id | undefined): FirstProblems {
  const { hostids, severities, sort, descending } = filter;
  return {
    hostids: hostid === undefined ? hostids : [hostid],
    severities,
    bySeverity: sort === "severity" && descending,
  };
}

/** Whether something is set that hides problems; suppressed ones are hidden unless somebody asks for them. */
export function isFiltered(filter: ProblemFilter): boolean {
  const { sort, descending, timeline, grouping } = filter;
  const unfiltered = { ...DEFAULT_FILTER, sort, descending, timeline, grouping };
  return Object.keys(writeFilter(filter)).length > Object.keys(writeFilter(unfiltered)).length;
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
    ...(filter.groupids.length === 0 ? {} : { groups: filter.groupids.join(",") }),
    ...(filter.tags.length === 0 ? {} : { tags: writeTags(filter.tags) }),
    ...(filter.ageMax === 0 ? {} : { age: String(filter.ageMax) }),
    ...(order === "-time" ? {} : { sort: order }),
    ...(filter.timeline ? {} : { timeline: "0" }),
    ...(filter.grouping === undefined ? {} : { by: filter.grouping }),
  };
}
