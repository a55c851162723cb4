// Kinds of items, values and preprocessing steps with their numbers in the API. Which of them can be chosen
// follows what the server collects; others are shown by name where they exist already.

import { t } from "@/lib/i18n";

export interface ItemKind {
  readonly type: number;
  readonly name: string;
  /** polled by an interval */
  readonly polled: boolean;
  /** kind of interface that it needs, if any */
  readonly needs: "1" | "2" | undefined;
  readonly choosable: boolean;
}

const kind = (
  type: number,
  name: string,
  polled: boolean,
  needs: "1" | "2" | undefined = undefined,
  choosable = true,
): ItemKind => ({ type, name, polled, needs, choosable });

export const ITEM_KINDS: readonly ItemKind[] = [
  kind(0, "Zabbix agent", true, "1"),
  kind(7, "Zabbix agent (active)", true),
  kind(20, "SNMP agent", true, "2"),
  kind(3, "Simple check", true, "1"),
  kind(2, "Trapper", false),
  kind(18, "Dependent item", false),
  kind(15, "Calculated", true),
  kind(5, "Internal", true),
  kind(9, "Web item", false, undefined, false),
  kind(10, "External check", true, undefined, false),
  kind(11, "Database monitor", true, undefined, false),
  kind(12, "IPMI agent", true, undefined, false),
  kind(13, "SSH agent", true, undefined, false),
  kind(14, "Telnet agent", true, undefined, false),
  kind(16, "JMX agent", true, undefined, false),
  kind(17, "SNMP trap", false, undefined, false),
  kind(19, "HTTP agent", true, undefined, false),
  kind(21, "Script", true, undefined, false),
  kind(22, "Browser", true, undefined, false),
];

export const DEPENDENT = 18;
export const SNMP_AGENT = 20;
export const CALCULATED = 15;
export const TRAPPER = 2;

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

export interface StepKind {
  readonly type: number;
  readonly name: string;
  readonly params: readonly { readonly name: string; readonly placeholder: string }[];
  /** what happens on failure can be chosen */
  readonly canFail: boolean;
}

const step = (
  type: number,
  name: string,
  params: readonly (readonly [name: string, placeholder: string])[],
  canFail: boolean,
): StepKind => ({
  type,
  name,
  params: params.map(([it, placeholder]) => ({ name: it, placeholder })),
  canFail,
});

export const STEP_KINDS: readonly StepKind[] = [
  step(
    5,
    "Regular expression",
    [
      ["Pattern", "(\\d+)"],
      ["Output", "\\1"],
    ],
    true,
  ),
  step(4, "Trim", [["Characters", ""]], false),
  step(2, "Right trim", [["Characters", ""]], false),
  step(3, "Left trim", [["Characters", ""]], false),
  step(12, "JSONPath", [["Path", "$.path.to.node"]], true),
  step(1, "Custom multiplier", [["Number", "8"]], true),
  step(9, "Simple change", [], true),
  step(10, "Change per second", [], true),
  step(6, "Boolean to decimal", [], true),
  step(7, "Octal to decimal", [], true),
  step(8, "Hexadecimal to decimal", [], true),
  step(19, "Discard unchanged", [], false),
  step(20, "Discard unchanged with heartbeat", [["Period", "1h"]], false),
];

const OTHER_STEPS: Readonly<Record<number, string>> = {
  11: "XML XPath",
  13: "In range",
  14: "Matches regular expression",
  15: "Does not match regular expression",
  16: "Check for error in JSON",
  17: "Check for error in XML",
  18: "Check for error using regular expression",
  21: "JavaScript",
  22: "Prometheus pattern",
  23: "Prometheus to JSON",
  24: "CSV to JSON",
  25: "Replace",
  26: "Check for not supported value",
  27: "XML to JSON",
  28: "SNMP walk value",
  29: "SNMP walk to JSON",
  30: "SNMP get value",
};

/** Steps that cannot be chosen yet are kept as they are and named. */
export function stepKind(type: number | string): StepKind {
  const n = Number(type);
  return (
    STEP_KINDS.find((it) => it.type === n) ??
    step(n, OTHER_STEPS[n] ?? `Type ${n}`, [["Parameters", ""]], true)
  );
}
