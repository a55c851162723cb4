// Triggers.

import { z } from "zod/mini";
import type { TriggerCreate } from "./generated/trigger";
import { call } from "./rpc";
import * as schema from "./schema";
import type { Id, Trigger } from "./types";

export const TRIGGER_CONTENT = [
  "triggerid",
  "description",
  "expression",
  "recovery_expression",
  "recovery_mode",
  "priority",
  "status",
  "type",
  "correlation_mode",
  "correlation_tag",
  "manual_close",
  "event_name",
  "opdata",
  "comments",
  "url",
  "url_name",
  "templateid",
] as const;
const TRIGGER_FIELDS = [
  ...TRIGGER_CONTENT,
  "state",
  "value",
  "error",
  "flags",
  "lastchange",
] as const;

export const DEPENDENCY_FIELDS = ["triggerid", "description"] as const;

/** Where a trigger is that others depend on. */
export interface TriggerPlace {
  readonly triggerid: Id;
  readonly hosts: readonly {
    readonly hostid: Id;
    readonly name: string;
    readonly status: string;
  }[];
}

const triggerPlace: z.ZodMiniType<TriggerPlace> = z.object({
  triggerid: z.string(),
  hosts: z.array(z.object({ hostid: z.string(), name: z.string(), status: z.string() })),
});

/** Prototypes among them have none. */
export async function fetchTriggerPlaces(
  triggerids: readonly Id[],
  signal?: AbortSignal,
): Promise<readonly TriggerPlace[]> {
  return call(
    "trigger.get",
    { triggerids, output: ["triggerid"], selectHosts: ["hostid", "name", "status"] },
    schema.listOf(triggerPlace),
    signal,
  );
}

export async function fetchTriggers(
  ownerid: Id,
  signal?: AbortSignal,
): Promise<readonly Trigger[]> {
  return call(
    "trigger.get",
    {
      hostids: [ownerid],
      output: TRIGGER_FIELDS,
      expandExpression: true,
      expandMacros: false,
      selectTags: ["tag", "value"],
      selectDependencies: DEPENDENCY_FIELDS,
      sortfield: "description",
    },
    schema.listOf(schema.trigger),
    signal,
  );
}

export async function fetchTrigger(
  triggerid: Id,
  signal?: AbortSignal,
): Promise<Trigger | undefined> {
  return trigger(triggerid, {}, signal);
}

/** As it is shown to people: with what its macros stand for in name and description. */
export async function fetchShownTrigger(
  triggerid: Id,
  signal?: AbortSignal,
): Promise<Trigger | undefined> {
  return trigger(triggerid, { expandDescription: true, expandComment: true }, signal);
}

async function trigger(
  triggerid: Id,
  expanded: object,
  signal: AbortSignal | undefined,
): Promise<Trigger | undefined> {
  const triggers = await call(
    "trigger.get",
    {
      ...expanded,
      triggerids: [triggerid],
      output: TRIGGER_FIELDS,
      expandExpression: true,
      expandMacros: false,
      selectTags: ["tag", "value"],
      selectDependencies: DEPENDENCY_FIELDS,
    },
    schema.listOf(schema.trigger),
    signal,
  );
  return triggers[0];
}

export type TriggerDraft = TriggerCreate;

export async function createTrigger(draft: TriggerDraft): Promise<Id> {
  const ids = await call("trigger.create", draft, schema.createdIds("triggerids"));
  return ids[0] ?? "";
}

export async function updateTrigger(triggerid: Id, draft: Partial<TriggerDraft>): Promise<void> {
  await call("trigger.update", { triggerid, ...draft }, schema.changed);
}

export async function setTriggersStatus(triggerids: readonly Id[], status: 0 | 1): Promise<void> {
  const changes = triggerids.map((triggerid) => ({ triggerid, status }));
  await call("trigger.update", changes, schema.changed);
}

export async function deleteTriggers(triggerids: readonly Id[]): Promise<void> {
  await call("trigger.delete", triggerids, schema.changed);
}
