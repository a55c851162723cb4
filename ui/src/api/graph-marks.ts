// What graphs show in addition to values: triggers of their items, and when those had problems.

import * as z from "zod/mini";
import { checked } from "./checked";
import { OF_TRIGGERS } from "./events";
import { EVENT } from "./generated/event";
import { TRIGGER } from "./generated/trigger";
import { http } from "./http";
import { readerOf } from "./objects";
import type { Id } from "./types";

// more than a graph has room for, and than most hosts have
const TRIGGERS_MAX = 2000;
const WATCHING = readerOf(TRIGGER, {
  output: ["triggerid", "description", "expression", "priority", "value", "lastchange"],
  selects: { items: ["itemid"], hosts: ["hostid"] },
  params: {
    expandExpression: true,
    expandDescription: true,
    monitored: true,
    sortfield: "priority",
    sortorder: "DESC",
    limit: TRIGGERS_MAX,
  },
});

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

/** Enabled triggers of items or hosts, worst first. */
export async function fetchWatchingTriggers(
  of: { readonly itemids: readonly Id[] } | { readonly hostids: readonly Id[] },
  signal?: AbortSignal,
): Promise<readonly WatchingTrigger[]> {
  return (await WATCHING.get(of, signal)).map((it) => ({
    triggerid: it.triggerid,
    name: it.description,
    expression: it.expression,
    severity: Number(it.priority),
    hasProblem: it.value === "1",
    lastchange: Number(it.lastchange),
    itemids: it.items.map(({ itemid }) => itemid),
    hostids: it.hosts.map(({ hostid }) => hostid),
  }));
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

const CHANGES_MAX = 2000;
const CHANGES = readerOf(EVENT, {
  output: ["eventid", "objectid", "clock", "value"],
  params: { ...OF_TRIGGERS, sortfield: ["clock", "eventid"], sortorder: "ASC", limit: CHANGES_MAX },
});

export interface TriggerChange {
  readonly triggerid: Id;
  readonly clock: number;
  readonly isProblem: boolean;
}

/** Beginnings and ends of problems since a time, oldest first. */
export async function fetchTriggerChanges(
  triggerids: readonly Id[],
  from: number,
  signal?: AbortSignal,
): Promise<readonly TriggerChange[]> {
  const params = { objectids: triggerids, time_from: Math.floor(from) };
  return (await CHANGES.get(params, signal)).map(({ objectid, clock, value }) => ({
    triggerid: objectid,
    clock: Number(clock),
    isProblem: value === "1",
  }));
}
