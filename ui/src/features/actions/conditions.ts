// What conditions of actions there are, and how one is read.

import type { ActionCondition } from "@/api/actions";
import { ACTION } from "@/api/generated/action";
import { t } from "@/lib/i18n";
import { severityName, toSeverity } from "@/lib/severity";
import { checkTypeName, checkTypeOptions } from "@/widgets/network-checks";

export const { TRIGGERS, DISCOVERY, AUTOREGISTRATION, INTERNAL, SERVICES } =
  ACTION.fields.eventsource.names;

export interface Choice {
  readonly value: string;
  readonly label: string;
}

export function sourceOptions(): readonly Choice[] {
  return [
    { value: TRIGGERS, label: t("Triggers") },
    { value: SERVICES, label: t("Services") },
    { value: DISCOVERY, label: t("Network discovery") },
    { value: AUTOREGISTRATION, label: t("Autoregistration") },
    { value: INTERNAL, label: t("Internal") },
  ];
}

export function sourceName(source: string): string {
  return sourceOptions().find((it) => it.value === source)?.label ?? source;
}

/** By what the value is entered. */
export type ValueKind =
  | "hostGroup"
  | "host"
  | "trigger"
  | "template"
  | "service"
  | "severity"
  | "eventType"
  | "networkRule"
  | "networkCheck"
  | "serviceType"
  | "deviceStatus"
  | "deviceObject"
  | "period"
  | "tagValue"
  | "text"
  | "none";

export interface ConditionKind {
  readonly code: string;
  readonly name: string;
  readonly value: ValueKind;
  readonly operators: readonly string[];
}

const EQUALITY = ["0", "1"] as const;
const TEXT = ["0", "1", "2", "3"] as const;
const PART = ["2", "3"] as const;
const PATTERN = ["2", "3", "8", "9"] as const;

type Row = readonly [
  code: string,
  name: string,
  value: ValueKind,
  operators: readonly string[],
  sources: string,
];

/** In the order in which they are offered; sources by their codes. */
const TABLE: readonly Row[] = [
  ["4", t("Severity"), "severity", ["5", "6", "0", "1"], TRIGGERS],
  ["0", t("Host group"), "hostGroup", EQUALITY, TRIGGERS + INTERNAL],
  ["1", t("Host"), "host", EQUALITY, TRIGGERS + INTERNAL],
  ["13", t("Template"), "template", EQUALITY, TRIGGERS + INTERNAL],
  ["2", t("Trigger"), "trigger", EQUALITY, TRIGGERS],
  ["3", t("Event name"), "text", PART, TRIGGERS],
  ["27", t("Service"), "service", EQUALITY, SERVICES],
  ["28", t("Service name"), "text", PART, SERVICES],
  ["23", t("Event type"), "eventType", ["0"], INTERNAL],
  ["25", t("Tag name"), "text", TEXT, TRIGGERS + INTERNAL + SERVICES],
  ["26", t("Tag value"), "tagValue", TEXT, TRIGGERS + INTERNAL + SERVICES],
  ["6", t("Time period"), "period", ["4", "7"], TRIGGERS],
  ["16", t("Problem is suppressed"), "none", ["11", "10"], TRIGGERS],
  ["18", t("Discovery rule"), "networkRule", EQUALITY, DISCOVERY],
  ["19", t("Discovery check"), "networkCheck", EQUALITY, DISCOVERY],
  ["21", t("Discovery object"), "deviceObject", ["0"], DISCOVERY],
  ["10", t("Discovery status"), "deviceStatus", ["0"], DISCOVERY],
  ["7", t("Host IP"), "text", EQUALITY, DISCOVERY],
  ["8", t("Service type"), "serviceType", EQUALITY, DISCOVERY],
  ["9", t("Service port"), "text", EQUALITY, DISCOVERY],
  ["11", t("Uptime or downtime, seconds"), "text", ["5", "6"], DISCOVERY],
  ["12", t("Received value"), "text", ["2", "3", "0", "1", "5", "6"], DISCOVERY],
  ["22", t("Host name"), "text", PATTERN, AUTOREGISTRATION],
  ["24", t("Host metadata"), "text", PATTERN, AUTOREGISTRATION],
];

