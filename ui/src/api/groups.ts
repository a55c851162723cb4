// Groups of hosts and of templates.

import { HOST_GROUP } from "./generated/host-group";
import { TEMPLATE_GROUP } from "./generated/template-group";
import { objectsOf, readerOf } from "./objects";
import type { GroupRef, Id } from "./types";

const GROUPS = {
  hostgroup: objectsOf(HOST_GROUP, { output: ["groupid", "name"] }),
  templategroup: objectsOf(TEMPLATE_GROUP, { output: ["groupid", "name"] }),
} as const;

export async function fetchHostGroups(signal?: AbortSignal): Promise<readonly GroupRef[]> {
  return GROUPS.hostgroup.list(signal);
}

/** A group with the hosts that one may see of it. */
export interface GroupMembers extends GroupRef {
  readonly hostids: ReadonlySet<Id>;
}

const MEMBERS = readerOf(HOST_GROUP, {
  output: ["groupid", "name"],
  selects: { hosts: ["hostid"] },
  params: { with_monitored_hosts: true, sortfield: "name" },
});

/** Groups with monitored hosts, and the ids of all their hosts. */
export async function fetchGroupMembers(signal?: AbortSignal): Promise<readonly GroupMembers[]> {
  const groups = await MEMBERS.get({}, signal);
  return groups.map(({ groupid, name, hosts }) => ({
    groupid,
    name,
    hostids: new Set(hosts.map(({ hostid }) => hostid)),
  }));
}

export async function fetchTemplateGroups(signal?: AbortSignal): Promise<readonly GroupRef[]> {
  return GROUPS.templategroup.list(signal);
}

export async function createGroup(kind: "hostgroup" | "templategroup", name: string): Promise<Id> {
  return GROUPS[kind].create({ name });
}
