// Actions, and the names of what they send messages to.

import * as z from "zod/mini";
import type { ActionCreate } from "./generated/action";
import { call } from "./rpc";
import * as schema from "./schema";
import type { Id, Tag } from "./types";

export interface ActionCondition {
  readonly conditiontype: string;
  readonly operator: string;
  readonly value: string;
  /** of tag values: the tag */
  readonly value2: string;
  /** with a formula of one's own; else empty */
  readonly formulaid: string;
}

export interface ActionFilter {
  /** 0 and/or, 1 and, 2 or, 3 by the formula */
  readonly evaltype: string;
  readonly formula: string;
  readonly conditions: readonly ActionCondition[];
}

/** An operation of any kind; what its type does not have is undefined. */
export interface ActionOperation {
  readonly operationtype: string;
  readonly esc_period?: string | undefined;
  readonly esc_step_from?: string | undefined;
  readonly esc_step_to?: string | undefined;
  readonly evaltype?: string | undefined;
  readonly opconditions?: readonly { readonly value: string }[] | undefined;
  readonly opmessage?: ActionMessage | undefined;
  readonly opmessage_grp?: readonly { readonly usrgrpid: Id }[] | undefined;
  readonly opmessage_usr?: readonly { readonly userid: Id }[] | undefined;
  readonly opmessage_oncall?: readonly { readonly oncallid: Id }[] | undefined;
  readonly opcommand?: { readonly scriptid: Id } | undefined;
  readonly opcommand_grp?: readonly { readonly groupid: Id }[] | undefined;
  readonly opcommand_hst?: readonly { readonly hostid: Id }[] | undefined;
  readonly opgroup?: readonly { readonly groupid: Id }[] | undefined;
  readonly optemplate?: readonly { readonly templateid: Id }[] | undefined;
  readonly opinventory?: { readonly inventory_mode: string } | undefined;
  readonly optag?: readonly Tag[] | undefined;
}

export interface ActionMessage {
  readonly default_msg: string;
  /** 0: all that a user has */
  readonly mediatypeid: string;
  readonly subject: string;
  readonly message: string;
}

export interface Action {
  readonly actionid: Id;
  readonly name: string;
  /** 0 triggers, 1 discovery, 2 autoregistration, 3 internal, 4 services */
  readonly eventsource: string;
  /** "0": enabled */
  readonly status: string;
  readonly esc_period: string;
  readonly pause_symptoms: string;
  readonly pause_suppressed: string;
  readonly notify_if_canceled: string;
  readonly filter: ActionFilter;
  readonly operations: readonly ActionOperation[];
  readonly recovery_operations: readonly ActionOperation[];
  readonly update_operations: readonly ActionOperation[];
}

const text = z.string();
const filter: z.ZodMiniType<ActionFilter> = z.object({
  evaltype: text,
  formula: text,
  conditions: z.array(
    z.object({ conditiontype: text, operator: text, value: text, value2: text, formulaid: text }),
  ),
});

/** Zabbix sends [] for an object that is not there. */
function part<T>(of: z.ZodMiniType<T>) {
  return z.pipe(
    z.optional(z.union([of, z.array(z.unknown())])),
    z.transform((value): T | undefined => (Array.isArray(value) ? undefined : (value as T))),
  );
}

const ids = <N extends string>(name: N) => z.optional(z.array(z.object({ [name]: text })));

const operation = z.object({
  operationtype: text,
  esc_period: z.optional(text),
  esc_step_from: z.optional(text),
  esc_step_to: z.optional(text),
  evaltype: z.optional(text),
  opconditions: z.optional(z.array(z.object({ value: text }))),
  opmessage: part(z.object({ default_msg: text, mediatypeid: text, subject: text, message: text })),
  opmessage_grp: ids("usrgrpid"),
  opmessage_usr: ids("userid"),
  opmessage_oncall: ids("oncallid"),
  opcommand: part(z.object({ scriptid: text })),
  opcommand_grp: ids("groupid"),
  opcommand_hst: ids("hostid"),
  opgroup: ids("groupid"),
  optemplate: ids("templateid"),
  opinventory: part(z.object({ inventory_mode: text })),
  optag: z.optional(z.array(z.object({ tag: text, value: text }))),
}) as unknown as z.ZodMiniType<ActionOperation>;

