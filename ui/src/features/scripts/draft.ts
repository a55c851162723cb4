// A script while it is edited: what the form holds, what it checks, what is sent.

import { neededTexts, newFields, onlyUseful } from "@/api/described";
import { SCRIPT } from "@/api/generated/script";
import type { Script, ScriptDraft } from "@/api/scripts";
import { bad, type Check, OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import { type Keyed, keyed } from "@/widgets/keyed";

const { fields: FIELDS } = SCRIPT;

export const { SHELL, IPMI, SSH, TELNET, WEBHOOK, URL: URL_TYPE } = FIELDS.type.names;
export const { ACTIONS: FOR_ACTIONS, HOSTS: FOR_HOSTS, EVENTS: FOR_EVENTS } = FIELDS.scope.names;

export type ScriptFields = Omit<Script, "scriptid" | "parameters"> & {
  readonly parameters: readonly Keyed<{ readonly name: string; readonly value: string }>[];
};

export function typeOptions() {
  return [
    { value: SHELL, label: t("Shell command") },
    { value: WEBHOOK, label: t("Webhook") },
    { value: SSH, label: "SSH" },
    { value: TELNET, label: t("Telnet") },
    { value: URL_TYPE, label: "URL" },
    { value: IPMI, label: "IPMI" },
  ];
}

export function scopeOptions() {
  return [
    { value: FOR_ACTIONS, label: t("Action operation") },
    { value: FOR_HOSTS, label: t("Manual host action") },
    { value: FOR_EVENTS, label: t("Manual event action") },
  ];
}

export function labelOf(options: readonly { value: string; label: string }[], value: string) {
  return options.find((it) => it.value === value)?.label ?? value;
}

const NEW: ScriptFields = {
  ...newFields(FIELDS),
  type: SHELL,
  scope: FOR_HOSTS,
  execute_on: "0",
  parameters: [],
};

export function fieldsOf(script: Script | undefined): ScriptFields {
  if (script === undefined) return NEW;
  const { scriptid: _, parameters, ...same } = script;
  return { ...same, parameters: parameters.map(({ name, value }) => keyed({ name, value })) };
}

export function checkGiven(text: string): Check {
  return text.trim() === "" ? bad(t("this is required"), 0) : OK;
}

/** What has to be filled in, by its name. */
export function neededOf(fields: ScriptFields): readonly (keyof ScriptFields)[] {
  return neededTexts(FIELDS, fields) as readonly (keyof ScriptFields)[];
}

export function isComplete(fields: ScriptFields): boolean {
  return neededOf(fields).every((name) => checkGiven(String(fields[name])).ok);
}

export function draftOf({ parameters, ...fields }: ScriptFields): ScriptDraft {
  const draft = { ...(onlyUseful(FIELDS, fields) as typeof fields), name: fields.name.trim() };
  if (fields.type !== WEBHOOK) return draft;
  return {
    ...draft,
    parameters: parameters
      .filter(({ name }) => name.trim() !== "")
      .map(({ name, value }) => ({ name: name.trim(), value })),
  };
}
