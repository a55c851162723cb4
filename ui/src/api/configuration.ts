// Reads and writes of configuration through JSON-RPC, one function per thing that the pages need.

import * as z from "zod/mini";
import type { DiscoveryRuleCreate } from "./generated/discovery-rule";
import type { HostCreate } from "./generated/host";
import type { ItemCreate } from "./generated/item";
import type { ItemPrototypeCreate } from "./generated/item-prototype";
import type { TemplateCreate } from "./generated/template";
import type { TriggerCreate } from "./generated/trigger";
import type { TriggerPrototypeCreate } from "./generated/trigger-prototype";
import { call } from "./rpc";
import * as schema from "./schema";
import type { ExpressionItem } from "./testing";
import type {
  DiscoveryRule,
  GroupRef,
  HistoryValue,
  Host,
  Id,
  Item,
  ItemPrototype,
  Macro,
  ProblemEvent,
  Template,
  TemplateRef,
  Trigger,
  TriggerPrototype,
  ValueMap,
} from "./types";

type Signal = AbortSignal | undefined;

const HOST_FIELDS = [
  "hostid",
  "host",
  "name",
  "status",
  "description",
  "active_available",
] as const;
const INTERFACE_FIELDS = [
  "interfaceid",
  "type",
  "main",
  "useip",
  "ip",
  "dns",
  "port",
  "available",
  "error",
  "details",
] as const;
const TEMPLATE_FIELDS = ["templateid", "host", "name", "description"] as const;

// ---- hosts

export async function fetchHosts(signal?: Signal): Promise<readonly Host[]> {
  return call(
    "host.get",
    {
      output: HOST_FIELDS,
      selectInterfaces: INTERFACE_FIELDS,
      selectHostGroups: ["groupid", "name"],
      selectParentTemplates: ["templateid", "name"],
      selectTags: ["tag", "value"],
      selectItems: "count",
      selectTriggers: "count",
      selectDiscoveries: "count",
      sortfield: "name",
    },
    schema.listOf(schema.host),
    signal,
  );
}

export interface HostName {
  readonly hostid: Id;
  readonly name: string;
}

const hostName = z.object({ hostid: z.string(), name: z.string() });

/** Ids and names alone: for the palette and pickers. */
export async function fetchHostIndex(signal?: Signal): Promise<readonly HostName[]> {
  return call(
    "host.get",
    { output: ["hostid", "name"], sortfield: "name" },
    schema.listOf(hostName),
    signal,
  );
}

export async function fetchHost(hostid: Id, signal?: Signal): Promise<Host | undefined> {
  const hosts = await call(
    "host.get",
    {
      hostids: [hostid],
      output: HOST_FIELDS,
      selectInterfaces: INTERFACE_FIELDS,
      selectHostGroups: ["groupid", "name"],
      selectParentTemplates: ["templateid", "name"],
      selectTags: ["tag", "value"],
      selectMacros: ["hostmacroid", "macro", "value", "description", "type"],
      selectItems: "count",
      selectTriggers: "count",
      selectDiscoveries: "count",
    },
    schema.listOf(schema.host),
    signal,
  );
  return hosts[0];
}

export type HostDraft = HostCreate;

export async function createHost(draft: HostDraft): Promise<Id> {
  const { templates_clear: _, ...params } = draft;
  const ids = await call("host.create", params, schema.createdIds("hostids"));
  return ids[0] ?? "";
}

export async function updateHost(hostid: Id, draft: Partial<HostDraft>): Promise<void> {
  await call("host.update", { hostid, ...draft }, schema.changed);
}

export async function setHostsStatus(hostids: readonly Id[], status: 0 | 1): Promise<void> {
  const changes = hostids.map((hostid) => ({ hostid, status }));
  await call("host.update", changes, schema.changed);
}

export async function deleteHosts(hostids: readonly Id[]): Promise<void> {
  await call("host.delete", hostids, schema.changed);
}

export async function linkTemplates(
  hostids: readonly Id[],
  templateids: readonly Id[],
): Promise<void> {
  const params = {
    hosts: hostids.map((hostid) => ({ hostid })),
    templates: templateids.map((templateid) => ({ templateid })),
  };
  await call("host.massadd", params, schema.changed);
}

// ---- groups

