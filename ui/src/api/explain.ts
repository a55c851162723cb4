// Why an event exists, which actions matched, and who was notified.

import * as z from "zod/mini";
import { checked } from "./checked";
import { ALERT } from "./generated/alert";
import { http } from "./http";
import { readerOf } from "./objects";
import type * as schema from "./schema";
import type { Id } from "./types";

const text = z.string();
const flag = z.boolean();
const maybe = z.nullable(text);

const functions = z.array(
  z.object({
    /** as it is written: `last(/host/key)` */
    text,
    /** null: history does not have it any more */
    value: maybe,
    itemid: maybe,
    item: maybe,
    item_value: maybe,
    item_clock: z.nullable(z.number()),
  }),
);

const expressions = z.array(
  z.object({
    kind: text,
    text,
    /** with values in place of functions: `9>5` */
    explained: maybe,
    value: maybe,
    functions,
  }),
);

const trigger = z.object({
  triggerid: text,
  name: text,
  expressions,
  recovery_mode: text,
  correlation_mode: text,
  correlation_tag: text,
  /** at the event's time, and now */
  dependencies: z.array(
    z.object({ triggerid: text, name: text, had_problem: flag, has_problem: flag }),
  ),
});

const conditions = z.array(
  z.object({
    formulaid: text,
    text,
    /** null: it cannot be said of the event alone */
    is_met: z.nullable(flag),
    /** what the event had */
    found: z.optional(text),
  }),
);

const action = z.object({
  actionid: text,
  name: text,
  is_enabled: flag,
  is_met: flag,
  /** why it concerns nothing, whatever its conditions say */
  fault: maybe,
  formula: maybe,
  conditions,
  /** "suppressed" or "symptom": its messages wait for the end of that */
  waits_while: maybe,
});

const rule = z.object({ correlationid: text, name: text, formula: text, conditions });

/** With the fields of `alert.get`. */
const { row: alert } = readerOf(ALERT, {
  output: [
    "alertid",
    "actionid",
    "clock",
    "sendto",
    "subject",
    "status",
    "retries",
    "error",
    "esc_step",
    "alerttype",
    "digestid",
    "held_until",
  ],
  selects: { mediatypes: ["name"], users: ["username"] },
});

const explanation = z.object({
  eventid: text,
  source: text,
  clock: z.number(),
  value: text,
  trigger: z.nullable(trigger),
  cause: z.nullable(z.object({ eventid: text, name: text })),
  suppression: z.object({
    is_suppressed: flag,
    by: z.array(
      z.object({ maintenanceid: text, maintenance: maybe, userid: text, suppress_until: text }),
    ),
  }),
  correlation: z.object({
    closed_by: z.nullable(z.object({ correlationid: text, name: maybe, eventid: text })),
    rules: z.array(rule),
  }),
  actions: z.array(action),
  alerts: z.array(alert),
});

export type Explanation = schema.Read<typeof explanation>;
export type ExplainedTrigger = schema.Read<typeof trigger>;
export type ExplainedExpression = ExplainedTrigger["expressions"][number];
export type ExplainedFunction = ExplainedExpression["functions"][number];
/** A trigger that it depends on. */
export type Master = ExplainedTrigger["dependencies"][number];
export type ExplainedAction = schema.Read<typeof action>;
export type ExplainedCondition = ExplainedAction["conditions"][number];
export type ExplainedRule = schema.Read<typeof rule>;
export type ExplainedAlert = schema.Read<typeof alert>;

export async function fetchExplanation(eventid: Id, signal?: AbortSignal): Promise<Explanation> {
  return checked(
    "explain",
    await http(`/api/v1/events/${eventid}/explain`, { signal }),
    explanation,
  );
}
