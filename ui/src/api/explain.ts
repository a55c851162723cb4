// Why an event exists, which actions matched, and who was notified.

import * as z from "zod/mini";
import { checked } from "./checked";
import { http } from "./http";
import type { Id } from "./types";

export interface ExplainedFunction {
  /** as it is written: `last(/host/key)` */
  readonly text: string;
  /** null: history does not have it any more */
  readonly value: string | null;
  readonly itemid: Id | null;
  readonly item: string | null;
  readonly item_value: string | null;
  readonly item_clock: number | null;
}

export interface ExplainedExpression {
  readonly kind: string;
  readonly text: string;
  /** with values in place of functions: `9>5` */
  readonly explained: string | null;
  readonly value: string | null;
  readonly functions: readonly ExplainedFunction[];
}

export interface Master {
  readonly triggerid: Id;
  readonly name: string;
  /** at the event's time */
  readonly had_problem: boolean;
  readonly has_problem: boolean;
}

export interface ExplainedTrigger {
  readonly triggerid: Id;
  readonly name: string;
  readonly expressions: readonly ExplainedExpression[];
  readonly recovery_mode: string;
  readonly correlation_mode: string;
  readonly correlation_tag: string;
  readonly dependencies: readonly Master[];
}

export interface ExplainedCondition {
  readonly formulaid: string;
  readonly text: string;
  /** null: it cannot be said of the event alone */
  readonly is_met: boolean | null;
  /** what the event had */
  readonly found?: string | undefined;
}

export interface ExplainedAction {
  readonly actionid: Id;
  readonly name: string;
  readonly is_enabled: boolean;
  readonly is_met: boolean;
  /** why it concerns nothing, whatever its conditions say */
  readonly fault: string | null;
  readonly formula: string | null;
  readonly conditions: readonly ExplainedCondition[];
  /** "suppressed" or "symptom": its messages wait for the end of that */
  readonly waits_while: string | null;
}

export interface ExplainedRule {
  readonly correlationid: Id;
  readonly name: string;
  readonly formula: string;
  readonly conditions: readonly ExplainedCondition[];
}

export interface ExplainedAlert {
  readonly alertid: Id;
  readonly actionid: Id;
  readonly clock: string;
  readonly sendto: string;
  readonly subject: string;
  /** 0 not sent, 1 sent, 2 given up, 3 new */
  readonly status: string;
  readonly retries: string;
  readonly error: string;
  readonly esc_step: string;
  readonly alerttype: string;
  /** the digest that contains it; its own id: it is a digest; 0: neither */
  readonly digestid: Id;
  /** 0: it does not wait */
  readonly held_until: string;
  readonly mediatypes: readonly { readonly name: string }[];
  readonly users: readonly { readonly username: string }[];
}

export interface Explanation {
  readonly eventid: Id;
  readonly source: string;
  readonly clock: number;
  readonly value: string;
  readonly trigger: ExplainedTrigger | null;
  readonly cause: { readonly eventid: Id; readonly name: string } | null;
  readonly suppression: {
    readonly is_suppressed: boolean;
    readonly by: readonly {
      readonly maintenanceid: Id;
      readonly maintenance: string | null;
      readonly userid: Id;
      readonly suppress_until: string;
    }[];
  };
  readonly correlation: {
    readonly closed_by: {
      readonly correlationid: Id;
      readonly name: string | null;
      readonly eventid: Id;
    } | null;
    readonly rules: readonly ExplainedRule[];
  };
  readonly actions: readonly ExplainedAction[];
  readonly alerts: readonly ExplainedAlert[];
}

const text = z.string();
const maybe = z.nullable(text);

const condition: z.ZodMiniType<ExplainedCondition> = z.object({
  formulaid: text,
  text,
  is_met: z.nullable(z.boolean()),
  found: z.optional(text),
});

const trigger: z.ZodMiniType<ExplainedTrigger> = z.object({
  triggerid: text,
  name: text,
  expressions: z.array(
    z.object({
      kind: text,
      text,
      explained: maybe,
      value: maybe,
      functions: z.array(
        z.object({
          text,
          value: maybe,
          itemid: maybe,
          item: maybe,
          item_value: maybe,
          item_clock: z.nullable(z.number()),
        }),
      ),
    }),
  ),
  recovery_mode: text,
  correlation_mode: text,
  correlation_tag: text,
  dependencies: z.array(
    z.object({ triggerid: text, name: text, had_problem: z.boolean(), has_problem: z.boolean() }),
  ),
});

const explanation: z.ZodMiniType<Explanation> = z.object({
  eventid: text,
  source: text,
  clock: z.number(),
  value: text,
  trigger: z.nullable(trigger),
  cause: z.nullable(z.object({ eventid: text, name: text })),
  suppression: z.object({
    is_suppressed: z.boolean(),
    by: z.array(
      z.object({
        maintenanceid: text,
        maintenance: maybe,
        userid: text,
        suppress_until: text,
      }),
    ),
  }),
  correlation: z.object({
    closed_by: z.nullable(z.object({ correlationid: text, name: maybe, eventid: text })),
    rules: z.array(
      z.object({ correlationid: text, name: text, formula: text, conditions: z.array(condition) }),
    ),
  }),
  actions: z.array(
    z.object({
      actionid: text,
      name: text,
      is_enabled: z.boolean(),
      is_met: z.boolean(),
      fault: maybe,
      formula: maybe,
      conditions: z.array(condition),
      waits_while: maybe,
    }),
  ),
  alerts: z.array(
    z.object({
      alertid: text,
      actionid: text,
      clock: text,
      sendto: text,
      subject: text,
      status: text,
      retries: text,
      error: text,
      esc_step: text,
      alerttype: text,
      digestid: text,
      held_until: text,
      mediatypes: z.array(z.object({ name: text })),
      users: z.array(z.object({ username: text })),
    }),
  ),
});

export async function fetchExplanation(eventid: Id, signal?: AbortSignal): Promise<Explanation> {
  return checked(
    "explain",
    await http(`/api/v1/events/${eventid}/explain`, { signal }),
    explanation,
  );
}
