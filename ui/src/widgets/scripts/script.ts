// What is known of a script before it is started: its place in the menu, what may be typed in, where an address leads.

import type { StartableScript } from "@/api/scripts";
import { bad, type Check, OK } from "@/lib/check";
import { locale, t } from "@/lib/i18n";

export const URL_TYPE = "6";
const LIST = "1";

export interface Folder {
  readonly folder: string;
  readonly scripts: readonly StartableScript[];
}

/** By folder and name; what is in no folder comes first. */
export function foldersOf(scripts: readonly StartableScript[]): readonly Folder[] {
  const folders = new Map<string, StartableScript[]>();
  for (const it of scripts) {
    const folder = it.menu_path.split("/").filter(Boolean).join(" / ");
    const known = folders.get(folder);
    if (known === undefined) folders.set(folder, [it]);
    else known.push(it);
  }
  return [...folders]
    .sort(([a], [b]) => a.localeCompare(b, locale()))
    .map(([folder, list]) => ({
      folder,
      scripts: list.sort((a, b) => a.name.localeCompare(b.name, locale())),
    }));
}

/** Values to choose from; undefined: it is typed. */
export function choicesOf(script: StartableScript): readonly string[] | undefined {
  if (script.manualinput_validator_type !== LIST) return undefined;
  return [...new Set(script.manualinput_validator.split(",").map((it) => it.trim()))];
}

/** The server decides; an expression that this browser does not know passes here. */
export function checkInput(script: StartableScript, input: string): Check {
  const choices = choicesOf(script);
  if (choices !== undefined) {
    return choices.includes(input) ? OK : bad(t("one of the values is required"), 0);
  }
  let expression: RegExp;
  try {
    expression = new RegExp(script.manualinput_validator);
  } catch {
    return OK;
  }
  const pattern = script.manualinput_validator;
  return expression.test(input) ? OK : bad(t("this does not match {pattern}", { pattern }), 0);
}