export async function fetchHostGroups(signal?: Signal): Promise<readonly GroupRef[]> {
  const params = { output: ["groupid", "name"], sortfield: "name" } as const;
  return call("hostgroup.get", params, schema.listOf(schema.group), signal);
}

export async function fetchTemplateGroups(signal?: Signal): Promise<readonly GroupRef[]> {
  const params = { output: ["groupid", "name"], sortfield: "name" } as const;
  return call("templategroup.get", params, schema.listOf(schema.group), signal);
}

export async function createGroup(kind: "hostgroup" | "templategroup", name: string): Promise<Id> {
  const ids = await call(`${kind}.create`, { name }, schema.createdIds("groupids"));
  return ids[0] ?? "";
}

// ---- templates

export async function fetchTemplates(signal?: Signal): Promise<readonly Template[]> {
  return call(
    "template.get",
    {
      output: TEMPLATE_FIELDS,
      selectTemplateGroups: ["groupid", "name"],
      selectParentTemplates: ["templateid", "name"],
      selectTags: ["tag", "value"],
      selectHosts: "count",
      selectItems: "count",
      selectTriggers: "count",
      selectDiscoveries: "count",
      sortfield: "name",
    },
    schema.listOf(schema.template),
    signal,
  );
}

export async function fetchTemplateIndex(signal?: Signal): Promise<readonly TemplateRef[]> {
  return call(
    "template.get",
    { output: ["templateid", "name"], sortfield: "name" },
    schema.listOf(schema.templateRef),
    signal,
  );
}

export async function fetchTemplate(
  templateid: Id,
  signal?: Signal,
): Promise<Template | undefined> {
  const templates = await call(
    "template.get",
    {
      templateids: [templateid],
      output: TEMPLATE_FIELDS,
      selectTemplateGroups: ["groupid", "name"],
      selectParentTemplates: ["templateid", "name"],
      selectTags: ["tag", "value"],
      selectMacros: ["hostmacroid", "macro", "value", "description", "type"],
      selectHosts: "count",
      selectItems: "count",
      selectTriggers: "count",
      selectDiscoveries: "count",
    },
    schema.listOf(schema.template),
    signal,
  );
  return templates[0];
}

export type TemplateDraft = TemplateCreate;

export async function createTemplate(draft: TemplateDraft): Promise<Id> {
  const { templates_clear: _, ...params } = draft;
  const ids = await call("template.create", params, schema.createdIds("templateids"));
  return ids[0] ?? "";
}

export async function updateTemplate(templateid: Id, draft: TemplateDraft): Promise<void> {
  await call("template.update", { templateid, ...draft }, schema.changed);
}

export async function deleteTemplates(templateids: readonly Id[]): Promise<void> {
  await call("template.delete", templateids, schema.changed);
}

// ---- macros

export async function fetchGlobalMacros(signal?: Signal): Promise<readonly Macro[]> {
  const params = { output: "extend", globalmacro: true } as const;
  return call("usermacro.get", params, schema.listOf(schema.macro), signal);
}

export interface InheritedMacro extends Macro {
  /** name of the template that it comes from */
  readonly from: string;
}

// nesting deeper than this is a cycle that the server would have refused
const NESTING_MAX = 16;

/** Macros of the templates and of theirs, nearest first. */
export async function fetchInheritedMacros(
  templateids: readonly Id[],
  signal?: Signal,
): Promise<readonly InheritedMacro[]> {
  const found = new Map<string, InheritedMacro>();
  const seen = new Set<Id>();
  let level = [...templateids];
  for (let depth = 0; depth < NESTING_MAX && level.length > 0; depth += 1) {
    for (const id of level) seen.add(id);
    const templates = await call(
      "template.get",
      {
        templateids: level,
        output: TEMPLATE_FIELDS,
        selectMacros: ["hostmacroid", "macro", "value", "description", "type"],
        selectParentTemplates: ["templateid", "name"],
      },
      schema.listOf(schema.template),
      signal,
    );
    for (const template of templates) {
      for (const macro of template.macros) {
        if (!found.has(macro.macro)) found.set(macro.macro, { ...macro, from: template.name });
      }
    }
    const next = templates.flatMap((it) => it.parentTemplates.map((parent) => parent.templateid));
    level = [...new Set(next)].filter((id) => !seen.has(id));
  }
  return [...found.values()];
}

