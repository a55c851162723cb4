// Actions, and the names of what they send messages to.

import { ACTION } from "./generated/action";
import { SCRIPT } from "./generated/script";
import { TRIGGER } from "./generated/trigger";
import { USER } from "./generated/user";
import { USER_GROUP } from "./generated/user-group";
import { type AnswerOf, type DraftOf, objectsOf, readerOf } from "./objects";
import type { Id } from "./types";

export const ACTIONS = objectsOf(ACTION, {
  selects: {
    filter: ["evaltype", "formula", "conditions"],
    operations: "extend",
    recovery_operations: "extend",
    update_operations: "extend",
  },
});

export type Action = AnswerOf<typeof ACTIONS>;
export type ActionFilter = NonNullable<Action["filter"]>;
export type StoredCondition = ActionFilter["conditions"][number];
/** A condition as the form has it; `value2` is the tag of a value. */
export type ActionCondition = { readonly [N in keyof Required<StoredCondition>]: string };
/** An operation of any kind; what its type does not have is undefined. */
export type ActionOperation = Action["operations"][number];
export type ActionMessage = NonNullable<ActionOperation["opmessage"]>;
export type ActionDraft = DraftOf<"action">;

/** An id and what people call it. */
export interface Named {
  readonly id: Id;
  readonly name: string;
}

const USERS = readerOf(USER, { output: ["userid", "username", "name", "surname"] });

export async function fetchUserNames(signal?: AbortSignal): Promise<readonly Named[]> {
  const users = await USERS.get({ sortfield: "username" }, signal);
  return users.map(({ userid, username, name, surname }) => {
    const whole = `${name} ${surname}`.trim();
    return { id: userid, name: whole === "" ? username : `${username} (${whole})` };
  });
}

const USER_GROUPS = readerOf(USER_GROUP, { output: ["usrgrpid", "name"] });

export async function fetchUserGroupNames(signal?: AbortSignal): Promise<readonly Named[]> {
  const groups = await USER_GROUPS.get({ sortfield: "name" }, signal);
  return groups.map(({ usrgrpid, name }) => ({ id: usrgrpid, name }));
}

const ACTION_SCOPE = "1";
const SCRIPTS = readerOf(SCRIPT, { output: ["scriptid", "name", "scope"] });

/** Scripts that operations may execute. */
export async function fetchOperationScripts(signal?: AbortSignal): Promise<readonly Named[]> {
  const scripts = await SCRIPTS.get({ sortfield: "name" }, signal);
  return scripts
    .filter(({ scope }) => scope === ACTION_SCOPE)
    .map(({ scriptid, name }) => ({ id: scriptid, name }));
}

const TRIGGERS = readerOf(TRIGGER, {
  output: ["triggerid", "description"],
  selects: { hosts: ["name"] },
  params: { sortfield: "description" },
});

function namedTrigger({ triggerid, description, hosts }: AnswerOf<typeof TRIGGERS>): Named {
  const host = hosts[0]?.name ?? "";
  return { id: triggerid, name: host === "" ? description : `${host}: ${description}` };
}

export async function searchTriggerNames(
  search: string,
  limit: number,
  signal?: AbortSignal,
): Promise<readonly Named[]> {
  const params = { limit, ...(search === "" ? {} : { search: { description: search } }) };
  return (await TRIGGERS.get(params, signal)).map(namedTrigger);
}

export async function fetchTriggerNames(
  triggerids: readonly Id[],
  signal?: AbortSignal,
): Promise<readonly Named[]> {
  return (await TRIGGERS.get({ triggerids }, signal)).map(namedTrigger);
}
