// One change of many hosts as calls of the API, in the order in which they are made.

import type { MassCall } from "@/api/mass";
import type { Id } from "@/api/types";
import { cleanMacros } from "@/widgets/macro-editor";
import type {
  DescriptionMass,
  EnabledMass,
  GroupsMass,
  LinksMass,
  MacrosMass,
} from "@/widgets/mass/fields";

export interface HostMassFields
  extends GroupsMass,
    LinksMass,
    MacrosMass,
    EnabledMass,
    DescriptionMass {
  /** -1 none, 0 by hand, 1 filled by items too */
  readonly inventoryMode: string;
  /** field of the inventory and its value; an empty field: none */
  readonly inventoryField: string;
  readonly inventoryValue: string;
}

export const NO_MASS: HostMassFields = {
  groupsHow: "add",
  groupids: [],
  templatesHow: "link",
  templateids: [],
  macrosHow: "add",
  macros: [],
  enabled: true,
  description: "",
  inventoryMode: "1",
  inventoryField: "",
  inventoryValue: "",
};

export type HostMassPart =
  | "groups"
  | "templates"
  | "macros"
  | "status"
  | "description"
  | "inventory"
  | "inventoryField";

/** All but tags, which are changed host by host: no call of the API adds or removes some. */
export function hostMassCalls(
  hostids: readonly Id[],
  fields: HostMassFields,
  parts: ReadonlySet<string>,
): readonly MassCall[] {
  const hosts = hostids.map((hostid) => ({ hostid }));
  const calls: MassCall[] = [];
  const add = (method: MassCall["method"], params: Readonly<Record<string, unknown>>) =>
    calls.push({
      method,
      params: method === "host.massremove" ? { hostids, ...params } : { hosts, ...params },
    });
  const has = (part: HostMassPart) => parts.has(part);
  const update = {
    ...(has("status") ? { status: fields.enabled ? 0 : 1 } : {}),
    ...(has("description") ? { description: fields.description } : {}),
    ...(has("inventory") ? { inventory_mode: Number(fields.inventoryMode) } : {}),
    // a host without an inventory has no fields either: the mode is chosen with it, or the call is refused
    ...(has("inventoryField") && fields.inventoryField !== ""
      ? { inventory: { [fields.inventoryField]: fields.inventoryValue } }
      : {}),
  };
  if (Object.keys(update).length > 0) add("host.massupdate", update);
  if (has("groups")) addGroups(fields, add);
  if (has("templates")) addTemplates(fields, add);
  if (has("macros")) addMacros(fields, add);
  return calls;
}

type Add = (method: MassCall["method"], params: Readonly<Record<string, unknown>>) => void;

function addGroups({ groupsHow, groupids }: HostMassFields, add: Add): void {
  const groups = groupids.map((groupid) => ({ groupid }));
  if (groupsHow === "add") add("host.massadd", { groups });
  else if (groupsHow === "replace") add("host.massupdate", { groups });
  else add("host.massremove", { groupids });
}

function addTemplates({ templatesHow, templateids }: HostMassFields, add: Add): void {
  const templates = templateids.map((templateid) => ({ templateid }));
  if (templatesHow === "link") add("host.massadd", { templates });
  else if (templatesHow === "replace") add("host.massupdate", { templates });
  else if (templatesHow === "unlink") add("host.massremove", { templateids });
  else add("host.massremove", { templateids_clear: templateids });
}

function addMacros({ macrosHow, macros }: HostMassFields, add: Add): void {
  const cleaned = cleanMacros(macros);
  if (macrosHow === "add") add("host.massadd", { macros: cleaned });
  else if (macrosHow === "replace") add("host.massupdate", { macros: cleaned });
  else add("host.massremove", { macros: cleaned.map(({ macro }) => macro) });
}
