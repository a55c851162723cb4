// The trigger form as data.

import type { TriggerPrototypeDraft } from "@/api/prototypes";
import type { TriggerDraft } from "@/api/triggers";
import type { Dependency, Tag, Trigger, TriggerPrototype } from "@/api/types";
import { checkExpression } from "@/lib/expression";
import { type Severity, toSeverity } from "@/lib/severity";
import { type Keyed, keyed } from "@/widgets/keyed";

export interface TriggerFields {
  readonly name: string;
  readonly eventName: string;
  readonly opdata: string;
  readonly severity: Severity;
  readonly expression: string;
  /** by the expression alone, by one of its own, never by itself */
  readonly recovery: "expression" | "own" | "none";
  readonly recoveryExpression: string;
  /** which problems end: all of the trigger, or those with the same value of a tag */
  readonly closes: "all" | "tag";
  readonly correlationTag: string;
  readonly multiple: boolean;
  readonly manualClose: boolean;
  readonly description: string;
  readonly url: string;
  readonly urlName: string;
  readonly enabled: boolean;
  /** of prototypes: whether rows make triggers of it; undefined for triggers */
  readonly discover: boolean | undefined;
  readonly tags: readonly Keyed<Tag>[];
  /** while one of these is in problem, this one makes none */
  readonly dependencies: readonly Dependency[];
}

const RECOVERY_MODES = ["expression", "own", "none"] as const;

export function fieldsOfTrigger(
  trigger: Trigger | TriggerPrototype | undefined,
  isPrototype = false,
): TriggerFields {
  return {
    name: trigger?.description ?? "",
    eventName: trigger?.event_name ?? "",
    opdata: trigger?.opdata ?? "",
    severity: toSeverity(trigger?.priority ?? 3),
    expression: trigger?.expression ?? "",
    recovery: RECOVERY_MODES[Number(trigger?.recovery_mode ?? 0)] ?? "expression",
    recoveryExpression: trigger?.recovery_expression ?? "",
    closes: trigger?.correlation_mode === "1" ? "tag" : "all",
    correlationTag: trigger?.correlation_tag ?? "",
    multiple: trigger?.type === "1",
    manualClose: trigger?.manual_close === "1",
    description: trigger?.comments ?? "",
    ...linkOf(trigger),
    enabled: trigger?.status !== "1",
    discover: isPrototype ? !isNotDiscovered(trigger) : undefined,
    tags: (trigger?.tags ?? []).map(keyed),
    dependencies: trigger?.dependencies ?? [],
  };
}

function linkOf(trigger: Trigger | TriggerPrototype | undefined) {
  return { url: trigger?.url ?? "", urlName: trigger?.url_name ?? "" };
}

function isNotDiscovered(trigger: Trigger | TriggerPrototype | undefined): boolean {
  return trigger !== undefined && "discover" in trigger && trigger.discover === "1";
}

export function isTriggerValid(fields: TriggerFields): boolean {
  if (fields.name.trim() === "" || !checkExpression(fields.expression).ok) return false;
  if (fields.recovery === "own" && !checkExpression(fields.recoveryExpression).ok) return false;
  return !closesByTag(fields) || fields.correlationTag.trim() !== "";
}

/** Nothing closes the problems of a trigger that never ends them. */
export function closesByTag({ recovery, closes }: TriggerFields): boolean {
  return recovery !== "none" && closes === "tag";
}

export function tagsOf(fields: TriggerFields): Tag[] {
  return fields.tags
    .filter(({ tag }) => tag.trim() !== "")
    .map(({ tag, value }) => ({ tag: tag.trim(), value }));
}

export type Correlation = Pick<TriggerDraft, "correlation_mode" | "correlation_tag">;

/** The tag is sent where it counts. */
export function correlationOf(fields: TriggerFields): Correlation {
  if (!closesByTag(fields)) return { correlation_mode: 0 };
  return { correlation_mode: 1, correlation_tag: fields.correlationTag.trim() };
}

/** What triggers and prototypes are sent as; `discover` is of prototypes alone. */
export type SentTrigger = Partial<TriggerDraft & Pick<TriggerPrototypeDraft, "discover">>;

/** Of an inherited trigger only what may differ from its template. */
export function draftOfTrigger(fields: TriggerFields, inherited: boolean): SentTrigger {
  const shared = {
    priority: fields.severity,
    status: fields.enabled ? 0 : 1,
    comments: fields.description,
    url: fields.url.trim(),
    url_name: fields.urlName.trim(),
    tags: tagsOf(fields),
    dependencies: fields.dependencies.map(({ triggerid }) => ({ triggerid })),
    event_name: fields.eventName,
    opdata: fields.opdata,
    type: fields.multiple ? 1 : 0,
    ...(fields.discover === undefined ? {} : { discover: fields.discover ? "0" : "1" }),
  };
  if (inherited) return shared;
  return {
    ...shared,
    description: fields.name.trim(),
    expression: fields.expression.trim(),
    recovery_mode: RECOVERY_MODES.indexOf(fields.recovery),
    ...(fields.recovery === "own" ? { recovery_expression: fields.recoveryExpression.trim() } : {}),
    ...correlationOf(fields),
    manual_close: fields.manualClose ? 1 : 0,
  };
}
