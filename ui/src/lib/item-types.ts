// Kinds of items and values with their numbers in the API. Which of them can be chosen
// follows what the server collects; others are shown by name where they exist already.

import { t } from "@/lib/i18n";

export type Needs = "1" | "2" | "3" | "4" | "any" | undefined;

export interface ItemKind {
  readonly type: number;
  readonly name: string;
  /** polled by an interval */
  readonly polled: boolean;
  /** kind of interface that it needs, if any; "any": one of whatever kind, if there is one */
  readonly needs: Needs;
  readonly choosable: boolean;
}

const kind = (
  type: number,
  name: string,
  polled: boolean,
  needs: Needs = undefined,
  choosable = true,
): ItemKind => ({ type, name, polled, needs, choosable });

export const ITEM_KINDS: readonly ItemKind[] = [
  kind(0, "Zabbix agent", true, "1"),
  kind(7, "Zabbix agent (active)", true),
  kind(20, "SNMP agent", true, "2"),
  kind(3, "Simple check", true, "any"),
  kind(2, "Trapper", false),
  kind(18, "Dependent item", false),
  kind(15, "Calculated", true),
  kind(5, "Internal", true),
  kind(9, "Web item", false, undefined, false),
  kind(10, "External check", true, "any"),
  kind(11, "Database monitor", true),
  kind(12, "IPMI agent", true, "3"),
  kind(13, "SSH agent", true, "any"),
  kind(14, "Telnet agent", true, "any"),
  kind(16, "JMX agent", true, "4"),
  kind(17, "SNMP trap", false, "2"),
  kind(19, "HTTP agent", true),
  kind(21, "Script", true),
  kind(22, "Browser", true, undefined, false),
];

export const AGENT_ACTIVE = 7;
export const DEPENDENT = 18;
export const SNMP_AGENT = 20;
export const CALCULATED = 15;
export const TRAPPER = 2;
export const HTTP_AGENT = 19;
export const SCRIPT = 21;
export const EXTERNAL = 10;
export const ODBC = 11;
export const IPMI = 12;
export const SSH = 13;
export const TELNET = 14;
export const JMX = 16;

export function itemKind(type: number | string): ItemKind {
  const n = Number(type);
  return ITEM_KINDS.find((it) => it.type === n) ?? kind(n, `Type ${n}`, true, undefined, false);
}

export function itemKindName(type: number | string): string {
  return t(itemKind(type).name);
}

export const VALUE_TYPES: readonly { readonly type: number; readonly name: string }[] = [
  { type: 3, name: "Numeric (unsigned)" },
  { type: 0, name: "Numeric (float)" },
  { type: 1, name: "Character" },
  { type: 4, name: "Text" },
  { type: 2, name: "Log" },
];

export function valueTypeName(type: number | string): string {
  return t(VALUE_TYPES.find((it) => it.type === Number(type))?.name ?? `Type ${type}`);
}

/** Whether values of the type may fill a field of the host's inventory: numbers and texts, not logs. */
export function mayFillInventory(valueType: number): boolean {
  return isNumeric(valueType) || valueType === 1 || valueType === 4;
}

/** Whether values of the type may be shown by a value map. */
export function mayHaveValueMap(valueType: number): boolean {
  return isNumeric(valueType) || valueType === 1;
}

export function isNumeric(valueType: number): boolean {
  return valueType === 0 || valueType === 3;
}
