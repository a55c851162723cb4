// Every key of the query cache, so that invalidation and use cannot drift apart.

import type { HostOrder, HostQuery } from "./hosts";
import type { LatestQuery } from "./native";
import type { RegexpExpression } from "./regexps";
import type { Id } from "./types";

export const keys = {
  session: ["session"] as const,
  overview: ["overview"] as const,
  latest: (query: LatestQuery) => ["latest", query] as const,
  latestAll: ["latest"] as const,
  series: (itemids: readonly Id[], from: string, to: string, buckets: number) =>
    ["series", itemids, from, to, buckets] as const,
  hosts: ["hosts"] as const,
  hostWindow: (query: HostQuery, order: HostOrder, at: number) =>
    ["hosts", "windows", query, order, at] as const,
  hostNames: (text: string, limit: number) => ["hosts", "names", text, limit] as const,
  hostNamesOf: (hostids: readonly Id[]) => ["hosts", "namesof", hostids] as const,
  host: (hostid: Id) => ["hosts", "one", hostid] as const,
  inventory: (hostid: Id) => ["hosts", "inventory", hostid] as const,
  templates: ["templates"] as const,
  templateList: ["templates", "list"] as const,
  templateIndex: ["templates", "index"] as const,
  template: (templateid: Id) => ["templates", "one", templateid] as const,
  hostGroups: ["hostgroups"] as const,
  templateGroups: ["templategroups"] as const,
  globalMacros: ["globalmacros"] as const,
  inheritedMacrosAll: ["inheritedmacros"] as const,
  inheritedMacros: (templateids: readonly Id[]) => ["inheritedmacros", templateids] as const,
  macroDefinitionsAll: ["macrodefinitions"] as const,
  macroDefinitions: (kind: string, ownerid: Id) => ["macrodefinitions", kind, ownerid] as const,
  regexps: ["regexps"] as const,
  regexpList: ["regexps", "list"] as const,
  regexp: (regexpid: Id) => ["regexps", "one", regexpid] as const,
  regexpTrial: (text: string, expressions: readonly RegexpExpression[]) =>
    ["regexptrial", text, expressions] as const,
  settingsAll: ["settings"] as const,
  settings: (kind: string) => ["settings", kind] as const,
  storage: ["storage"] as const,
  storageLargest: ["storage", "largest"] as const,
  connectors: ["connectors"] as const,
  connectorList: ["connectors", "list"] as const,
  connector: (connectorid: Id) => ["connectors", "one", connectorid] as const,
  items: ["items"] as const,
  itemsOf: (ownerid: Id) => ["items", "of", ownerid] as const,
  item: (itemid: Id) => ["items", "one", itemid] as const,
  itemsOfTrigger: (triggerid: Id) => ["items", "trigger", triggerid] as const,
  picked: (itemids: readonly Id[]) => ["items", "picked", itemids] as const,
  masters: (ownerid: Id, ruleid: Id | undefined) => ["items", "masters", ownerid, ruleid] as const,
  triggerPrototype: (triggerid: Id) => ["rules", "triggerprototype", triggerid] as const,
  prototype: (itemid: Id) => ["rules", "prototype", itemid] as const,
  valueMapsAll: ["valuemaps"] as const,
  valueMaps: (ownerid: Id) => ["valuemaps", ownerid] as const,
  triggers: ["triggers"] as const,
  triggersOf: (ownerid: Id) => ["triggers", "of", ownerid] as const,
  triggerPlaces: (triggerids: readonly Id[]) => ["triggers", "places", ...triggerids] as const,
  trigger: (triggerid: Id) => ["triggers", "one", triggerid] as const,
  expressionItems: (expression: string, recovery: string) =>
    ["items", "expression", expression, recovery] as const,
  rules: ["rules"] as const,
  rulesOf: (ownerid: Id) => ["rules", "of", ownerid] as const,
  rule: (itemid: Id) => ["rules", "one", itemid] as const,
  prototypes: (ruleid: Id) => ["rules", "prototypes", ruleid] as const,
  events: ["events"] as const,
  event: (eventid: Id) => ["events", eventid] as const,
  pastProblem: (eventid: Id) => ["events", "problem", eventid] as const,
  eventsOfTrigger: (triggerid: Id) => ["events", "trigger", triggerid] as const,
  // below what changes with it, so that it is asked for again
  origin: (kind: "item" | "trigger", id: Id) => ["templates", "origin", kind, id] as const,
  history: (itemid: Id) => ["history", itemid] as const,
  expressionCheck: (expression: string, hostid: Id | undefined) =>
    ["items", "check", expression, hostid] as const,
  evaluation: (hostid: Id | undefined, expression: string, recovery: string) =>
    ["evaluation", hostid, expression, recovery] as const,
};
