// Groups of hosts and of templates.

import { call } from "./rpc";
import * as schema from "./schema";
import type { GroupRef, Id } from "./types";

export async function fetchHostGroups(signal?: AbortSignal): Promise<readonly GroupRef[]> {
  const params = { output: ["groupid", "name"], sortfield: "name" } as const;
  return call("hostgroup.get", params, schema.listOf(schema.group), signal);
}

export async function fetchTemplateGroups(signal?: AbortSignal): Promise<readonly GroupRef[]> {
  const params = { output: ["groupid", "name"], sortfield: "name" } as const;
  return call("templategroup.get", params, schema.listOf(schema.group), signal);
}

export async function createGroup(kind: "hostgroup" | "templategroup", name: string): Promise<Id> {
  const ids = await call(`${kind}.create`, { name }, schema.createdIds("groupids"));
  return ids[0] ?? "";
}