// ---- items

const ITEM_CONTENT = [
  "itemid",
  "hostid",
  "name",
  "key_",
  "type",
  "value_type",
  "units",
  "delay",
  "history",
  "trends",
  "status",
  "description",
  "interfaceid",
  "master_itemid",
  "snmp_oid",
  "params",
  "trapper_hosts",
  "valuemapid",
  "templateid",
] as const;
const ITEM_FIELDS = [...ITEM_CONTENT, "state", "error", "flags"] as const;
const STEP_FIELDS = ["type", "params", "error_handler", "error_handler_params"] as const;

export async function fetchItems(ownerid: Id, signal?: Signal): Promise<readonly Item[]> {
  return call(
    "item.get",
    {
      // templates are hosts to this call: their ids are accepted as host ids
      hostids: [ownerid],
      output: ITEM_FIELDS,
      selectTags: ["tag", "value"],
      sortfield: "name",
    },
    schema.listOf(schema.item),
    signal,
  );
}

export async function fetchItem(itemid: Id, signal?: Signal): Promise<Item | undefined> {
  const items = await call(
    "item.get",
    {
      itemids: [itemid],
      output: ITEM_FIELDS,
      selectTags: ["tag", "value"],
      selectPreprocessing: STEP_FIELDS,
    },
    schema.listOf(schema.item),
    signal,
  );
  return items[0];
}

export interface ItemAddress {
  readonly host: string;
  readonly key: string;
}

/** The items at these addresses, those that are there. */
export async function fetchExpressionItems(
  addresses: readonly ItemAddress[],
  signal?: Signal,
): Promise<readonly ExpressionItem[]> {
  if (addresses.length === 0) return [];
  const hosts = await call(
    "host.get",
    { output: ["hostid", "name", "host"], filter: { host: addresses.map((it) => it.host) } },
    schema.listOf(schema.host),
    signal,
  );
  const items = await call(
    "item.get",
    {
      hostids: hosts.map((it) => it.hostid),
      output: ["itemid", "hostid", "name", "key_", "type", "units", "value_type"],
      filter: { key_: addresses.map((it) => it.key) },
    },
    schema.listOf(schema.item),
    signal,
  );
  const names = new Map(hosts.map((it) => [it.hostid, it.host]));
  const wanted = new Set(addresses.map(({ host, key }) => `${host}/${key}`));
  return items
    .filter((it) => wanted.has(`${names.get(it.hostid)}/${it.key_}`))
    .map(({ itemid, name, units, value_type }) => ({
      itemid,
      name,
      units,
      valueType: Number(value_type),
    }));
}

export type ItemDraft = ItemCreate;

export async function createItem(draft: ItemDraft): Promise<Id> {
  const ids = await call("item.create", draft, schema.createdIds("itemids"));
  return ids[0] ?? "";
}

export async function updateItem(itemid: Id, draft: Partial<ItemDraft>): Promise<void> {
  await call("item.update", { itemid, ...draft }, schema.changed);
}

export async function setItemsStatus(itemids: readonly Id[], status: 0 | 1): Promise<void> {
  const changes = itemids.map((itemid) => ({ itemid, status }));
  await call("item.update", changes, schema.changed);
}

export async function deleteItems(itemids: readonly Id[]): Promise<void> {
  await call("item.delete", itemids, schema.changed);
}

/** Polls the items now, besides their interval. */
export async function executeNow(itemids: readonly Id[]): Promise<void> {
  const tasks = itemids.map((itemid) => ({ type: 6, request: { itemid } }));
  await call("task.create", tasks, schema.changed);
}

export async function fetchValueMaps(ownerid: Id, signal?: Signal): Promise<readonly ValueMap[]> {
  const params = { hostids: [ownerid], output: ["valuemapid", "name"] } as const;
  return call("valuemap.get", params, schema.listOf(schema.valueMap), signal);
}

export async function fetchHistory(
  itemid: Id,
  valueType: number,
  limit: number,
  signal?: Signal,
): Promise<readonly HistoryValue[]> {
  return call(
    "history.get",
    {
      itemids: [itemid],
      history: valueType,
      output: "extend",
      sortfield: "clock",
      sortorder: "DESC",
      limit,
    },
    schema.listOf(schema.historyValue),
    signal,
  );
}

