// What graphs show in addition to values: triggers of their items, and when those had problems.

import * as z from "zod/mini";
import { checked } from "./checked";
import { http } from "./http";
import { call } from "./rpc";
import * as schema from "./schema";
import type { Id } from "./types";

export interface WatchingTrigger {
  readonly triggerid: Id;
  readonly name: string;
  readonly expression: string;
  readonly severity: number;
  readonly hasProblem: boolean;
  /** seconds */
  readonly lastchange: number;
  readonly itemids: readonly Id[];
  readonly hostids: readonly Id[];
}

const watchingTrigger: z.ZodMiniType<WatchingTrigger> = z.pipe(
  z.object({
    triggerid: z.string(),
    description: z.string(),
    expression: z.string(),
    priority: z.string(),
    value: z.string(),
    lastchange: z.string(),
    items: z.array(z.object({ itemid: z.string() })),
    hosts: z.array(z.object({ hostid: z.string() })),
  }),
  z.transform((it) => ({
    triggerid: it.triggerid,
    name: it.description,
    expression: it.expression,
    severity: Number(it.priority),
    hasProblem: it.value === "1",
    lastchange: Number(it.lastchange),
    itemids: it.items.map(({ itemid }) => itemid),
    hostids: it.hosts.map(({ hostid }) => hostid),
  })),
);

// more than a graph has room for, and than most hosts have
const TRIGGERS_MAX = 2000;

/** Enabled triggers of items or hosts, worst first. */
export async function fetchWatchingTriggers(
  of: { readonly itemids: readonly Id[] } | { readonly hostids: readonly Id[] },
  signal?: AbortSignal,
): Promise<readonly WatchingTrigger[]> {
  return call(
    "trigger.get",
    {
      ...of,
      output: ["triggerid", "description", "expression", "priority", "value", "lastchange"],
      selectItems: ["itemid"],
      selectHosts: ["hostid"],
      expandExpression: true,
      expandDescription: true,
      monitored: true,
      sortfield: "priority",
      sortorder: "DESC",
      limit: TRIGGERS_MAX,
    },
    schema.listOf(watchingTrigger),
    signal,
  );
}

const constant = z.object({
  expression: z.object({ value: z.nullable(z.union([z.string(), z.number()])) }),
});

/** The number that a user macro stands for on a host; undefined: none, or not for this user. */
export async function fetchConstant(
  hostid: Id,
  text: string,
  signal?: AbortSignal,
): Promise<number | undefined> {
  const body = { hostid, expression: text };
  try {
    const answer = await http("/api/v1/test/expression", { method: "POST", body, signal });
    const { value } = checked("constant", answer, constant).expression;
    const number = value === null ? Number.NaN : Number(value);
    return Number.isFinite(number) ? number : undefined;
  } catch {
    // macros are not returned to users who cannot change the host: the graph has one line less
    return undefined;
  }
}

export interface TriggerChange {
  readonly triggerid: Id;
  readonly clock: number;
  readonly isProblem: boolean;
}

const triggerChange: z.ZodMiniType<TriggerChange> = z.pipe(
  z.object({ objectid: z.string(), clock: z.string(), value: z.string() }),
  z.transform((it) => ({
    triggerid: it.objectid,
    clock: Number(it.clock),
    isProblem: it.value === "1",
  })),
);

const CHANGES_MAX = 2000;

/** Beginnings and ends of problems since a time, oldest first. */
export async function fetchTriggerChanges(
  triggerids: readonly Id[],
  from: number,
  signal?: AbortSignal,
): Promise<readonly TriggerChange[]> {
  return call(
    "event.get",
    {
      objectids: triggerids,
      source: 0,
      object: 0,
      time_from: Math.floor(from),
      output: ["eventid", "objectid", "clock", "value"],
      sortfield: ["clock", "eventid"],
      sortorder: "ASC",
      limit: CHANGES_MAX,
    },
    schema.listOf(triggerChange),
    signal,
  );
}
