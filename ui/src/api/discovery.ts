// Discovery rules.

import type { DiscoveryRuleCreate } from "./generated/discovery-rule";
import type { DiscoveryRulePrototypeCreate } from "./generated/discovery-rule-prototype";
import { REQUEST_FIELDS, STEP_FIELDS } from "./items";
import { call } from "./rpc";
import * as schema from "./schema";
import type { DiscoveryRule, Id } from "./types";

const CONTENT_FIELDS = [
  "itemid",
  "hostid",
  "name",
  "key_",
  "type",
  "delay",
  "status",
  "description",
  "notes",
  "interfaceid",
  "master_itemid",
  "snmp_oid",
  "lifetime",
  "lifetime_type",
  "templateid",
  "flags",
] as const;
const RULE_FIELDS = [...CONTENT_FIELDS, "state", "error"] as const;
const PROTOTYPE_FIELDS = [...CONTENT_FIELDS, "ruleid", "discover"] as const;
const PARTS = {
  selectItems: "count",
  selectTriggers: "count",
  selectPreprocessing: STEP_FIELDS,
  selectFilter: "extend",
  selectLLDMacroPaths: "extend",
  selectOverrides: "extend",
} as const;

export async function fetchRules(
  ownerid: Id,
  signal?: AbortSignal,
): Promise<readonly DiscoveryRule[]> {
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

/** A rule, or the prototype of one. */
export async function fetchRule(
  itemid: Id,
  signal?: AbortSignal,
): Promise<DiscoveryRule | undefined> {
  const more = ["params", "trapper_hosts", ...REQUEST_FIELDS] as const;
  const rules = await call(
    "discoveryrule.get",
    {
      itemids: [itemid],
      output: [...RULE_FIELDS, ...more],
      ...PARTS,
      selectDiscoveryData: ["parent_itemid"],
    },
    schema.listOf(schema.discoveryRule),
    signal,
  );
  if (rules[0] !== undefined) return rules[0];
  const prototypes = await call(
    "discoveryruleprototype.get",
    { itemids: [itemid], output: [...PROTOTYPE_FIELDS, ...more], ...PARTS },
    schema.listOf(schema.discoveryRule),
    signal,
  );
  return prototypes[0];
}

/** The prototypes of rules that a rule or prototype has. */
export async function fetchRulePrototypes(
  ruleid: Id,
  signal?: AbortSignal,
): Promise<readonly DiscoveryRule[]> {
  return call(
    "discoveryruleprototype.get",
    { discoveryids: [ruleid], output: PROTOTYPE_FIELDS, sortfield: "name" },
    schema.listOf(schema.discoveryRule),
    signal,
  );
}

export type RuleDraft = DiscoveryRuleCreate;

export async function createRule(draft: RuleDraft): Promise<Id> {
  const ids = await call("discoveryrule.create", draft, schema.createdIds("itemids"));
  return ids[0] ?? "";
}

export async function updateRule(itemid: Id, draft: Partial<RuleDraft>): Promise<void> {
  await call("discoveryrule.update", { itemid, ...draft }, schema.changed);
}

export async function setRulesStatus(itemids: readonly Id[], status: 0 | 1): Promise<void> {
  const changes = itemids.map((itemid) => ({ itemid, status }));
  await call("discoveryrule.update", changes, schema.changed);
}

export async function deleteRules(itemids: readonly Id[]): Promise<void> {
  await call("discoveryrule.delete", itemids, schema.changed);
}

export type RulePrototypeDraft = DiscoveryRulePrototypeCreate;

export async function createRulePrototype(draft: RulePrototypeDraft): Promise<Id> {
  const ids = await call("discoveryruleprototype.create", draft, schema.createdIds("itemids"));
  return ids[0] ?? "";
}

export async function updateRulePrototype(
  itemid: Id,
  draft: Partial<RulePrototypeDraft>,
): Promise<void> {
  await call("discoveryruleprototype.update", { itemid, ...draft }, schema.changed);
}

export async function deleteRulePrototypes(itemids: readonly Id[]): Promise<void> {
  await call("discoveryruleprototype.delete", itemids, schema.changed);
}
