// Value maps of hosts and templates.

import * as z from "zod/mini";
import type { ValueMapCreate } from "./generated/value-map";
import { call } from "./rpc";
import * as schema from "./schema";
import type { Id } from "./types";

export interface Mapping {
  /** 0 equal, 1 at least, 2 at most, 3 in a range, 4 by a regular expression, 5 any other */
  readonly type: string;
  readonly value: string;
  readonly newvalue: string;
}

export interface WholeValueMap {
  readonly valuemapid: Id;
  readonly name: string;
  readonly mappings: readonly Mapping[];
}

const text = z.string();
const whole: z.ZodMiniType<WholeValueMap> = z.object({
  valuemapid: text,
  name: text,
  mappings: z.array(z.object({ type: text, value: text, newvalue: text })),
});

export async function fetchWholeValueMaps(
  ownerid: Id,
  signal?: AbortSignal,
): Promise<readonly WholeValueMap[]> {
  const params = {
    hostids: [ownerid],
    output: ["valuemapid", "name"],
    selectMappings: "extend",
    sortfield: "name",
  } as const;
  return call("valuemap.get", params, schema.listOf(whole), signal);
}

export async function fetchValueMap(
  valuemapid: Id,
  signal?: AbortSignal,
): Promise<WholeValueMap | undefined> {
  const params = {
    valuemapids: [valuemapid],
    output: ["valuemapid", "name"],
    selectMappings: "extend",
  } as const;
  return (await call("valuemap.get", params, schema.listOf(whole), signal))[0];
}

export type ValueMapDraft = Pick<ValueMapCreate, "name" | "mappings">;

export async function createValueMap(hostid: Id, draft: ValueMapDraft): Promise<Id> {
  const params = { hostid, ...draft };
  const ids = await call("valuemap.create", params, schema.createdIds("valuemapids"));
  return ids[0] ?? "";
}

export async function updateValueMap(valuemapid: Id, draft: Partial<ValueMapDraft>): Promise<void> {
  await call("valuemap.update", { valuemapid, ...draft }, schema.changed);
}

export async function deleteValueMaps(ids: readonly Id[]): Promise<void> {
  await call("valuemap.delete", ids, schema.changed);
}