function kindOf([code, name, value, operators]: Row): ConditionKind {
  return { code, name, value, operators };
}

export function conditionKinds(source: string): readonly ConditionKind[] {
  return TABLE.filter(([, , , , sources]) => sources.includes(source)).map(kindOf);
}

export function conditionKind(code: string): ConditionKind {
  const row = TABLE.find((it) => it[0] === code);
  if (row !== undefined) return kindOf(row);
  return { code, name: t("Condition {code}", { code }), value: "text", operators: [] };
}

const OPERATORS: readonly string[] = [
  t("equals"),
  t("does not equal"),
  t("contains"),
  t("does not contain"),
  t("in"),
  t("at least"),
  t("at most"),
  t("not in"),
  t("matches"),
  t("does not match"),
  t("yes"),
  t("no"),
];

export function operatorName(code: string): string {
  return OPERATORS[Number(code)] ?? code;
}

export function eventTypeOptions(): readonly Choice[] {
  return [
    { value: "0", label: t("item is not supported") },
    { value: "2", label: t("discovery rule is not supported") },
    { value: "4", label: t("trigger is unknown") },
  ];
}

export function deviceStatusOptions(): readonly Choice[] {
  return [
    { value: "2", label: t("discovered") },
    { value: "0", label: t("up") },
    { value: "3", label: t("lost") },
    { value: "1", label: t("down") },
  ];
}

export function deviceObjectOptions(): readonly Choice[] {
  return [
    { value: "1", label: t("device") },
    { value: "2", label: t("service") },
  ];
}

/** What a value is chosen from, where that is always the same. */
export function fixedOptions(kind: ValueKind): readonly Choice[] | undefined {
  switch (kind) {
    case "eventType":
      return eventTypeOptions();
    case "serviceType":
      return checkTypeOptions();
    case "deviceStatus":
      return deviceStatusOptions();
    case "deviceObject":
      return deviceObjectOptions();
    default:
      return undefined;
  }
}

/** Names of what conditions and operations have by id. */
export type NameOf = (kind: NamedKind, id: string) => string;
export type NamedKind =
  | "hostGroup"
  | "host"
  | "trigger"
  | "template"
  | "service"
  | "networkRule"
  | "networkCheck"
  | "user"
  | "userGroup"
  | "mediaType"
  | "script"
  | "schedule";

function valueText({ value }: ActionCondition, kind: ValueKind, nameOf: NameOf): string {
  switch (kind) {
    case "severity":
      return severityName(toSeverity(value));
    case "eventType":
    case "deviceStatus":
    case "deviceObject":
      return fixedOptions(kind)?.find((it) => it.value === value)?.label ?? value;
    case "serviceType":
      return checkTypeName(value);
    case "networkRule":
    case "networkCheck":
    case "hostGroup":
    case "host":
    case "trigger":
    case "template":
    case "service":
      return value === "" ? "…" : nameOf(kind, value);
    default:
      return value === "" ? "…" : value;
  }
}

/** One condition as a sentence. */
export function conditionText(condition: ActionCondition, nameOf: NameOf): string {
  const kind = conditionKind(condition.conditiontype);
  const operator = operatorName(condition.operator);
  if (kind.value === "none") {
    return condition.operator === "10"
      ? t("problem is suppressed")
      : t("problem is not suppressed");
  }
  const value = valueText(condition, kind.value, nameOf);
  if (kind.value === "tagValue") {
    const tag = condition.value2 === "" ? "…" : condition.value2;
    return t("tag {tag} {operator} {value}", { tag, operator, value });
  }
  return `${kind.name} ${operator} ${value}`;
}
