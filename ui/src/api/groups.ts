// Groups of hosts and of templates.

import { call } from "./rpc";
import * as schema from "./schema";
import type { GroupRef, Id } from "./types";

export async function fetchHostGroups(signal?: AbortSignal): Promise<readonly GroupRef[]> {
  const params = { output: ["groupid", "name"], sortfield: "name" } as const;
  return call("hostgroup.get", params, schema.listOf(schema.group), signal);
}

/** A group with the hosts that one may see of it. */
export interface GroupMembers extends GroupRef {
  readonly hostids: ReadonlySet<Id>;
}

/** Groups with monitored hosts, and the ids of all their hosts. */
export async function fetchGroupMembers(signal?: AbortSignal): Promise<readonly GroupMembers[]> {
  const params = {
    output: ["groupid", "name"],
    selectHosts: ["hostid"],
    with_monitored_hosts: true,
    sortfield: "name",
  } as const;
  const groups = await call("hostgroup.get", params, schema.listOf(schema.groupMembers), signal);
  return groups.map(({ groupid, name, hosts }) => ({
    groupid,
    name,
    hostids: new Set(hosts.map(({ hostid }) => hostid)),
  }));
}

export async function fetchTemplateGroups(signal?: AbortSignal): Promise<readonly GroupRef[]> {
  const params = { output: ["groupid", "name"], sortfield: "name" } as const;
  return call("templategroup.get", params, schema.listOf(schema.group), signal);
}

export async function createGroup(kind: "hostgroup" | "templategroup", name: string): Promise<Id> {
  const ids = await call(`${kind}.create`, { name }, schema.createdIds("groupids"));
  return ids[0] ?? "";
}
