// Triggers.

import { TRIGGER } from "./generated/trigger";
import { type AnswerOf, type DraftOf, objectsOf, readerOf } from "./objects";
import type { Id } from "./types";

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

export const TRIGGERS = objectsOf(TRIGGER, {
  output: TRIGGER_FIELDS,
  selects: { tags: ["tag", "value"], dependencies: DEPENDENCY_FIELDS },
  params: { expandExpression: true, expandMacros: false, sortfield: "description" },
});
const PLACES = readerOf(TRIGGER, {
  output: ["triggerid"],
  selects: { hosts: ["hostid", "name", "status"] },
});

export type Trigger = AnswerOf<typeof TRIGGERS>;
/** A trigger that another one depends on; of prototypes also a prototype. */
export type Dependency = Trigger["dependencies"][number];
export type TriggerDraft = DraftOf<"trigger">;
/** Where a trigger is that others depend on. */
export type TriggerPlace = AnswerOf<typeof PLACES>;

/** Prototypes among them have none. */
export async function fetchTriggerPlaces(
  triggerids: readonly Id[],
  signal?: AbortSignal,
): Promise<readonly TriggerPlace[]> {
  return PLACES.get({ triggerids }, signal);
}

export async function fetchTriggers(
  ownerid: Id,
  signal?: AbortSignal,
): Promise<readonly Trigger[]> {
  return TRIGGERS.get({ hostids: [ownerid] }, signal);
}

/** As it is shown to people: with what its macros stand for in name and description. */
export async function fetchShownTrigger(
  triggerid: Id,
  signal?: AbortSignal,
): Promise<Trigger | undefined> {
  const expanded = { expandDescription: true, expandComment: true };
  return (await TRIGGERS.get({ triggerids: [triggerid], ...expanded }, signal))[0];
}
