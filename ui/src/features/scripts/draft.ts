// A script while it is edited: what the form holds, what it checks, what is sent.

import type { Script, ScriptDraft } from "@/api/scripts";
import { bad, type Check, OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import { type Keyed, keyed } from "@/widgets/keyed";

export const SHELL = "0";
export const IPMI = "1";
export const SSH = "2";
export const TELNET = "3";
export const WEBHOOK = "5";
export const URL_TYPE = "6";
export const FOR_ACTIONS = "1";

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
    { value: "2", label: t("Manual host action") },
    { value: "4", label: t("Manual event action") },
  ];
}

export function labelOf(options: readonly { value: string; label: string }[], value: string) {
  return options.find((it) => it.value === value)?.label ?? value;
}

const NEW: ScriptFields = {
  name: "",
  type: SHELL,
  scope: "2",
  command: "",
  execute_on: "0",
  menu_path: "",
  authtype: "0",
  username: "",
  password: "",
  publickey: "",
  privatekey: "",
  port: "",
  groupid: "0",
  usrgrpid: "0",
  host_access: "2",
  confirmation: "",
  timeout: "30s",
  description: "",
  url: "",
  new_window: "1",
  manualinput: "0",
  manualinput_prompt: "",
  manualinput_validator: "",
  manualinput_validator_type: "0",
  manualinput_default_value: "",
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
  const { type, scope, authtype, manualinput } = fields;
  const hasKey = type === SSH && authtype === "1";
  return [
    "name",
    type === URL_TYPE ? "url" : "command",
    ...(type === SSH || type === TELNET ? (["username"] as const) : []),
    ...(hasKey ? (["publickey", "privatekey"] as const) : []),
    ...(scope !== FOR_ACTIONS && manualinput === "1"
      ? (["manualinput_prompt", "manualinput_validator"] as const)
      : []),
  ];
}

export function isComplete(fields: ScriptFields): boolean {
  return neededOf(fields).every((name) => checkGiven(String(fields[name])).ok);
}

/** The fields that go with the chosen type and scope. The server refuses the others. */
function usedOf({ type, scope, authtype, manualinput, ...rest }: ScriptFields) {
  const isByUsers = scope !== FOR_ACTIONS;
  const asks = isByUsers && manualinput === "1";
  const isList = rest.manualinput_validator_type === "1";
  const logsIn = type === SSH || type === TELNET;
  const isUrl = type === URL_TYPE;
  const groups: readonly (readonly [boolean, readonly (keyof ScriptFields)[]])[] = [
    [true, ["name", "scope", "type", "groupid", "description"]],
    [!isUrl, ["command"]],
    [isUrl, ["url", "new_window"]],
    [type === SHELL, ["execute_on"]],
    [type === SSH, ["authtype"]],
    [type === SSH && authtype === "1", ["publickey", "privatekey"]],
    [logsIn, ["username", "password", "port"]],
    [type === WEBHOOK, ["timeout"]],
    [isByUsers, ["menu_path", "usrgrpid", "host_access", "confirmation", "manualinput"]],
    [asks, ["manualinput_prompt", "manualinput_validator", "manualinput_validator_type"]],
    [asks && !isList, ["manualinput_default_value"]],
  ];
  return new Set(groups.flatMap(([is, names]) => (is ? names : [])));
}

export function draftOf(fields: ScriptFields): ScriptDraft {
  const { parameters, ...texts } = fields;
  const used = usedOf(fields);
  const sent = Object.entries(texts).filter(([name]) => used.has(name as keyof ScriptFields));
  const draft = Object.fromEntries(sent) as Omit<ScriptDraft, "parameters">;
  if (fields.type !== WEBHOOK) return { ...draft, name: draft.name.trim() };
  return {
    ...draft,
    name: draft.name.trim(),
    parameters: parameters
      .filter(({ name }) => name.trim() !== "")
      .map(({ name, value }) => ({ name: name.trim(), value })),
  };
}
