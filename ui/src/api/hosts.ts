// Hosts with their interfaces, tags and links.

import type { TagPair } from "@/lib/columns";
import { checked } from "./checked";
import type { HostCreate } from "./generated/host";
import { http } from "./http";
import { call, MASS_MS } from "./rpc";
import * as schema from "./schema";
import type { Host, HostName, HostRow, Id } from "./types";

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
  "details",
] as const;

const HOST_FIELDS = [
  "hostid",
  "host",
  "name",
  "status",
  "description",
  "active_available",
  "ipmi_authtype",
  "ipmi_privilege",
  "ipmi_username",
  "tls_connect",
  "tls_accept",
  "tls_issuer",
  "tls_subject",
] as const;

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

export interface HostWindow {
  /** hosts that the query admits in all */
  readonly total: number;
  readonly hosts: readonly HostRow[];
}

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
  return checked("hosts", await http(`/api/v1/hosts?${params}`, { signal }), schema.hostWindow);
}

/** All that the query admits. */
export async function fetchHostIds(query: HostQuery): Promise<readonly Id[]> {
  const answer = await http(`/api/v1/hosts/ids?${hostParams(query)}`);
  return checked("hosts", answer, schema.hostIds).hostids;
}

async function fetchNames(params: string, signal?: AbortSignal): Promise<readonly HostName[]> {
  const answer = await http(`/api/v1/hosts/names?${params}`, { signal });
  return checked("names of hosts", answer, schema.hostNames).hosts;
}

/** Hosts with these words in their names, the best first. */
export async function searchHostNames(
  text: string,
  limit: number,
  signal?: AbortSignal,
): Promise<readonly HostName[]> {
  return fetchNames(String(new URLSearchParams({ q: text.trim(), limit: String(limit) })), signal);
}

export async function fetchHostNames(
  hostids: readonly Id[],
  signal?: AbortSignal,
): Promise<readonly HostName[]> {
  if (hostids.length === 0) return [];
  return fetchNames(`hostids=${hostids.join(",")}&limit=${hostids.length}`, signal);
}

export async function fetchHost(hostid: Id, signal?: AbortSignal): Promise<Host | undefined> {
  const hosts = await call(
    "host.get",
    {
      hostids: [hostid],
      output: HOST_FIELDS,
      selectInterfaces: INTERFACE_FIELDS,
      selectHostGroups: ["groupid", "name"],
      selectParentTemplates: ["templateid", "name"],
      selectParents: ["hostid"],
      selectTags: ["tag", "value"],
      selectMacros: ["hostmacroid", "macro", "value", "description", "type"],
      selectItems: "count",
      selectTriggers: "count",
      selectDiscoveries: "count",
    },
    schema.listOf(schema.host),
    signal,
  );
  return hosts[0];
}

export type HostDraft = HostCreate;

export async function createHost(draft: HostDraft): Promise<Id> {
  const { templates_clear: _, ...params } = draft;
  const ids = await call("host.create", params, schema.createdIds("hostids"));
  return ids[0] ?? "";
}

export async function updateHost(hostid: Id, draft: Partial<HostDraft>): Promise<void> {
  await call("host.update", { hostid, ...draft }, schema.changed);
}

export async function setHostsStatus(hostids: readonly Id[], status: 0 | 1): Promise<void> {
  const params = { hosts: hostids.map((hostid) => ({ hostid })), status };
  await call("host.massupdate", params, schema.changed, { timeoutMs: MASS_MS });
}

export async function deleteHosts(hostids: readonly Id[]): Promise<void> {
  await call("host.delete", hostids, schema.changed, { timeoutMs: MASS_MS });
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
