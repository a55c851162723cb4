// The list of hosts as data: filter and order, written to and read from the address.

import type { HostOrder, HostQuery } from "@/api/hosts";
import { readTags, writeTags } from "@/lib/tag-pairs";

export interface HostsSearch {
  readonly q?: string;
  readonly groups?: string;
  readonly templates?: string;
  readonly tags?: string;
  readonly status?: string;
  readonly availability?: string;
  readonly sort?: string;
}

export const STATUSES = { enabled: "0", disabled: "1" } as const;
export const AVAILABILITIES = { unknown: "0", available: "1", unavailable: "2" } as const;

/** Columns that the server sorts by. */
const ORDERS = [
  "name",
  "availability",
  "address",
  "items",
  "triggers",
  "discoveries",
  "groups",
  "status",
];
const USUAL: HostOrder = { by: "name", descending: false };

function codeOf<Code extends string>(
  codes: Readonly<Record<string, Code>>,
  name: string | undefined,
): Code | undefined {
  return name !== undefined && Object.hasOwn(codes, name) ? codes[name] : undefined;
}

function nameOf(codes: Readonly<Record<string, string>>, code: string | undefined): string {
  return Object.entries(codes).find(([, it]) => it === code)?.[0] ?? "";
}

const ids = (text: string | undefined) => (text ?? "").split(",").filter((it) => /^\d+$/.test(it));

/** Whatever stands in the address gives a usable filter. */
export function readHosts(search: HostsSearch): HostQuery {
  return {
    text: search.q ?? "",
    groupids: ids(search.groups),
    templateids: ids(search.templates),
    tags: readTags(search.tags ?? ""),
    status: codeOf(STATUSES, search.status),
    availability: codeOf(AVAILABILITIES, search.availability),
  };
}

export function readOrder({ sort = "" }: HostsSearch): HostOrder {
  const by = sort.replace(/^-/, "");
  return ORDERS.includes(by) ? { by, descending: sort.startsWith("-") } : USUAL;
}

/** What is as usual is left out, so that addresses stay short. */
export function writeHosts(query: HostQuery, order: HostOrder): HostsSearch {
  const sort = `${order.descending ? "-" : ""}${order.by}`;
  const all: Required<HostsSearch> = {
    q: query.text,
    groups: query.groupids.join(","),
    templates: query.templateids.join(","),
    tags: writeTags(query.tags),
    status: nameOf(STATUSES, query.status),
    availability: nameOf(AVAILABILITIES, query.availability),
    sort: sort === USUAL.by ? "" : sort,
  };
  return Object.fromEntries(Object.entries(all).filter(([, text]) => text !== ""));
}

export function isFiltered(query: HostQuery): boolean {
  return Object.keys(writeHosts({ ...query, text: query.text.trim() }, USUAL)).length > 0;
}
