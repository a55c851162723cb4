// Groups of hosts and of templates.

import { HOST_GROUP } from "./generated/host-group";
import { TEMPLATE_GROUP } from "./generated/template-group";
import { type AnswerOf, objectsOf, readerOf } from "./objects";
import { call } from "./rpc";
import * as schema from "./schema";
import type { GroupRef, Id } from "./types";

/** Names for forms and filters. */
const GROUPS = {
  hostgroup: objectsOf(HOST_GROUP, { output: ["groupid", "name"] }),
  templategroup: objectsOf(TEMPLATE_GROUP, { output: ["groupid", "name"] }),
} as const;

export type GroupKind = keyof typeof GROUPS;

/** With the numbers of their members. */
export const HOST_GROUPS = objectsOf(HOST_GROUP, {
  output: ["groupid", "name", "flags"],
  selects: { hosts: "count" },
});
export const TEMPLATE_GROUPS = objectsOf(TEMPLATE_GROUP, {
  output: ["groupid", "name"],
  selects: { templates: "count" },
});

export type HostGroup = AnswerOf<typeof HOST_GROUPS>;
export type TemplateGroup = AnswerOf<typeof TEMPLATE_GROUPS>;

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

export async function createGroup(kind: GroupKind, name: string): Promise<Id> {
  return GROUPS[kind].create({ name });
}

/** Gives all subgroups the permissions of user groups on the group. */
export async function propagateRights(kind: GroupKind, groupid: Id): Promise<void> {
  const tagFilters = kind === "hostgroup" ? { tag_filters: true } : {};
  const params = { groups: [{ groupid }], permissions: true, ...tagFilters };
  await call(`${kind}.propagate`, params, schema.changed);
}
