// Discovery rules.

import { DISCOVERY_RULE } from "./generated/discovery-rule";
import { DISCOVERY_RULE_PROTOTYPE } from "./generated/discovery-rule-prototype";
import { REQUEST_FIELDS, STEP_FIELDS } from "./items";
import { type AnswerOf, type DraftOf, objectsOf, readerOf } from "./objects";
import type { Id } from "./types";

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
const MORE_FIELDS = ["params", "trapper_hosts", ...REQUEST_FIELDS] as const;
const COUNTS = { items: "count", triggers: "count" } as const;
const PARTS = {
  ...COUNTS,
  preprocessing: STEP_FIELDS,
  filter: ["evaltype", "formula", "conditions"],
  lld_macro_paths: "extend",
  overrides: "extend",
} as const;

export const RULES = objectsOf(DISCOVERY_RULE, {
  output: [...RULE_FIELDS, ...MORE_FIELDS],
  selects: { ...PARTS, discoveryData: ["parent_itemid"] },
});
export const RULE_PROTOTYPES = objectsOf(DISCOVERY_RULE_PROTOTYPE, {
  output: [...PROTOTYPE_FIELDS, ...MORE_FIELDS],
  selects: PARTS,
});
const ROWS = readerOf(DISCOVERY_RULE, {
  output: RULE_FIELDS,
  selects: COUNTS,
  params: { sortfield: "name" },
});
const PROTOTYPE_ROWS = readerOf(DISCOVERY_RULE_PROTOTYPE, {
  output: PROTOTYPE_FIELDS,
  params: { sortfield: "name" },
});

/** Of a prototype: `ruleid` is the rule or prototype that it belongs to; 0 for others. */
export type DiscoveryRule = AnswerOf<typeof RULES> &
  Pick<AnswerOf<typeof RULE_PROTOTYPES>, "ruleid" | "discover">;
export type RuleRow = AnswerOf<typeof ROWS>;
export type RulePrototypeRow = AnswerOf<typeof PROTOTYPE_ROWS>;

/** Which rows of a discovery count. */
export type LldFilter = NonNullable<DiscoveryRule["filter"]>;
export type LldMacroPath = DiscoveryRule["lld_macro_paths"][number];
export type LldOverride = DiscoveryRule["overrides"][number];
/** What becomes of single objects of some rows; an action that is absent changes nothing. */
export type LldOverrideOperation = LldOverride["operations"][number];

export type RuleDraft = DraftOf<"discoveryrule">;
export type RulePrototypeDraft = DraftOf<"discoveryruleprototype">;

export async function fetchRules(ownerid: Id, signal?: AbortSignal): Promise<readonly RuleRow[]> {
  return ROWS.get({ hostids: [ownerid] }, signal);
}

/** A rule, or the prototype of one. */
export async function fetchRule(
  itemid: Id,
  signal?: AbortSignal,
): Promise<DiscoveryRule | undefined> {
  const rule = await RULES.one(itemid, signal);
  if (rule !== undefined) return { ...rule, ruleid: "0", discover: "0" };
  const prototype = await RULE_PROTOTYPES.one(itemid, signal);
  return prototype && { ...prototype, state: "0", error: "", discoveryData: undefined };
}

/** The prototypes of rules that a rule or prototype has. */
export async function fetchRulePrototypes(
  ruleid: Id,
  signal?: AbortSignal,
): Promise<readonly RulePrototypeRow[]> {
  return PROTOTYPE_ROWS.get({ discoveryids: [ruleid] }, signal);
}
