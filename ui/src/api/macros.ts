// User macros that hold for a host or template from elsewhere.

import { call } from "./rpc";
import * as schema from "./schema";
import { TEMPLATE_FIELDS } from "./templates";
import type { Id, Macro } from "./types";

export async function fetchGlobalMacros(signal?: AbortSignal): Promise<readonly Macro[]> {
  const params = { output: "extend", globalmacro: true } as const;
  return call("usermacro.get", params, schema.listOf(schema.macro), signal);
}

export interface InheritedMacro extends Macro {
  /** name of the template that it comes from */
  readonly from: string;
}

// nesting deeper than this is a cycle that the server would have refused
const NESTING_MAX = 16;

/** Macros of the templates and of theirs, nearest first. */
export async function fetchInheritedMacros(
  templateids: readonly Id[],
  signal?: AbortSignal,
): Promise<readonly InheritedMacro[]> {
  const found = new Map<string, InheritedMacro>();
  const seen = new Set<Id>();
  let level = [...templateids];
  for (let depth = 0; depth < NESTING_MAX && level.length > 0; depth += 1) {
    for (const id of level) seen.add(id);
    const templates = await call(
      "template.get",
      {
        templateids: level,
        output: TEMPLATE_FIELDS,
        selectMacros: ["hostmacroid", "macro", "value", "description", "type"],
        selectParentTemplates: ["templateid", "name"],
      },
      schema.listOf(schema.template),
      signal,
    );
    for (const template of templates) {
      for (const macro of template.macros) {
        if (!found.has(macro.macro)) found.set(macro.macro, { ...macro, from: template.name });
      }
    }
    const next = templates.flatMap((it) => it.parentTemplates.map((parent) => parent.templateid));
    level = [...new Set(next)].filter((id) => !seen.has(id));
  }
  return [...found.values()];
}
