// Hosts with their interfaces, tags and links.

import * as z from "zod/mini";
import type { HostCreate } from "./generated/host";
import { call } from "./rpc";
import * as schema from "./schema";
import type { Host, Id } from "./types";

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
] as const;

export async function fetchHosts(signal?: AbortSignal): Promise<readonly Host[]> {
  return call(
    "host.get",
    {
      output: HOST_FIELDS,
      selectInterfaces: INTERFACE_FIELDS,
      selectHostGroups: ["groupid", "name"],
      selectParentTemplates: ["templateid", "name"],
      selectTags: ["tag", "value"],
      selectItems: "count",
      selectTriggers: "count",
      selectDiscoveries: "count",
      sortfield: "name",
    },
    schema.listOf(schema.host),
    signal,
  );
}

export interface HostName {
  readonly hostid: Id;
  readonly name: string;
}

const hostName = z.object({ hostid: z.string(), name: z.string() });

/** Ids and names alone: for the palette and pickers. */
export async function fetchHostIndex(signal?: AbortSignal): Promise<readonly HostName[]> {
  return call(
    "host.get",
    { output: ["hostid", "name"], sortfield: "name" },
    schema.listOf(hostName),
    signal,
  );
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
  const changes = hostids.map((hostid) => ({ hostid, status }));
  await call("host.update", changes, schema.changed);
}

export async function deleteHosts(hostids: readonly Id[]): Promise<void> {
  await call("host.delete", hostids, schema.changed);
}

export async function linkTemplates(
  hostids: readonly Id[],
  templateids: readonly Id[],
): Promise<void> {
  const params = {
    hosts: hostids.map((hostid) => ({ hostid })),
    templates: templateids.map((templateid) => ({ templateid })),
  };
  await call("host.massadd", params, schema.changed);
}
