// Discovery rules.

import type { DiscoveryRuleCreate } from "./generated/discovery-rule";
import { REQUEST_FIELDS, STEP_FIELDS } from "./items";
import { call } from "./rpc";
import * as schema from "./schema";
import type { DiscoveryRule, Id } from "./types";

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
  "lifetime_type",
  "templateid",
] as const;

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

export async function fetchRule(
  itemid: Id,
  signal?: AbortSignal,
): Promise<DiscoveryRule | undefined> {
  const rules = await call(
    "discoveryrule.get",
    {
      itemids: [itemid],
      output: [...RULE_FIELDS, "params", "trapper_hosts", ...REQUEST_FIELDS],
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
