// Which queries each change invalidates: one row per mutation, next to the keys (`query-keys.ts`). A mutation calls
// `changed`, and only those queries are fetched again. A test refuses any other way.

import type { QueryClient } from "@tanstack/react-query";
import { keys, objectKeys } from "./query-keys";
import type { StoredObject } from "./rights";

const allOf = (object: StoredObject) => objectKeys(object).all;

const GRAPHS = [allOf("graph"), allOf("graphprototype")] as const;

/** What holders have, and what their hosts inherit of it. */
const PARTS = [
  keys.items,
  keys.triggers,
  keys.rules,
  keys.web,
  ...GRAPHS,
  allOf("valuemap"),
  keys.inheritedMacrosAll,
  keys.macroDefinitionsAll,
] as const;

/** Rules list their prototypes and count what they made. */
const RULES = [
  keys.rules,
  keys.items,
  keys.triggers,
  ...GRAPHS,
  keys.hosts,
  keys.templates,
  keys.latestAll,
] as const;

/** Objects that are not here have no effect on other queries than their own. */
const CHANGES = {
  /** the stream published them */
  hosts: [keys.hosts],
  // templates count their hosts; the names of items and triggers hold macros
  host: [keys.hosts, keys.templates, keys.latestAll, ...PARTS],
  hostStatus: [keys.hosts, keys.latestAll],
  hostTemplates: [keys.dashboards, keys.hosts, keys.templates, keys.latestAll, ...PARTS],
  inventory: [keys.hosts],
  // hosts name their templates and have their items and triggers
  template: [keys.dashboards, keys.templates, keys.hosts, keys.latestAll, ...PARTS],
  import: [
    keys.dashboards,
    keys.templates,
    keys.templateGroups,
    keys.hosts,
    keys.latestAll,
    allOf("map"),
    allOf("image"),
    allOf("mediatype"),
    ...PARTS,
  ],
  // lists of hosts and templates, and permissions, name their groups
  hostgroup: [keys.hostGroups, keys.hosts, allOf("usergroup")],
  templategroup: [keys.templateGroups, keys.templates, allOf("usergroup")],
  // lists count items, triggers and rules; triggers and dependent rules go with their items
  // so do their places in graphs
  item: [
    keys.items,
    keys.triggers,
    keys.rules,
    ...GRAPHS,
    keys.hosts,
    keys.templates,
    keys.latestAll,
  ],
  itemStatus: [keys.items, keys.latestAll],
  itemprototype: [keys.rules, keys.items, keys.triggers, ...GRAPHS, keys.templates, keys.latestAll],
  /** a check was asked for */
  itemValues: [keys.items, keys.latestAll],
  values: [keys.latestAll],
  /** what was stored is deleted */
  stored: [keys.stored, keys.items, keys.latestAll],
  trigger: [keys.triggers, keys.items, keys.hosts, keys.templates],
  triggerStatus: [keys.triggers],
  // hosts that it made go with it
  hostprototype: [keys.rules, keys.hosts, keys.templates, keys.hostGroups],
  triggerprototype: [keys.rules, keys.triggers, keys.templates],
  discoveryrule: RULES,
  discoveryruleprototype: RULES,
  graph: GRAPHS,
  graphprototype: GRAPHS,
  // its items come and go with it
  httptest: [keys.web, keys.items, keys.triggers, keys.latestAll],
  // names of items and triggers hold macros
  globalMacros: [keys.globalMacros, keys.macroDefinitionsAll, keys.items, keys.triggers],
  // items name their maps
  valuemap: [allOf("valuemap"), keys.items, keys.latestAll],
  mediatype: [allOf("mediatype"), keys.mediasAll, keys.recipientsCheck],
  medias: [keys.mediasAll, keys.recipientsCheck],
  // lists name users, groups and roles of each other
  user: [
    allOf("user"),
    allOf("usergroup"),
    allOf("role"),
    allOf("token"),
    keys.mediasAll,
    keys.recipientsCheck,
  ],
  /** one's own: how the pages look from now on */
  profile: [keys.session, allOf("user")],
  usergroup: [allOf("usergroup"), allOf("user"), keys.recipientsCheck],
  role: [allOf("role"), allOf("user")],
  action: [allOf("action"), keys.recipientsCheck],
  image: [allOf("image"), allOf("map")],
  // maps are drawn by them
  iconmap: [allOf("iconmap"), allOf("map")],
  // agreements name services by tags
  service: [allOf("service"), allOf("sla")],
  maintenance: [allOf("maintenance"), keys.events, keys.hosts],
  // a period for all items is shown there
  settings: [keys.settingsAll, keys.storage],
  event: [keys.events],
  dashboard: [keys.dashboards],
  templatedashboard: [keys.dashboards],
} as const satisfies Readonly<Record<string, readonly (readonly string[])[]>>;

export type Change = keyof typeof CHANGES | StoredObject;

function staleAfter(change: Change): readonly (readonly string[])[] {
  return change in CHANGES
    ? CHANGES[change as keyof typeof CHANGES]
    : [allOf(change as StoredObject)];
}

/** Fetches the shown queries again; hidden ones are fetched when they are shown. */
export async function changed(client: QueryClient, change: Change): Promise<void> {
  await Promise.all(staleAfter(change).map((queryKey) => client.invalidateQueries({ queryKey })));
}
