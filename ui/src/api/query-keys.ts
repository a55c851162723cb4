// Every key of the query cache, so that invalidation and use stay the same.

import type { AuditFilter } from "./audit";
import type { GraphQuery } from "./graphs";
import type { HostOrder, HostQuery } from "./hosts";
import type { LatestQuery } from "./native";
import type { RegexpExpression } from "./regexps";
import type { ScriptTarget } from "./scripts";
import type { Id } from "./types";

/** Keys of objects that the server describes, by their name in the API. */
export function objectKeys(object: string) {
  return {
    all: [object] as const,
    list: [object, "list"] as const,
    one: (id: Id) => [object, "one", id] as const,
  };
}

export const keys = {
  session: ["session"] as const,
  editable: (kind: string, ids: readonly Id[]) => ["rights", kind, ids] as const,
  overview: ["overview"] as const,
  overviewLoads: ["loads"] as const,
  metrics: ["metrics"] as const,
  healthIssues: ["healthIssues"] as const,
  workers: ["workers"] as const,
  databaseAbsence: ["databaseabsence"] as const,
  licences: ["licences"] as const,
  reference: ["reference"] as const,
  groupMembers: ["hostgroup", "members"] as const,
  eventsSince: ["events", "since"] as const,
  alertsSince: ["alerts", "since"] as const,
  auditSince: ["audit", "since"] as const,
  auditOf: (resourcetype: string, resourceid: Id) =>
    ["audit", "of", resourcetype, resourceid] as const,
  latest: (query: LatestQuery) => ["latest", query] as const,
  latestAll: ["latest"] as const,
  series: (itemids: readonly Id[], from: string, to: string, buckets: number, shift = 0) =>
    ["series", itemids, from, to, buckets, shift] as const,
  graphList: (query: GraphQuery) => ["graph", "list", query] as const,
  graphsOf: (ownerid: Id) => ["graph", "of", ownerid] as const,
  graphPrototypes: (ruleid: Id) => ["graphprototype", "of", ruleid] as const,
  thresholds: (itemids: readonly Id[]) => ["triggers", "thresholds", itemids] as const,
  problemSpans: (triggerids: readonly Id[], from: string, to: string) =>
    ["events", "spans", triggerids, from, to] as const,
  hosts: ["hosts"] as const,
  hostWindow: (query: HostQuery, order: HostOrder, rows: number, at: number) =>
    ["hosts", "windows", query, order, rows, at] as const,
  hostNames: (text: string, limit: number) => ["hosts", "names", text, limit] as const,
  hostNamesOf: (hostids: readonly Id[]) => ["hosts", "namesof", hostids] as const,
  host: (hostid: Id) => ["hosts", "one", hostid] as const,
  hostState: (hostid: Id) => ["hosts", "state", hostid] as const,
  hostProblems: (hostid: Id) => ["events", "open", hostid] as const,
  hostEvents: (hostid: Id) => ["events", "host", hostid] as const,
  hostTriggers: (hostid: Id) => ["triggers", "watching", hostid] as const,
  hostDiscovered: (hostid: Id) => ["items", "discovered", hostid] as const,
  inventory: (hostid: Id) => ["hosts", "inventory", hostid] as const,
  templates: ["templates"] as const,
  templateList: ["templates", "list"] as const,
  templateIndex: ["templates", "index"] as const,
  template: (templateid: Id) => ["templates", "one", templateid] as const,
  hostGroups: ["hostgroup"] as const,
  templateGroups: ["templategroup"] as const,
  globalMacros: ["globalmacros"] as const,
  inheritedMacrosAll: ["inheritedmacros"] as const,
  inheritedMacros: (templateids: readonly Id[]) => ["inheritedmacros", templateids] as const,
  macroLevels: (kind: string, ownerid: Id) =>
    ["macrodefinitions", "levels", kind, ownerid] as const,
  valueMapList: (ownerid: Id) => ["valuemap", "list", ownerid] as const,
  macroDefinitionsAll: ["macrodefinitions"] as const,
  macroDefinitions: (kind: string, ownerid: Id) => ["macrodefinitions", kind, ownerid] as const,
  regexpTrial: (text: string, expressions: readonly RegexpExpression[]) =>
    ["regexptrial", text, expressions] as const,
  settingsAll: ["settings"] as const,
  settings: (kind: string) => ["settings", kind] as const,
  queue: ["queue"] as const,
  web: ["httptest"] as const,
  webOf: (ownerid: Id) => ["httptest", "of", ownerid] as const,
  webMonitored: ["httptest", "monitored"] as const,
  storage: ["storage"] as const,
  storageLargest: ["storage", "largest"] as const,
  mediasAll: ["medias"] as const,
  medias: (userid: Id) => ["medias", userid] as const,
  mediaTypeNames: ["mediatype", "names"] as const,
  alerts: (digestid: string | undefined) => ["alerts", digestid ?? ""] as const,
  recipientsCheck: ["recipientsCheck"] as const,
  profile: (userid: Id) => ["user", "profile", userid] as const,
  userNames: ["user", "names"] as const,
  userRows: ["user", "rows"] as const,
  userOffers: ["user", "offers"] as const,
  usersSeen: ["user", "seen"] as const,
  audit: (filter: AuditFilter) => ["audit", filter] as const,
  userGroupNames: ["usergroup", "names"] as const,
  discovered: (druleid: Id | undefined) => ["drule", "found", druleid ?? ""] as const,
  startable: (target: ScriptTarget) => ["script", "startable", target] as const,
  operationScripts: ["script", "operations"] as const,
  mapRows: ["map", "rows"] as const,
  mapsWritable: ["map", "writable"] as const,
  mapDrawn: (sysmapid: Id, severityMin: number | undefined) =>
    ["map", "drawn", sysmapid, severityMin ?? -1] as const,
  serviceRows: ["service", "rows"] as const,
  maintenanceCalendar: (from: number, until: number) =>
    ["maintenance", "calendar", from, until] as const,
  onCall: (oncallid: Id | undefined, from: number, till: number) =>
    ["oncall", "whois", oncallid, from, till] as const,
  slaReport: (slaid: Id, periods: number) => ["sla", "report", slaid, periods] as const,
  dashboards: ["dashboards"] as const,
  dashboardList: ["dashboards", "list"] as const,
  dashboard: (id: Id) => ["dashboards", "one", id] as const,
  mayChangeDashboard: (id: Id) => ["dashboards", "editable", id] as const,
  dashboardsOfHost: (hostid: Id) => ["dashboards", "host", hostid] as const,
  dashboardOfHost: (hostid: Id, dashboardid: Id) =>
    ["dashboards", "host", hostid, dashboardid] as const,
  dashboardsOfTemplate: (templateid: Id) => ["dashboards", "template", templateid] as const,
  templateDashboard: (id: Id) => ["dashboards", "templates", id] as const,
  widgetKind: (type: string) => ["widgetkinds", type] as const,
  /** what a widget shows */
  widget: (what: string, params: unknown) => ["widgets", what, params] as const,
  items: ["items"] as const,
  itemsOf: (ownerid: Id) => ["items", "of", ownerid] as const,
  item: (itemid: Id) => ["items", "one", itemid] as const,
  itemsOfTrigger: (triggerid: Id) => ["items", "trigger", triggerid] as const,
  picked: (itemids: readonly Id[]) => ["items", "picked", itemids] as const,
  masters: (ownerid: Id, ruleid: Id | undefined) => ["items", "masters", ownerid, ruleid] as const,
  triggerPrototype: (triggerid: Id) => ["rules", "triggerprototype", triggerid] as const,
  hostPrototype: (hostid: Id) => ["rules", "hostprototype", hostid] as const,
  prototype: (itemid: Id) => ["rules", "prototype", itemid] as const,
  valueMaps: (ownerid: Id) => ["valuemap", ownerid] as const,
  triggers: ["triggers"] as const,
  triggersOf: (ownerid: Id) => ["triggers", "of", ownerid] as const,
  triggerPlaces: (triggerids: readonly Id[]) => ["triggers", "places", ...triggerids] as const,
  triggerNames: (text: string) => ["triggers", "names", text] as const,
  linkItems: (text: string) => ["items", "oflinks", text] as const,
  linkItem: (itemid: Id) => ["items", "oflink", itemid] as const,
  triggerNamesOf: (triggerids: readonly Id[]) => ["triggers", "namesof", triggerids] as const,
  trigger: (triggerid: Id) => ["triggers", "one", triggerid] as const,
  shownTrigger: (triggerid: Id) => ["triggers", "shown", triggerid] as const,
  expressionItems: (expression: string, recovery: string) =>
    ["items", "expression", expression, recovery] as const,
  rules: ["rules"] as const,
  rulesOf: (ownerid: Id) => ["rules", "of", ownerid] as const,
  rule: (itemid: Id) => ["rules", "one", itemid] as const,
  prototypes: (ruleid: Id) => ["rules", "prototypes", ruleid] as const,
  rulePrototypes: (ruleid: Id) => ["rules", "ruleprototypes", ruleid] as const,
  events: ["events"] as const,
  event: (eventid: Id) => ["events", eventid] as const,
  wholeEvent: (eventid: Id) => ["events", "whole", eventid] as const,
  problemViews: ["problem-views"] as const,
  explanation: (eventid: Id) => ["events", "explain", eventid] as const,
  pastProblem: (eventid: Id) => ["events", "problem", eventid] as const,
  eventsOfTrigger: (triggerid: Id) => ["events", "trigger", triggerid] as const,
  // below what changes with it, so that it is asked for again
  origin: (kind: "item" | "trigger", id: Id) => ["templates", "origin", kind, id] as const,
  stored: ["history"] as const,
  values: (itemids: readonly Id[], from: string, to: string, text: string) =>
    ["history", "values", itemids, from, to, text] as const,
  history: (itemid: Id) => ["history", itemid] as const,
  completions: (kind: string, host: string, text: string) =>
    ["items", "completions", kind, host, text] as const,
  expressionCheck: (expression: string, hostid: Id | undefined) =>
    ["items", "check", expression, hostid] as const,
  evaluation: (hostid: Id | undefined, expression: string, recovery: string) =>
    ["evaluation", hostid, expression, recovery] as const,
};
