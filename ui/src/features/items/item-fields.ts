// The item form as data: which fields an item of a type has, what is wrong with them, what is sent.

import type { ItemDraft } from "@/api/items";
import type { PrototypeDraft } from "@/api/prototypes";
import type { Id, Item, ItemPrototype, Tag } from "@/api/types";
import { bad, type Check, OK } from "@/lib/check";
import { checkExpression } from "@/lib/expression";
import { checkInterval, checkPeriod } from "@/lib/interval";
import { checkItemKey } from "@/lib/item-key";
import {
  CALCULATED,
  DEPENDENT,
  HTTP_AGENT,
  isNumeric,
  itemKind,
  mayFillInventory,
  mayHaveValueMap,
  SCRIPT,
  SNMP_AGENT,
  TRAPPER,
} from "@/lib/item-types";
import { checkSteps } from "@/lib/steps";
import { type Keyed, keyed } from "@/widgets/keyed";
import { checkPairs, cleanPairs, type Pair } from "@/widgets/pair-editor";
import { type StepDraft, stepOf, toStep } from "@/widgets/steps/draft";
import { checkHttp, draftOfHttp, type HttpChecks, type HttpFields, httpOf } from "./http-fields";

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
  readonly script: string;
  readonly parameters: readonly Keyed<Pair>[];
  readonly http: HttpFields;
  /** of checks that may have one of their own; empty: the server's */
  readonly timeout: string;
  readonly trapperHosts: string;
  readonly delay: string;
  readonly history: string;
  readonly trends: string;
  readonly valuemapid: Id;
  /** number of the field of the host's inventory that values fill; 0 for none */
  readonly inventoryLink: string;
  readonly description: string;
  readonly enabled: boolean;
  /** of prototypes: whether rows make items of it */
  readonly discover: boolean;
  readonly tags: readonly Keyed<Tag>[];
  readonly steps: readonly StepDraft[];
}

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: defaults for absent fields, no branches
export function fieldsOfItem(item: Item | ItemPrototype | undefined): ItemFields {
  return {
    name: item?.name ?? "",
    type: Number(item?.type ?? 0),
    key: item?.key_ ?? "",
    valueType: Number(item?.value_type ?? 3),
    units: item?.units ?? "",
    interfaceid: item?.interfaceid ?? "0",
    snmpOid: item?.snmp_oid ?? "",
    masterItemid: item?.master_itemid ?? "0",
    formula: paramsOf(item, CALCULATED),
    script: paramsOf(item, SCRIPT),
    parameters: (item?.parameters ?? []).map(keyed),
    http: httpOf(item),
    timeout: item?.timeout ?? "",
    trapperHosts: item?.trapper_hosts ?? "",
    delay: item?.delay ?? "1m",
    history: item?.history || "31d",
    trends: item?.trends || "365d",
    valuemapid: item?.valuemapid ?? "0",
    inventoryLink: item !== undefined && "inventory_link" in item ? item.inventory_link : "0",
    description: item?.description ?? "",
    enabled: item?.status !== "1",
    discover: item === undefined || !("discover" in item) || item.discover !== "1",
    tags: (item?.tags ?? []).map(keyed),
    steps: (item?.preprocessing ?? []).map(stepOf),
  };
}

/** What `params` is, a formula or a script, follows the type. */
function paramsOf(item: Item | ItemPrototype | undefined, type: number): string {
  return Number(item?.type) === type ? (item?.params ?? "") : "";
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
  readonly script: Check;
  readonly parameters: Check;
  readonly http: HttpChecks;
  readonly timeout: Check;
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
    trends: isNumeric(fields.valueType) ? checkPeriod(fields.trends) : OK,
    snmpOid: fields.type === SNMP_AGENT ? required(fields.snmpOid, "an OID is required") : OK,
    master:
      fields.type === DEPENDENT && fields.masterItemid === "0"
        ? bad("a master item is required", 0)
        : OK,
    formula: fields.type === CALCULATED ? checkExpression(fields.formula) : OK,
    script: fields.type === SCRIPT ? required(fields.script, "a script is required") : OK,
    parameters: checkPairs(fields.parameters, true),
    http: checkHttp(fields.http),
    timeout: fields.timeout.trim() === "" ? OK : checkPeriod(fields.timeout),
    steps: checkSteps(fields.steps),
  };
}

