// The item form as data: which fields an item of a type has, what is wrong with them, what is sent.

import type { ItemDraft } from "@/api/configuration";
import type { Id, Item, PreprocessingStep, Tag } from "@/api/types";
import { bad, type Check, OK } from "@/lib/check";
import { checkExpression } from "@/lib/expression";
import { checkInterval, checkPeriod } from "@/lib/interval";
import { checkItemKey } from "@/lib/item-key";
import { CALCULATED, DEPENDENT, itemKind, SNMP_AGENT, stepKind, TRAPPER } from "@/lib/item-types";
import { type Keyed, keyed } from "@/widgets/keyed";

export interface ItemFields {
  readonly name: string;
  readonly type: number;
  readonly key: string;
  readonly valueType: number;
  readonly units: string;
  readonly interfaceid: Id;
  readonly snmpOid: string;
  readonly masterItemid: Id;
  readonly formula: string;
  readonly trapperHosts: string;
  readonly delay: string;
  readonly history: string;
  readonly trends: string;
  readonly valuemapid: Id;
  readonly description: string;
  readonly enabled: boolean;
  readonly tags: readonly Keyed<Tag>[];
  readonly steps: readonly StepDraft[];
}

export type StepDraft = Keyed<{
  readonly type: string;
  readonly params: readonly string[];
  readonly onFail: string;
  readonly onFailParams: string;
}>;

export function newStep(): StepDraft {
  return keyed({ type: "5", params: ["", ""], onFail: "0", onFailParams: "" });
}

export function stepOf(step: PreprocessingStep): StepDraft {
  return keyed({
    type: step.type,
    // parameters are lines; a step without known parameters keeps its text as it is
    params: stepKind(step.type).params.length > 1 ? step.params.split("\n") : [step.params],
    onFail: step.error_handler,
    onFailParams: step.error_handler_params,
  });
}

export function toStep(step: StepDraft): PreprocessingStep {
  const { canFail, params } = stepKind(step.type);
  return {
    type: step.type,
    params: params.map((_, at) => step.params[at] ?? "").join("\n"),
    error_handler: canFail ? step.onFail : "0",
    error_handler_params:
      canFail && (step.onFail === "2" || step.onFail === "3") ? step.onFailParams : "",
  };
}

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: defaults for absent fields, no branches
export function fieldsOfItem(item: Item | undefined): ItemFields {
  return {
    name: item?.name ?? "",
    type: Number(item?.type ?? 0),
    key: item?.key_ ?? "",
    valueType: Number(item?.value_type ?? 3),
    units: item?.units ?? "",
    interfaceid: item?.interfaceid ?? "0",
    snmpOid: item?.snmp_oid ?? "",
    masterItemid: item?.master_itemid ?? "0",
    formula: item?.params ?? "",
    trapperHosts: item?.trapper_hosts ?? "",
    delay: item?.delay ?? "1m",
    history: item?.history || "31d",
    trends: item?.trends || "365d",
    valuemapid: item?.valuemapid ?? "0",
    description: item?.description ?? "",
    enabled: item?.status !== "1",
    tags: (item?.tags ?? []).map(keyed),
    steps: (item?.preprocessing ?? []).map(stepOf),
  };
}

export function isNumericType(valueType: number): boolean {
  return valueType === 0 || valueType === 3;
}

export interface ItemChecks {
  readonly name: Check;
  readonly key: Check;
  readonly delay: Check;
  readonly history: Check;
  readonly trends: Check;
  readonly snmpOid: Check;
  readonly master: Check;
  readonly formula: Check;
  readonly steps: readonly Check[];
}

function required(text: string, what: string): Check {
  return text.trim() === "" ? bad(what, 0) : OK;
}

