// Scripts that users start on hosts and for problems, and writing them.

import * as z from "zod/mini";
import type { ScriptCreate } from "./generated/script";
import { call, MASS_MS } from "./rpc";
import * as schema from "./schema";
import type { Id } from "./types";

/** What a script is started for. */
export type ScriptTarget = { readonly hostid: Id } | { readonly eventid: Id };

/** A script as a user who can run it sees it; macros of its texts are replaced. */
export interface StartableScript {
  readonly scriptid: Id;
  readonly name: string;
  /** 6: an address that pages open */
  readonly type: string;
  /** folders, divided by slashes */
  readonly menu_path: string;
  /** 1 operations of actions, 2 users on hosts, 4 users on problems */
  readonly scope: string;
  readonly description: string;
  readonly confirmation: string;
  readonly url: string;
  /** "1": users are asked for something */
  readonly manualinput: string;
  readonly manualinput_prompt: string;
  readonly manualinput_validator: string;
  /** 0 regular expression, 1 list of values */
  readonly manualinput_validator_type: string;
  readonly manualinput_default_value: string;
}

const text = z._default(z.string(), "");
const startable: z.ZodMiniType<StartableScript> = z.object({
  scriptid: z.string(),
  name: z.string(),
  type: z.string(),
  scope: z.string(),
  menu_path: text,
  description: text,
  confirmation: text,
  url: text,
  manualinput: z._default(z.string(), "0"),
  manualinput_prompt: text,
  manualinput_validator: text,
  manualinput_validator_type: text,
  manualinput_default_value: text,
});
const byTarget = z.record(z.string(), z.array(startable));

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

const FOR_HOSTS = "2";
const FOR_EVENTS = "4";

/** The server returns those of all scopes, as Zabbix does. */
function startedOn(
  scope: string,
  found: readonly z.infer<typeof startable>[] = [],
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

/** A script as super admins write it. */
export interface Script extends StartableScript {
  readonly command: string;
  readonly execute_on: string;
  readonly authtype: string;
  readonly username: string;
  readonly password: string;
  readonly publickey: string;
  readonly privatekey: string;
  readonly port: string;
  readonly groupid: Id;
  readonly usrgrpid: Id;
  readonly host_access: string;
  readonly timeout: string;
  readonly new_window: string;
  readonly parameters: readonly { readonly name: string; readonly value: string }[];
}

const required = z.string();
const script: z.ZodMiniType<Script> = z.object({
  scriptid: required,
  name: required,
  type: required,
  scope: required,
  command: text,
  execute_on: text,
  menu_path: text,
  authtype: text,
  username: text,
  password: text,
  publickey: text,
  privatekey: text,
  port: text,
  groupid: text,
  usrgrpid: text,
  host_access: text,
  confirmation: text,
  timeout: text,
  description: text,
  url: text,
  new_window: text,
  manualinput: text,
  manualinput_prompt: text,
  manualinput_validator: text,
  manualinput_validator_type: text,
  manualinput_default_value: text,
  parameters: z._default(z.array(z.object({ name: required, value: text })), []),
});

export async function fetchScripts(signal?: AbortSignal): Promise<readonly Script[]> {
  const params = { output: "extend", sortfield: "name" } as const;
  return call("script.get", params, schema.listOf(script), signal);
}

export async function fetchScript(id: Id, signal?: AbortSignal): Promise<Script | undefined> {
  const params = { scriptids: [id], output: "extend" } as const;
  return (await call("script.get", params, schema.listOf(script), signal))[0];
}

export async function createScript(draft: ScriptCreate): Promise<Id> {
  const ids = await call("script.create", draft, schema.createdIds("scriptids"));
  return ids[0] ?? "";
}

export async function updateScript(scriptid: Id, draft: Partial<ScriptCreate>): Promise<void> {
  await call("script.update", { scriptid, ...draft }, schema.changed);
}

export async function deleteScripts(ids: readonly Id[]): Promise<void> {
  await call("script.delete", ids, schema.changed);
}
