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
  kind(0, t("Zabbix agent"), true, "1"),
  kind(7, t("Zabbix agent (active)"), true),
  kind(20, t("SNMP agent"), true, "2"),
  kind(3, t("Simple check"), true, "any"),
  kind(2, t("Trapper"), false),
  kind(18, t("Dependent item"), false),
  kind(15, t("Calculated"), true),
  kind(5, t("Internal"), true),
  kind(9, t("Web item"), false, undefined, false),
  kind(10, t("External check"), true, "any"),
  kind(11, t("Database monitor"), true),
  kind(12, t("IPMI agent"), true, "3"),
  kind(13, t("SSH agent"), true, "any"),
  kind(14, t("Telnet agent"), true, "any"),
  kind(16, t("JMX agent"), true, "4"),
  kind(17, t("SNMP trap"), false, "2"),
  kind(19, t("HTTP agent"), true),
  kind(21, t("Script"), true),
  kind(22, t("Browser"), true),
  // of discovery rules only
  kind(23, t("Nested"), false, undefined, false),
];

export const AGENT_ACTIVE = 7;
export const DEPENDENT = 18;
export const SNMP_AGENT = 20;
export const CALCULATED = 15;
export const TRAPPER = 2;
export const HTTP_AGENT = 19;
export const SCRIPT = 21;
export const BROWSER = 22;
export const NESTED = 23;
export const EXTERNAL = 10;
export const ODBC = 11;
export const IPMI = 12;
export const SSH = 13;
export const TELNET = 14;
export const JMX = 16;

/** Items whose values scripts make. */
export function isScripted(type: number): boolean {
  return type === SCRIPT || type === BROWSER;
}

export function itemKind(type: number | string): ItemKind {
  const n = Number(type);
  return (
    ITEM_KINDS.find((it) => it.type === n) ?? kind(n, t("Type {n}", { n }), true, undefined, false)
  );
}

export function itemKindName(type: number | string): string {
  return itemKind(type).name;
}

export const VALUE_TYPES: readonly { readonly type: number; readonly name: string }[] = [
  { type: 3, name: t("Numeric (unsigned)") },
  { type: 0, name: t("Numeric (float)") },
  { type: 1, name: t("Character") },
  { type: 4, name: t("Text") },
  { type: 2, name: t("Log") },
];

export function valueTypeName(type: number | string): string {
  return VALUE_TYPES.find((it) => it.type === Number(type))?.name ?? t("Type {n}", { n: type });
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
