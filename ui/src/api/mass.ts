// Changes of many objects at once.

import * as z from "zod/mini";
import { VALUE_MAP } from "./generated/value-map";
import { objectsOf } from "./objects";
import { call, MASS_MS } from "./rpc";
import * as schema from "./schema";
import type { Id, Tag } from "./types";
import type { ValueMapDraft } from "./value-maps";

export interface MassCall {
  readonly method:
    | "host.massadd"
    | "host.massremove"
    | "host.massupdate"
    | "template.massadd"
    | "template.massremove"
    | "template.massupdate"
    | "template.update";
  readonly params: object;
}

/** One after the other: where one fails, those before it are made. */
export async function makeMassCalls(calls: readonly MassCall[]): Promise<void> {
  for (const { method, params } of calls) {
    await call(method, params as never, schema.changed, { timeoutMs: MASS_MS });
  }
}

// a call is one transaction: others do not wait for all of it
const CHANGED_AT_ONCE = 500;

/** The parts of a list that are sent in one call each. */
export function inParts<T>(list: readonly T[]): readonly (readonly T[])[] {
  const parts: (readonly T[])[] = [];
  for (let at = 0; at < list.length; at += CHANGED_AT_ONCE) {
    parts.push(list.slice(at, at + CHANGED_AT_ONCE));
  }
  return parts;
}

const tag = z.object({ tag: z.string(), value: z.string() });

/** Changes the tags of each object by what it has. */
export async function changeTags(
  kind: "host" | "template" | "item" | "trigger",
  ids: readonly Id[],
  change: (before: readonly Tag[]) => readonly Tag[],
): Promise<void> {
  const id = `${kind}id`;
  const tagged = schema.listOf(
    z.pipe(
      z.object({ [id]: z.string(), tags: z.array(tag) }),
      z.transform((it) => ({ id: String(it[id]), tags: it["tags"] as readonly Tag[] })),
    ),
  );
  for (const part of inParts(ids)) {
    const params = { [`${id}s`]: part, output: [id], selectTags: ["tag", "value"] };
    const found = await call(`${kind}.get`, params as never, tagged);
    const updates = found.map((it) => ({ [id]: it.id, tags: change(it.tags) }));
    await call(`${kind}.update`, updates as never, schema.changed, { timeoutMs: MASS_MS });
  }
}

/** The same fields for all of them. */
export async function changeFields(
  kind: "item" | "trigger",
  ids: readonly Id[],
  fields: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (Object.keys(fields).length === 0) return;
  for (const part of inParts(ids)) {
    const updates = part.map((id) => ({ [`${kind}id`]: id, ...fields }));
    await call(`${kind}.update`, updates as never, schema.changed, { timeoutMs: MASS_MS });
  }
}

const VALUE_MAPS = objectsOf(VALUE_MAP, { output: ["valuemapid", "hostid", "name"] });

async function valueMapsOf(ownerids: readonly Id[], names: readonly string[]) {
  return VALUE_MAPS.get({ hostids: ownerids, filter: { name: names } });
}

/** Gives value maps to hosts or templates: those that they have by the same name get the same mappings. */
export async function copyValueMaps(
  ownerids: readonly Id[],
  maps: readonly ValueMapDraft[],
): Promise<void> {
  const names = maps.map(({ name }) => name);
  for (const part of inParts(ownerids)) {
    const found = await valueMapsOf(part, names);
    const known = new Map(found.map((it) => [`${it.hostid} ${it.name}`, it.valuemapid]));
    const updates: object[] = [];
    const added: object[] = [];
    for (const hostid of part) {
      for (const { name, mappings } of maps) {
        const valuemapid = known.get(`${hostid} ${name}`);
        if (valuemapid === undefined) added.push({ hostid, name, mappings });
        else updates.push({ valuemapid, mappings });
      }
    }
    const within = { timeoutMs: MASS_MS };
    if (updates.length > 0) await call("valuemap.update", updates as never, schema.changed, within);
    if (added.length > 0) await call("valuemap.create", added as never, schema.changed, within);
  }
}

/** Takes value maps of these names away; items that show values by them show numbers then. */
export async function removeValueMaps(
  ownerids: readonly Id[],
  names: readonly string[],
): Promise<void> {
  for (const part of inParts(ownerids)) {
    const found = await valueMapsOf(part, names);
    if (found.length === 0) continue;
    await VALUE_MAPS.remove(found.map((it) => it.valuemapid));
  }
}
