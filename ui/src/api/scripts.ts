// Scripts that users start on hosts and for problems, and writing them.

import * as z from "zod/mini";
import { SCRIPT } from "./generated/script";
import { type AnswerOf, type DraftOf, objectsOf } from "./objects";
import { call, MASS_MS } from "./rpc";
import type { Id } from "./types";

/** Scripts as super admins write them. */
export const SCRIPTS = objectsOf(SCRIPT);

export type Script = AnswerOf<typeof SCRIPTS>;
export type ScriptDraft = DraftOf<"script">;

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