export function isItemValid(fields: ItemFields): boolean {
  const { steps, http, parameters, timeout, ...checks } = checkItem(fields);
  const ofRequest = hasRequest(fields) ? [timeout] : [];
  if (fields.type === SCRIPT) ofRequest.push(parameters);
  if (fields.type === HTTP_AGENT) ofRequest.push(...Object.values(http));
  return [...Object.values(checks), ...ofRequest, ...steps].every((it) => it.ok);
}

/** Whether the form has the sections of requests and scripts. */
export function hasRequest({ type }: Pick<ItemFields, "type">): boolean {
  return type === HTTP_AGENT || type === SCRIPT;
}

/** What only HTTP agents and scripts are made of. */
export function requestOf(fields: ItemFields): Partial<ItemDraft> {
  if (!hasRequest(fields)) return {};
  const timeout = fields.timeout.trim();
  if (fields.type === HTTP_AGENT) return { ...draftOfHttp(fields.http), timeout };
  return { params: fields.script, parameters: cleanPairs(fields.parameters), timeout };
}

export interface DraftContext {
  /** set for a new item */
  readonly hostid: Id | undefined;
  /** set for a prototype */
  readonly ruleid: Id | undefined;
  /** inherited from a template: only what may differ from it is sent */
  readonly inherited: boolean;
  readonly onTemplate: boolean;
}

/** What items and prototypes are sent as; `ruleid` and `discover` are of prototypes alone. */
export type SentItem = Partial<ItemDraft & Pick<PrototypeDraft, "ruleid" | "discover">>;

export function draftOfItem(fields: ItemFields, context: DraftContext): SentItem {
  const kind = itemKind(fields.type);
  const shared: SentItem = {
    status: fields.enabled ? 0 : 1,
    description: fields.description,
    tags: cleaned(fields.tags),
    history: fields.history.trim(),
    ...(isNumeric(fields.valueType) ? { trends: fields.trends.trim() } : {}),
    ...(kind.polled ? { delay: fields.delay.trim() } : {}),
    ...(kind.needs !== undefined && !context.onTemplate && fields.interfaceid !== "0"
      ? { interfaceid: fields.interfaceid }
      : {}),
    ...(context.ruleid === undefined
      ? inventoryLinkOf(fields)
      : { discover: fields.discover ? "0" : "1" }),
    ...sendersOf(fields),
  };
  if (context.inherited) return shared;
  return {
    ...shared,
    ...ownerOf(context),
    name: fields.name.trim(),
    key_: fields.key.trim(),
    type: fields.type,
    value_type: fields.valueType,
    preprocessing: fields.steps.map(toStep),
    valuemapid: mayHaveValueMap(fields.valueType) ? fields.valuemapid : "0",
    ...(isNumeric(fields.valueType) ? { units: fields.units.trim() } : {}),
    ...(fields.type === SNMP_AGENT ? { snmp_oid: fields.snmpOid.trim() } : {}),
    ...(fields.type === DEPENDENT ? { master_itemid: fields.masterItemid } : {}),
    ...(fields.type === CALCULATED ? { params: fields.formula } : {}),
    ...requestOf(fields),
  };
}

/** Who may send values, where anyone may. */
function sendersOf({ type, http, trapperHosts }: ItemFields): SentItem {
  const senders = trapperHosts.trim();
  if (type === TRAPPER) return { trapper_hosts: senders };
  if (type !== HTTP_AGENT) return {};
  return http.allowTraps
    ? { allow_traps: "1", trapper_hosts: senders }
    : { allow_traps: "0", trapper_hosts: "" };
}

/** Other types of values fill nothing: the server drops the link with the type. */
function inventoryLinkOf({ valueType, inventoryLink }: ItemFields): SentItem {
  return mayFillInventory(valueType) ? { inventory_link: inventoryLink } : {};
}

/** Of a new one: an item names its host, a prototype its rule. */
function ownerOf({ hostid, ruleid }: DraftContext): SentItem {
  if (hostid === undefined) return {};
  return ruleid === undefined ? { hostid } : { ruleid };
}

function cleaned(tags: readonly Tag[]): Tag[] {
  return tags.filter(({ tag }) => tag.trim() !== "").map(({ tag, value }) => ({ tag, value }));
}
