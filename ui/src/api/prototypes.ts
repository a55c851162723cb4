// Item, trigger and host prototypes of discovery rules.

import { HOST_PROTOTYPE } from "./generated/host-prototype";
import { ITEM_PROTOTYPE } from "./generated/item-prototype";
import { TRIGGER_PROTOTYPE } from "./generated/trigger-prototype";
import { ITEM_CONTENT, REQUEST_FIELDS, STEP_FIELDS } from "./items";
import { type AnswerOf, type DraftOf, objectsOf, readerOf } from "./objects";
import { DEPENDENCY_FIELDS, TRIGGER_CONTENT } from "./triggers";
import type { Id } from "./types";

export const ITEM_PROTOTYPES = objectsOf(ITEM_PROTOTYPE, {
  output: [...ITEM_CONTENT, ...REQUEST_FIELDS, "discover"],
  selects: { tags: ["tag", "value"], preprocessing: STEP_FIELDS },
});
const ITEM_ROWS = readerOf(ITEM_PROTOTYPE, {
  output: [...ITEM_CONTENT, "discover"],
  params: { sortfield: "name" },
});

export type ItemPrototype = AnswerOf<typeof ITEM_PROTOTYPES>;
export type ItemPrototypeRow = AnswerOf<typeof ITEM_ROWS>;
export type PrototypeDraft = DraftOf<"itemprototype">;

export const TRIGGER_PROTOTYPES = objectsOf(TRIGGER_PROTOTYPE, {
  output: [...TRIGGER_CONTENT, "discover"],
  selects: { tags: ["tag", "value"], dependencies: DEPENDENCY_FIELDS },
  params: { expandExpression: true, sortfield: "description" },
});

export type TriggerPrototype = AnswerOf<typeof TRIGGER_PROTOTYPES>;
export type TriggerPrototypeDraft = DraftOf<"triggerprototype">;

const HOST_FIELDS = [
  "hostid",
  "host",
  "name",
  "status",
  "discover",
  "inventory_mode",
  "custom_interfaces",
  "templateid",
] as const;

export const HOST_PROTOTYPES = objectsOf(HOST_PROTOTYPE, {
  output: HOST_FIELDS,
  selects: {
    groupLinks: ["groupid"],
    groupPrototypes: ["name"],
    templates: ["templateid", "name"],
    macros: ["hostmacroid", "macro", "value", "type", "description"],
    tags: ["tag", "value"],
    interfaces: "extend",
  },
});
const HOST_ROWS = readerOf(HOST_PROTOTYPE, {
  output: HOST_FIELDS,
  selects: { templates: ["templateid", "name"] },
  params: { sortfield: "name" },
});

/** What a rule makes hosts from. */
export type HostPrototype = AnswerOf<typeof HOST_PROTOTYPES>;
export type HostPrototypeRow = AnswerOf<typeof HOST_ROWS>;
export type HostPrototypeDraft = DraftOf<"hostprototype">;

export interface Prototypes {
  readonly items: readonly ItemPrototypeRow[];
  readonly triggers: readonly TriggerPrototype[];
  readonly hosts: readonly HostPrototypeRow[];
}

export async function fetchPrototypes(ruleid: Id, signal?: AbortSignal): Promise<Prototypes> {
  const of = { discoveryids: [ruleid] };
  const [items, triggers, hosts] = await Promise.all([
    ITEM_ROWS.get(of, signal),
    TRIGGER_PROTOTYPES.get(of, signal),
    HOST_ROWS.get(of, signal),
  ]);
  return { items, triggers, hosts };
}
