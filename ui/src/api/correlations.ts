// Rules of global correlation by JSON-RPC.

import * as z from "zod/mini";
import type { CorrelationCreate } from "./generated/correlation";
import { call } from "./rpc";
import * as schema from "./schema";
import type { Id } from "./types";

/** Only what its type has is there. */
export interface CorrelationCondition {
  /** 0 old tag, 1 new tag, 2 new host group, 3 pair of tags, 4 value of an old tag, 5 value of a new tag */
  readonly type: string;
  readonly formulaid: string;
  readonly tag?: string | undefined;
  readonly groupid?: Id | undefined;
  readonly oldtag?: string | undefined;
  readonly newtag?: string | undefined;
  readonly value?: string | undefined;
  readonly operator?: string | undefined;
}

export interface Correlation {
  readonly correlationid: Id;
  readonly name: string;
  readonly description: string;
  /** "0": enabled */
  readonly status: string;
  readonly filter: {
    readonly evaltype: string;
    readonly formula: string;
    readonly conditions: readonly CorrelationCondition[];
  };
  /** 0 close old events, 1 close the new one */
  readonly operations: readonly { readonly type: string }[];
}

export type CorrelationDraft = CorrelationCreate;

const text = z.string();
const maybe = z.optional(text);

const correlation: z.ZodMiniType<Correlation> = z.object({
  correlationid: text,
  name: text,
  description: text,
  status: text,
  filter: z.object({
    evaltype: text,
    formula: text,
    conditions: z.array(
      z.object({
        type: text,
        formulaid: text,
        tag: maybe,
        groupid: maybe,
        oldtag: maybe,
        newtag: maybe,
        value: maybe,
        operator: maybe,
      }),
    ),
  }),
  operations: z.array(z.object({ type: text })),
});

const WHOLE = {
  output: "extend",
  selectFilter: "extend",
  selectOperations: "extend",
  sortfield: "name",
} as const;

export async function fetchCorrelations(signal?: AbortSignal): Promise<readonly Correlation[]> {
  return call("correlation.get", WHOLE, schema.listOf(correlation), signal);
}

export async function fetchCorrelation(
  id: Id,
  signal?: AbortSignal,
): Promise<Correlation | undefined> {
  const params = { ...WHOLE, correlationids: [id] };
  return (await call("correlation.get", params, schema.listOf(correlation), signal))[0];
}

export async function createCorrelation(draft: CorrelationDraft): Promise<Id> {
  const ids = await call("correlation.create", draft, schema.createdIds("correlationids"));
  return ids[0] ?? "";
}

export async function updateCorrelation(
  correlationid: Id,
  draft: Partial<CorrelationDraft>,
): Promise<void> {
  await call("correlation.update", { correlationid, ...draft }, schema.changed);
}

export async function deleteCorrelations(ids: readonly Id[]): Promise<void> {
  await call("correlation.delete", ids, schema.changed);
}