// ---- triggers

const TRIGGER_CONTENT = [
  "triggerid",
  "description",
  "expression",
  "recovery_expression",
  "recovery_mode",
  "priority",
  "status",
  "type",
  "manual_close",
  "event_name",
  "opdata",
  "comments",
  "url",
  "templateid",
] as const;
const TRIGGER_FIELDS = [
  ...TRIGGER_CONTENT,
  "state",
  "value",
  "error",
  "flags",
  "lastchange",
] as const;

export async function fetchTriggers(ownerid: Id, signal?: Signal): Promise<readonly Trigger[]> {
  return call(
    "trigger.get",
    {
      hostids: [ownerid],
      output: TRIGGER_FIELDS,
      expandExpression: true,
      selectTags: ["tag", "value"],
      sortfield: "description",
    },
    schema.listOf(schema.trigger),
    signal,
  );
}

export async function fetchTrigger(triggerid: Id, signal?: Signal): Promise<Trigger | undefined> {
  const triggers = await call(
    "trigger.get",
    {
      triggerids: [triggerid],
      output: TRIGGER_FIELDS,
      expandExpression: true,
      selectTags: ["tag", "value"],
    },
    schema.listOf(schema.trigger),
    signal,
  );
  return triggers[0];
}

export type TriggerDraft = TriggerCreate;

export async function createTrigger(draft: TriggerDraft): Promise<Id> {
  const ids = await call("trigger.create", draft, schema.createdIds("triggerids"));
  return ids[0] ?? "";
}

export async function updateTrigger(triggerid: Id, draft: Partial<TriggerDraft>): Promise<void> {
  await call("trigger.update", { triggerid, ...draft }, schema.changed);
}

export async function setTriggersStatus(triggerids: readonly Id[], status: 0 | 1): Promise<void> {
  const changes = triggerids.map((triggerid) => ({ triggerid, status }));
  await call("trigger.update", changes, schema.changed);
}

export async function deleteTriggers(triggerids: readonly Id[]): Promise<void> {
  await call("trigger.delete", triggerids, schema.changed);
}

// ---- discovery

const RULE_FIELDS = [
  "itemid",
  "hostid",
  "name",
  "key_",
  "type",
  "delay",
  "status",
  "state",
  "error",
  "description",
  "interfaceid",
  "master_itemid",
  "snmp_oid",
  "lifetime",
  "templateid",
] as const;

export async function fetchRules(ownerid: Id, signal?: Signal): Promise<readonly DiscoveryRule[]> {
  return call(
    "discoveryrule.get",
    {
      hostids: [ownerid],
      output: RULE_FIELDS,
      selectItems: "count",
      selectTriggers: "count",
      sortfield: "name",
    },
    schema.listOf(schema.discoveryRule),
    signal,
  );
}

export async function fetchRule(itemid: Id, signal?: Signal): Promise<DiscoveryRule | undefined> {
  const rules = await call(
    "discoveryrule.get",
    {
      itemids: [itemid],
      output: RULE_FIELDS,
      selectItems: "count",
      selectTriggers: "count",
      selectPreprocessing: STEP_FIELDS,
      selectFilter: "extend",
      selectLLDMacroPaths: "extend",
      selectOverrides: "extend",
    },
    schema.listOf(schema.discoveryRule),
    signal,
  );
  return rules[0];
}

export type RuleDraft = DiscoveryRuleCreate;

export async function createRule(draft: RuleDraft): Promise<Id> {
  const ids = await call("discoveryrule.create", draft, schema.createdIds("itemids"));
  return ids[0] ?? "";
}

export async function updateRule(itemid: Id, draft: Partial<RuleDraft>): Promise<void> {
  await call("discoveryrule.update", { itemid, ...draft }, schema.changed);
}

export async function deleteRules(itemids: readonly Id[]): Promise<void> {
  await call("discoveryrule.delete", itemids, schema.changed);
}

export type PrototypeDraft = ItemPrototypeCreate;

