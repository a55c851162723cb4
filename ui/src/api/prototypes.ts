// Item, trigger and host prototypes of discovery rules.

import type { HostPrototypeCreate } from "./generated/host-prototype";
import type { ItemPrototypeCreate } from "./generated/item-prototype";
import type { TriggerPrototypeCreate } from "./generated/trigger-prototype";
import { ITEM_CONTENT, REQUEST_FIELDS, STEP_FIELDS } from "./items";
import { call } from "./rpc";
import * as schema from "./schema";
import { DEPENDENCY_FIELDS, TRIGGER_CONTENT } from "./triggers";
import type { HostPrototype, Id, ItemPrototype, TriggerPrototype } from "./types";

export type PrototypeDraft = ItemPrototypeCreate;

export async function fetchPrototype(
  itemid: Id,
  signal?: AbortSignal,
): Promise<ItemPrototype | undefined> {
  const prototypes = await call(
    "itemprototype.get",
    {
      itemids: [itemid],
      output: [...ITEM_CONTENT, ...REQUEST_FIELDS, "discover"],
      selectTags: ["tag", "value"],
      selectPreprocessing: STEP_FIELDS,
    },
    schema.listOf(schema.itemPrototype),
    signal,
  );
  return prototypes[0];
}

export async function createPrototype(draft: PrototypeDraft): Promise<Id> {
  const ids = await call("itemprototype.create", draft, schema.createdIds("itemids"));
  return ids[0] ?? "";
}

export async function updatePrototype(itemid: Id, draft: Partial<PrototypeDraft>): Promise<void> {
  const { hostid: _, ...params } = draft;
  await call("itemprototype.update", { itemid, ...params }, schema.changed);
}

export async function deletePrototypes(itemids: readonly Id[]): Promise<void> {
  await call("itemprototype.delete", itemids, schema.changed);
}

export type TriggerPrototypeDraft = TriggerPrototypeCreate;

export async function fetchTriggerPrototype(
  triggerid: Id,
  signal?: AbortSignal,
): Promise<TriggerPrototype | undefined> {
  const prototypes = await call(
    "triggerprototype.get",
    {
      triggerids: [triggerid],
      output: [...TRIGGER_CONTENT, "discover"],
      expandExpression: true,
      selectTags: ["tag", "value"],
      selectDependencies: DEPENDENCY_FIELDS,
    },
    schema.listOf(schema.triggerPrototype),
    signal,
  );
  return prototypes[0];
}

export async function createTriggerPrototype(draft: TriggerPrototypeDraft): Promise<Id> {
  const ids = await call("triggerprototype.create", draft, schema.createdIds("triggerids"));
  return ids[0] ?? "";
}

export async function updateTriggerPrototype(
  triggerid: Id,
  draft: Partial<TriggerPrototypeDraft>,
): Promise<void> {
  await call("triggerprototype.update", { triggerid, ...draft }, schema.changed);
}

export async function deleteTriggerPrototypes(triggerids: readonly Id[]): Promise<void> {
  await call("triggerprototype.delete", triggerids, schema.changed);
}

export type HostPrototypeDraft = HostPrototypeCreate;

const HOST_PROTOTYPE_FIELDS = [
  "hostid",
  "host",
  "name",
  "status",
  "discover",
  "inventory_mode",
  "custom_interfaces",
  "templateid",
] as const;

export async function fetchHostPrototype(
  hostid: Id,
  signal?: AbortSignal,
): Promise<HostPrototype | undefined> {
  const prototypes = await call(
    "hostprototype.get",
    {
      hostids: [hostid],
      output: HOST_PROTOTYPE_FIELDS,
      selectGroupLinks: ["groupid"],
      selectGroupPrototypes: ["name"],
      selectTemplates: ["templateid", "name"],
      selectMacros: ["hostmacroid", "macro", "value", "type", "description"],
      selectTags: ["tag", "value"],
      selectInterfaces: "extend",
    },
    schema.listOf(schema.hostPrototype),
    signal,
  );
  return prototypes[0];
}

export async function createHostPrototype(draft: HostPrototypeDraft): Promise<Id> {
  const ids = await call("hostprototype.create", draft, schema.createdIds("hostids"));
  return ids[0] ?? "";
}

export async function updateHostPrototype(
  hostid: Id,
  draft: Partial<HostPrototypeDraft>,
): Promise<void> {
  const { ruleid: _, ...params } = draft;
  await call("hostprototype.update", { hostid, ...params }, schema.changed);
}

export async function deleteHostPrototypes(hostids: readonly Id[]): Promise<void> {
  await call("hostprototype.delete", hostids, schema.changed);
}

export interface Prototypes {
  readonly items: readonly ItemPrototype[];
  readonly triggers: readonly TriggerPrototype[];
  readonly hosts: readonly HostPrototype[];
}

export async function fetchPrototypes(ruleid: Id, signal?: AbortSignal): Promise<Prototypes> {
  const [items, triggers, hosts] = await Promise.all([
    call(
      "itemprototype.get",
      {
        discoveryids: [ruleid],
        output: [...ITEM_CONTENT, "discover"],
        sortfield: "name",
      },
      schema.listOf(schema.itemPrototype),
      signal,
    ),
    call(
      "triggerprototype.get",
      {
        discoveryids: [ruleid],
        output: [...TRIGGER_CONTENT, "discover"],
        expandExpression: true,
        selectDependencies: DEPENDENCY_FIELDS,
        sortfield: "description",
      },
      schema.listOf(schema.triggerPrototype),
      signal,
    ),
    call(
      "hostprototype.get",
      {
        discoveryids: [ruleid],
        output: HOST_PROTOTYPE_FIELDS,
        selectTemplates: ["templateid", "name"],
        sortfield: "name",
      },
      schema.listOf(schema.hostPrototype),
      signal,
    ),
  ]);
  return { items, triggers, hosts };
}