// agent (active) items may have 0 to be checked by scheduling only, so that is the server's to judge
export function checkItem(fields: ItemFields): ItemChecks {
  const kind = itemKind(fields.type);
  return {
    name: required(fields.name, "a name is required"),
    key: checkItemKey(fields.key),
    delay: kind.polled ? checkInterval(fields.delay) : OK,
    history: checkPeriod(fields.history),
    trends: isNumericType(fields.valueType) ? checkPeriod(fields.trends) : OK,
    snmpOid: fields.type === SNMP_AGENT ? required(fields.snmpOid, "an OID is required") : OK,
    master:
      fields.type === DEPENDENT && fields.masterItemid === "0"
        ? bad("a master item is required", 0)
        : OK,
    formula: fields.type === CALCULATED ? checkExpression(fields.formula) : OK,
    steps: fields.steps.map(checkStep),
  };
}

export function checkStep(step: StepDraft): Check {
  const [first = "", second = ""] = step.params;
  switch (Number(step.type)) {
    case 1:
      return /^-?\d+(\.\d+)?([eE][+-]?\d+)?$|^\{[$#].+\}$/.test(first.trim())
        ? OK
        : bad("a number or macro is required", 0);
    case 5:
      if (first === "") return bad("a pattern is required", 0);
      return second === "" ? bad("an output such as \\1 is required", 0) : checkPattern(first);
    case 12:
      return first.startsWith("$") ? OK : bad("a path begins with $", 0);
    case 20:
      return checkPeriod(first);
    default:
      return OK;
  }
}

/** Brackets only: PCRE knows more than the browser, so that nothing right may be called wrong. */
function checkPattern(pattern: string): Check {
  let depth = 0;
  let inClass = false;
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at];
    if (char === "\\") at += 1;
    else if (inClass) inClass = char !== "]";
    else if (char === "[") inClass = true;
    else if (char === "(") depth += 1;
    else if (char === ")") depth -= 1;
    if (depth < 0) return bad("a bracket is closed that was not opened", at);
  }
  if (inClass) return bad("a character class is not closed", pattern.length);
  return depth > 0 ? bad("a bracket is not closed", pattern.length) : OK;
}

export function isItemValid(fields: ItemFields): boolean {
  const { steps, ...checks } = checkItem(fields);
  return Object.values(checks).every((it) => it.ok) && steps.every((it) => it.ok);
}

export interface DraftContext {
  /** set for a new item */
  readonly hostid: Id | undefined;
  /** inherited from a template: only what may differ from it is sent */
  readonly inherited: boolean;
  readonly onTemplate: boolean;
}

export function draftOfItem(fields: ItemFields, context: DraftContext): Partial<ItemDraft> {
  const kind = itemKind(fields.type);
  const shared: Partial<ItemDraft> = {
    status: fields.enabled ? 0 : 1,
    description: fields.description,
    tags: cleaned(fields.tags),
    history: fields.history.trim(),
    ...(isNumericType(fields.valueType) ? { trends: fields.trends.trim() } : {}),
    ...(kind.polled ? { delay: fields.delay.trim() } : {}),
    ...(kind.needs !== undefined && !context.onTemplate && fields.interfaceid !== "0"
      ? { interfaceid: fields.interfaceid }
      : {}),
    ...(fields.type === TRAPPER ? { trapper_hosts: fields.trapperHosts.trim() } : {}),
  };
  if (context.inherited) return shared;
  return {
    ...shared,
    ...(context.hostid === undefined ? {} : { hostid: context.hostid }),
    name: fields.name.trim(),
    key_: fields.key.trim(),
    type: fields.type,
    value_type: fields.valueType,
    preprocessing: fields.steps.map(toStep),
    valuemapid: fields.valuemapid,
    ...(isNumericType(fields.valueType) ? { units: fields.units.trim() } : {}),
    ...(fields.type === SNMP_AGENT ? { snmp_oid: fields.snmpOid.trim() } : {}),
    ...(fields.type === DEPENDENT ? { master_itemid: fields.masterItemid } : {}),
    ...(fields.type === CALCULATED ? { params: fields.formula } : {}),
  };
}

function cleaned(tags: readonly Tag[]): Tag[] {
  return tags.filter(({ tag }) => tag.trim() !== "").map(({ tag, value }) => ({ tag, value }));
}