const operations = z._default(z.array(operation), []);

const action: z.ZodMiniType<Action> = z.object({
  actionid: text,
  name: text,
  eventsource: text,
  status: text,
  esc_period: text,
  pause_symptoms: text,
  pause_suppressed: text,
  notify_if_canceled: text,
  filter,
  operations,
  recovery_operations: operations,
  update_operations: operations,
});

const WHOLE = {
  output: "extend",
  selectFilter: "extend",
  selectOperations: "extend",
  selectRecoveryOperations: "extend",
  selectUpdateOperations: "extend",
} as const;

export async function fetchActions(signal?: AbortSignal): Promise<readonly Action[]> {
  return call("action.get", { ...WHOLE, sortfield: "name" }, schema.listOf(action), signal);
}

export async function fetchAction(id: Id, signal?: AbortSignal): Promise<Action | undefined> {
  const params = { ...WHOLE, actionids: [id] };
  return (await call("action.get", params, schema.listOf(action), signal))[0];
}

export async function createAction(draft: ActionCreate): Promise<Id> {
  const made = await call("action.create", draft, schema.createdIds("actionids"));
  return made[0] ?? "";
}

/** What its events are about stays. */
export async function updateAction(
  actionid: Id,
  draft: Partial<Omit<ActionCreate, "eventsource">>,
): Promise<void> {
  await call("action.update", { actionid, ...draft }, schema.changed);
}

export async function deleteActions(actionids: readonly Id[]): Promise<void> {
  await call("action.delete", actionids, schema.changed);
}

/** An id and what people call it. */
export interface Named {
  readonly id: Id;
  readonly name: string;
}

const userName = z.object({ userid: text, username: text, name: text, surname: text });

export async function fetchUserNames(signal?: AbortSignal): Promise<readonly Named[]> {
  const output = ["userid", "username", "name", "surname"] as const;
  const params = { output, sortfield: "username" } as const;
  const users = await call("user.get", params, schema.listOf(userName), signal);
  return users.map(({ userid, username, name, surname }) => {
    const whole = `${name} ${surname}`.trim();
    return { id: userid, name: whole === "" ? username : `${username} (${whole})` };
  });
}

export async function fetchUserGroupNames(signal?: AbortSignal): Promise<readonly Named[]> {
  const params = { output: ["usrgrpid", "name"], sortfield: "name" } as const;
  const group = z.object({ usrgrpid: text, name: text });
  const groups = await call("usergroup.get", params, schema.listOf(group), signal);
  return groups.map(({ usrgrpid, name }) => ({ id: usrgrpid, name }));
}

const ACTION_SCOPE = "1";

/** Scripts that operations may execute. */
export async function fetchOperationScripts(signal?: AbortSignal): Promise<readonly Named[]> {
  const params = { output: ["scriptid", "name", "scope"], sortfield: "name" } as const;
  const script = z.object({ scriptid: text, name: text, scope: text });
  const scripts = await call("script.get", params, schema.listOf(script), signal);
  return scripts
    .filter(({ scope }) => scope === ACTION_SCOPE)
    .map(({ scriptid, name }) => ({ id: scriptid, name }));
}

const triggerName = z.object({
  triggerid: text,
  description: text,
  hosts: z.array(z.object({ name: text })),
});
const TRIGGER_NAME = {
  output: ["triggerid", "description"],
  selectHosts: ["name"],
  sortfield: "description",
} as const;

function namedTrigger({ triggerid, description, hosts }: z.infer<typeof triggerName>): Named {
  const host = hosts[0]?.name ?? "";
  return { id: triggerid, name: host === "" ? description : `${host}: ${description}` };
}

export async function searchTriggerNames(
  search: string,
  limit: number,
  signal?: AbortSignal,
): Promise<readonly Named[]> {
  const params = {
    ...TRIGGER_NAME,
    limit,
    ...(search === "" ? {} : { search: { description: search } }),
  };
  return (await call("trigger.get", params, schema.listOf(triggerName), signal)).map(namedTrigger);
}

export async function fetchTriggerNames(
  triggerids: readonly Id[],
  signal?: AbortSignal,
): Promise<readonly Named[]> {
  const params = { ...TRIGGER_NAME, triggerids };
  return (await call("trigger.get", params, schema.listOf(triggerName), signal)).map(namedTrigger);
}
