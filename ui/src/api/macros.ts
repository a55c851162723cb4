// User macros that hold for a host or template from elsewhere.

import { listSchema } from "./described";
import { GLOBAL_MACRO } from "./generated/global-macro";
import { call } from "./rpc";
import * as schema from "./schema";
import { TEMPLATE_MACROS } from "./templates";
import type { Id, Macro } from "./types";

/** Secrets have no value there. */
const GLOBAL_MACROS = listSchema(GLOBAL_MACRO.fields);

export async function fetchGlobalMacros(signal?: AbortSignal): Promise<readonly Macro[]> {
  const params = { output: "extend", globalmacro: true } as const;
  return call("usermacro.get", params, GLOBAL_MACROS, signal);
}

/** Makes the global macros those of the list: what differs is written, what is not in it goes. */
export async function saveGlobalMacros(
  before: readonly Macro[],
  after: readonly Macro[],
): Promise<void> {
  const known = new Map(before.map((it) => [it.globalmacroid, it]));
  const kept = new Set(after.map((it) => it.globalmacroid));
  const gone = before.flatMap(({ globalmacroid }) =>
    globalmacroid === undefined || kept.has(globalmacroid) ? [] : [globalmacroid],
  );
  const updates = after.flatMap(({ globalmacroid, macro, value, type, description }) => {
    const was = globalmacroid === undefined ? undefined : known.get(globalmacroid);
    if (globalmacroid === undefined || was === undefined) return [];
    // a secret is not returned: empty means that nothing was typed
    const isUntouched = type === SECRET && was.type === SECRET && value === "";
    const isSame = was.macro === macro && was.type === type && was.description === description;
    if (isSame && (isUntouched || was.value === value)) return [];
    return [{ globalmacroid, macro, type, description, ...(isUntouched ? {} : { value }) }];
  });
  const made = after
    .filter(({ globalmacroid }) => globalmacroid === undefined)
    .map(({ macro, value, type, description }) => ({ macro, value, type, description }));
  // names that are free only now are taken after
  if (gone.length > 0) await call("usermacro.deleteglobal", gone, schema.changed);
  if (updates.length > 0) await call("usermacro.updateglobal", updates, schema.changed);
  if (made.length > 0) await call("usermacro.createglobal", made, schema.changed);
}

const { SECRET } = GLOBAL_MACRO.fields.type.names;

export interface InheritedMacro extends Macro {
  /** name of the template that it comes from */
  readonly from: string;
  readonly templateid: Id;
}

// nesting deeper than this is a cycle that the server would have refused
const NESTING_MAX = 16;

/** Macros of the templates and of theirs, nearest first; a name stands once for each template that has it. */
export async function fetchTemplateMacros(
  templateids: readonly Id[],
  signal?: AbortSignal,
): Promise<readonly InheritedMacro[]> {
  const found: InheritedMacro[] = [];
  const seen = new Set<Id>();
  let level = [...templateids];
  for (let depth = 0; depth < NESTING_MAX && level.length > 0; depth += 1) {
    for (const id of level) seen.add(id);
    const templates = await TEMPLATE_MACROS.get({ templateids: level }, signal);
    for (const { name, templateid, macros } of templates) {
      found.push(...macros.map((macro) => ({ ...macro, from: name, templateid })));
    }
    const next = templates.flatMap((it) => it.parentTemplates.map((parent) => parent.templateid));
    level = [...new Set(next)].filter((id) => !seen.has(id));
  }
  return found;
}

/** Of each name the nearest. */
export async function fetchInheritedMacros(
  templateids: readonly Id[],
  signal?: AbortSignal,
): Promise<readonly InheritedMacro[]> {
  const seen = new Set<string>();
  const all = await fetchTemplateMacros(templateids, signal);
  return all.filter(({ macro }) => !seen.has(macro) && seen.add(macro));
}
