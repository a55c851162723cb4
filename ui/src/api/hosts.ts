// Hosts with their interfaces, tags and links.

import * as z from "zod/mini";
import type { TagPair } from "@/lib/columns";
import { checked } from "./checked";
import { related } from "./described";
import { HOST } from "./generated/host";
import { HOST_INTERFACE } from "./generated/host-interface";
import { http } from "./http";
import { type AnswerOf, type DraftOf, objectsOf, readerOf } from "./objects";
import { call, MASS_MS } from "./rpc";
import * as schema from "./schema";
import { MACRO_FIELDS } from "./templates";
import type { Id } from "./types";

const INTERFACE_FIELDS = [
  "interfaceid",
  "type",
  "main",
  "useip",
  "ip",
  "dns",
  "port",
  "available",
  "error",
] as const;
const LISTED = {
  hostgroups: ["groupid", "name"],
  parentTemplates: ["templateid", "name"],
  tags: ["tag", "value"],
  items: "count",
  triggers: "count",
  discoveries: "count",
} as const;
const ROW_FIELDS = ["hostid", "host", "name", "status", "active_available"] as const;

const HOSTS = objectsOf(HOST, {
  output: [
    ...ROW_FIELDS,
    "description",
    "ipmi_authtype",
    "ipmi_privilege",
    "ipmi_username",
    "tls_connect",
    "tls_accept",
    "tls_issuer",
    "tls_subject",
  ],
  selects: {
    ...LISTED,
    interfaces: related(HOST_INTERFACE, [...INTERFACE_FIELDS, "details"]),
    parents: ["hostid"],
    macros: MACRO_FIELDS,
  },
});
/** Hosts as lines of a list, by a call of their own. */
const { row: HOST_ROW } = readerOf(HOST, {
  output: ROW_FIELDS,
  selects: { ...LISTED, interfaces: related(HOST_INTERFACE, INTERFACE_FIELDS) },
});

export type Host = AnswerOf<typeof HOSTS>;
export type HostRow = z.infer<typeof HOST_ROW>;
/** Without what only SNMP has. */
export type HostInterface = HostRow["interfaces"][number];
export type SnmpDetails = NonNullable<Host["interfaces"][number]["details"]>;
export type HostDraft = DraftOf<"host">;

/** What of the hosts a list shows. */
export interface HostQuery {
  /** words, each of which is found in a name, address, group, template, tag or the inventory */
  readonly text: string;
  readonly groupids: readonly Id[];
  readonly templateids: readonly Id[];
  /** a tag without a value stands for any value */
  readonly tags: readonly TagPair[];
  readonly status: "0" | "1" | undefined;
  readonly availability: "0" | "1" | "2" | undefined;
}

export interface HostOrder {
  readonly by: string;
  readonly descending: boolean;
}

/** With the number of all hosts that the query admits. */
const hostWindow = z.object({ total: z.number(), hosts: schema.listOf(HOST_ROW) });
export type HostWindow = z.infer<typeof hostWindow>;

const hostIds = z.object({ hostids: schema.listOf(z.string()) });

const TAG_EQUALS = "1";
const TAG_EXISTS = "4";

function hostParams(query: HostQuery): URLSearchParams {
  const params = new URLSearchParams();
  const set = (name: string, value: string) => {
    if (value !== "") params.set(name, value);
  };
  set("q", query.text.trim());
  set("groupids", query.groupids.join(","));
  set("templateids", query.templateids.join(","));
  set("status", query.status ?? "");
  set("availability", query.availability ?? "");
  if (query.tags.length > 0) {
    const tags = query.tags.map(([tag, value]) =>
      value === "" ? { tag, operator: TAG_EXISTS } : { tag, value, operator: TAG_EQUALS },
    );
    params.set("tags", JSON.stringify(tags));
  }
  return params;
}

/** The hosts at `offset` in that order: the server searches, filters and sorts. */
export async function fetchHostWindow(
  query: HostQuery,
  order: HostOrder,
  { offset, limit }: { readonly offset: number; readonly limit: number },
  signal?: AbortSignal,
): Promise<HostWindow> {
  const params = hostParams(query);
  params.set("sort", `${order.descending ? "-" : ""}${order.by}`);
  params.set("offset", String(offset));
  params.set("limit", String(limit));
  return checked("hosts", await http(`/api/v1/hosts?${params}`, { signal }), hostWindow);
}

/** All that the query admits. */
export async function fetchHostIds(query: HostQuery): Promise<readonly Id[]> {
  const answer = await http(`/api/v1/hosts/ids?${hostParams(query)}`);
  return checked("hosts", answer, hostIds).hostids;
}

export async function fetchHost(hostid: Id, signal?: AbortSignal): Promise<Host | undefined> {
  return HOSTS.one(hostid, signal);
}

export async function createHost({ templates_clear: _, ...draft }: HostDraft): Promise<Id> {
  return HOSTS.create(draft);
}

export const { update: updateHost, remove: deleteHosts } = HOSTS;

export async function setHostsStatus(hostids: readonly Id[], status: 0 | 1): Promise<void> {
  const params = { hosts: hostids.map((hostid) => ({ hostid })), status };
  await call("host.massupdate", params, schema.changed, { timeoutMs: MASS_MS });
}

export async function linkTemplates(
  hostids: readonly Id[],
  templateids: readonly Id[],
): Promise<void> {
  const params = {
    hosts: hostids.map((hostid) => ({ hostid })),
    templates: templateids.map((templateid) => ({ templateid })),
  };
  await call("host.massadd", params, schema.changed, { timeoutMs: MASS_MS });
}