export async function fetchPrototype(
  itemid: Id,
  signal?: Signal,
): Promise<ItemPrototype | undefined> {
  const prototypes = await call(
    "itemprototype.get",
    {
      itemids: [itemid],
      output: [...ITEM_CONTENT, "discover"],
      selectTags: ["tag", "value"],
      selectPreprocessing: STEP_FIELDS,
    },
    schema.listOf(schema.itemPrototype),
    signal,
  );
  return prototypes[0];
}

export async function createPrototype(draft: PrototypeDraft): Promise<Id> {
  const ids = await call("itemprototype.create", draft, schema.createdIds("itemids"));
  return ids[0] ?? "";
}

export async function updatePrototype(itemid: Id, draft: Partial<PrototypeDraft>): Promise<void> {
  const { hostid: _, ...params } = draft;
  await call("itemprototype.update", { itemid, ...params }, schema.changed);
}

export async function deletePrototypes(itemids: readonly Id[]): Promise<void> {
  await call("itemprototype.delete", itemids, schema.changed);
}

export type TriggerPrototypeDraft = TriggerPrototypeCreate;

export async function fetchTriggerPrototype(
  triggerid: Id,
  signal?: Signal,
): Promise<TriggerPrototype | undefined> {
  const prototypes = await call(
    "triggerprototype.get",
    {
      triggerids: [triggerid],
      output: [...TRIGGER_CONTENT, "discover"],
      expandExpression: true,
      selectTags: ["tag", "value"],
    },
    schema.listOf(schema.triggerPrototype),
    signal,
  );
  return prototypes[0];
}

export async function createTriggerPrototype(draft: TriggerPrototypeDraft): Promise<Id> {
  const ids = await call("triggerprototype.create", draft, schema.createdIds("triggerids"));
  return ids[0] ?? "";
}

export async function updateTriggerPrototype(
  triggerid: Id,
  draft: Partial<TriggerPrototypeDraft>,
): Promise<void> {
  await call("triggerprototype.update", { triggerid, ...draft }, schema.changed);
}

export async function deleteTriggerPrototypes(triggerids: readonly Id[]): Promise<void> {
  await call("triggerprototype.delete", triggerids, schema.changed);
}

export interface Prototypes {
  readonly items: readonly ItemPrototype[];
  readonly triggers: readonly TriggerPrototype[];
}

export async function fetchPrototypes(ruleid: Id, signal?: Signal): Promise<Prototypes> {
  const [items, triggers] = await Promise.all([
    call(
      "itemprototype.get",
      {
        discoveryids: [ruleid],
        output: [...ITEM_CONTENT, "discover"],
        sortfield: "name",
      },
      schema.listOf(schema.itemPrototype),
      signal,
    ),
    call(
      "triggerprototype.get",
      {
        discoveryids: [ruleid],
        output: [...TRIGGER_CONTENT, "discover"],
        expandExpression: true,
        sortfield: "description",
      },
      schema.listOf(schema.triggerPrototype),
      signal,
    ),
  ]);
  return { items, triggers };
}

// ---- events

export async function fetchEvent(eventid: Id, signal?: Signal): Promise<ProblemEvent | undefined> {
  const events = await call(
    "event.get",
    {
      eventids: [eventid],
      output: "extend",
      selectAcknowledges: "extend",
    },
    schema.listOf(schema.problemEvent),
    signal,
  );
  return events[0];
}

/** Newest first: problems (value 1) and recoveries (value 0) of one trigger. */
export async function fetchTriggerEvents(
  triggerid: Id,
  limit: number,
  signal?: Signal,
): Promise<readonly ProblemEvent[]> {
  return call(
    "event.get",
    {
      objectids: [triggerid],
      source: 0,
      object: 0,
      output: "extend",
      sortfield: ["clock", "eventid"],
      sortorder: "DESC",
      limit,
    },
    schema.listOf(schema.problemEvent),
    signal,
  );
}

/** Bits of `event.acknowledge`. */
export const ACKNOWLEDGE = {
  close: 1,
  acknowledge: 2,
  message: 4,
  severity: 8,
  unacknowledge: 16,
} as const;

export interface Acknowledgement {
  readonly eventids: readonly Id[];
  readonly action: number;
  readonly message?: string;
  readonly severity?: number;
}

export async function acknowledge(update: Acknowledgement): Promise<void> {
  await call("event.acknowledge", update, schema.changed);
}
