// The item form as data: which fields an item of a type has, what is wrong with them, what is sent.

import type { ItemDraft } from "@/api/items";
import type { PrototypeDraft } from "@/api/prototypes";
import type { Id, Item, ItemPrototype, Tag } from "@/api/types";
import { bad, type Check, OK } from "@/lib/check";
import { checkExpression } from "@/lib/expression";
import { t } from "@/lib/i18n";
import { checkInterval, checkPeriod } from "@/lib/interval";
import { checkItemKey } from "@/lib/item-key";
import {
  CALCULATED,
  DEPENDENT,
  isNumeric,
  itemKind,
  mayFillInventory,
  mayHaveValueMap,
  SNMP_AGENT,
  TRAPPER,
} from "@/lib/item-types";
import { checkSteps } from "@/lib/steps";
import { type Keyed, keyed } from "@/widgets/keyed";
import {
  isRequestValid,
  type RequestFields,
  requestFieldsOf,
  requestOf,
  sendersOf,
} from "@/widgets/request/request-fields";
import { type StepDraft, stepOf, toStep } from "@/widgets/steps/draft";

export interface ItemFields extends RequestFields {
  readonly name: string;
  readonly key: string;
  readonly valueType: number;
  readonly units: string;
  readonly interfaceid: Id;
  readonly snmpOid: string;
  readonly masterItemid: Id;
  readonly formula: string;
  readonly delay: string;
  readonly history: string;
  readonly trends: string;
  readonly valuemapid: Id;
  /** number of the field of the host's inventory that values fill; 0 for none */
  readonly inventoryLink: string;
  readonly description: string;
  /** seen only by those who may change the host */
  readonly notes: string;
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
    // what `params` is, a formula or a script, follows the type
    formula: Number(item?.type) === CALCULATED ? (item?.params ?? "") : "",
    ...requestFieldsOf(item),
    delay: item?.delay ?? "1m",
    history: item?.history || "31d",
    trends: item?.trends || "365d",
    valuemapid: item?.valuemapid ?? "0",
    inventoryLink: item !== undefined && "inventory_link" in item ? item.inventory_link : "0",
    description: item?.description ?? "",
    notes: item?.notes ?? "",
    enabled: item?.status !== "1",
    discover: item === undefined || !("discover" in item) || item.discover !== "1",
    tags: (item?.tags ?? []).map(keyed),
    steps: (item?.preprocessing ?? []).map(stepOf),
  };
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
    name: required(fields.name, t("a name is required")),
    key: checkItemKey(fields.key),
    delay: kind.polled ? checkInterval(fields.delay) : OK,
    history: checkPeriod(fields.history),
    trends: isNumeric(fields.valueType) ? checkPeriod(fields.trends) : OK,
    snmpOid: fields.type === SNMP_AGENT ? required(fields.snmpOid, t("an OID is required")) : OK,
    master:
      fields.type === DEPENDENT && fields.masterItemid === "0"
        ? bad(t("a master item is required"), 0)
        : OK,
    formula: fields.type === CALCULATED ? checkExpression(fields.formula) : OK,
    steps: checkSteps(fields.steps),
  };
}

export function isItemValid(fields: ItemFields): boolean {
  const { steps, ...checks } = checkItem(fields);
  return isRequestValid(fields) && [...Object.values(checks), ...steps].every((it) => it.ok);
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
    notes: fields.notes,
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
    ...(fields.type === TRAPPER ? { trapper_hosts: fields.trapperHosts.trim() } : {}),
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
