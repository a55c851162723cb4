// Scripts that users start on hosts and for problems, and writing them.

import * as z from "zod/mini";
import { listSchema } from "./described";
import { SCRIPT } from "./generated/script";
import { type AnswerOf, type DraftOf, objectsOf } from "./objects";
import { call, MASS_MS } from "./rpc";
import type * as schema from "./schema";
import type { Id } from "./types";

/** Scripts as super admins write them. */
export const SCRIPTS = objectsOf(SCRIPT);

export type Script = AnswerOf<typeof SCRIPTS>;
export type ScriptDraft = DraftOf<"script">;

/** What a script is started for. */
export type ScriptTarget = { readonly hostid: Id } | { readonly eventid: Id };

/** A script as a user who can run it sees it; macros of its texts are replaced. */
const startable = listSchema(SCRIPT.fields, [
  "scriptid",
  "name",
  "type",
  "scope",
  "menu_path",
  "description",
  "confirmation",
  "url",
  "manualinput",
  "manualinput_prompt",
  "manualinput_validator",
  "manualinput_validator_type",
  "manualinput_default_value",
]);
export type StartableScript = schema.Read<typeof startable>[number];
const byTarget = z.record(z.string(), startable);

interface Asked {
  readonly scriptid?: Id;
  /** for addresses that hold it */
  readonly manualinput?: string;
}

export async function fetchStartable(
  target: ScriptTarget,
  asked: Asked = {},
  signal?: AbortSignal,
): Promise<readonly StartableScript[]> {
  const options = signal === undefined ? {} : { signal };
  if ("hostid" in target) {
    const params = { ...target, ...asked };
    const found = await call("script.getscriptsbyhosts", params, byTarget, options);
    return startedOn(FOR_HOSTS, found[target.hostid]);
  }
  const params = { ...target, ...asked };
  const found = await call("script.getscriptsbyevents", params, byTarget, options);
  return startedOn(FOR_EVENTS, found[target.eventid]);
}

const { HOSTS: FOR_HOSTS, EVENTS: FOR_EVENTS } = SCRIPT.fields.scope.names;

/** The server returns those of all scopes, as Zabbix does. */
function startedOn(
  scope: string,
  found: readonly StartableScript[] = [],
): readonly StartableScript[] {
  return found.filter((it) => it.scope === scope);
}

const outcome = z.object({ value: z.string() });

/** What it printed. Commands may take as long as the server lets them. */
export async function executeScript(
  scriptid: Id,
  target: ScriptTarget,
  manualinput: string | undefined,
): Promise<string> {
  const input = manualinput === undefined ? {} : { manualinput };
  const params = { scriptid, ...target, ...input };
  const { value } = await call("script.execute", params, outcome, { timeoutMs: MASS_MS });
  return value;
}
