// Which queries each change invalidates: one row per mutation, next to the keys (`query-keys.ts`). A mutation calls
// `changed`, and only those queries are fetched again. A test refuses any other way.

import type { QueryClient } from "@tanstack/react-query";
import { keys, objectKeys } from "./query-keys";

/** What holders have, and what their hosts inherit of it. */
const PARTS = [
  keys.items,
  keys.triggers,
  keys.rules,
  keys.web,
  keys.graphs,
  keys.valueMapsAll,
  keys.inheritedMacrosAll,
  keys.macroDefinitionsAll,
] as const;

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
    keys.maps,
    keys.images,
    keys.mediaTypes,
    ...PARTS,
  ],
  hostGroup: [keys.hostGroups],
  templateGroup: [keys.templateGroups],
  // lists count items, triggers and rules; triggers and dependent rules go with their items
  // so do their places in graphs
  item: [
    keys.items,
    keys.triggers,
    keys.rules,
    keys.graphs,
    keys.hosts,
    keys.templates,
    keys.latestAll,
  ],
  itemStatus: [keys.items, keys.latestAll],
  itemPrototype: [
    keys.rules,
    keys.items,
    keys.triggers,
    keys.graphs,
    keys.templates,
    keys.latestAll,
  ],
  /** a check was asked for */
  itemValues: [keys.items, keys.latestAll],
  values: [keys.latestAll],
  /** what was stored is deleted */
  stored: [keys.stored, keys.items, keys.latestAll],
  trigger: [keys.triggers, keys.items, keys.hosts, keys.templates],
  triggerStatus: [keys.triggers],
  // hosts that it made go with it
  hostPrototype: [keys.rules, keys.hosts, keys.templates, keys.hostGroups],
  triggerPrototype: [keys.rules, keys.triggers, keys.templates],
  rule: [
    keys.rules,
    keys.items,
    keys.triggers,
    keys.graphs,
    keys.hosts,
    keys.templates,
    keys.latestAll,
  ],
  graph: [keys.graphs],
  // its items come and go with it
  web: [keys.web, keys.items, keys.triggers, keys.latestAll],
  // names of items and triggers hold macros
  globalMacros: [keys.globalMacros, keys.macroDefinitionsAll, keys.items, keys.triggers],
  // items name their maps
  valueMap: [keys.valueMapsAll, keys.items, keys.latestAll],
  regexp: [keys.regexps],
  mediaType: [keys.mediaTypes, keys.mediasAll, keys.recipientsCheck],
  medias: [keys.mediasAll, keys.recipientsCheck],
  // lists name users, groups and roles of each other
  user: [
    keys.userAll,
    keys.userGroups,
    keys.roles,
    keys.tokens,
    keys.mediasAll,
    keys.recipientsCheck,
  ],
  /** one's own: how the pages look from now on */
  profile: [keys.session, keys.userAll],
  userGroup: [keys.userGroups, keys.userAll, keys.recipientsCheck],
  role: [keys.roles, keys.userAll],
  token: [keys.tokens],
  script: [keys.scripts],
  action: [keys.actions, keys.recipientsCheck],
  oncall: [keys.oncall],
  correlation: [keys.correlations],
  drule: [keys.networkRules],
  connector: [objectKeys("connector").all],
  map: [keys.maps],
  image: [keys.images, keys.maps],
  // maps are drawn by them
  iconMap: [keys.iconMaps, keys.maps],
  // agreements name services by tags
  service: [keys.services, keys.slas],
  sla: [keys.slas],
  maintenance: [keys.maintenances, keys.events, keys.hosts],
  // a period for all items is shown there
  settings: [keys.settingsAll, keys.storage],
  event: [keys.events],
  dashboard: [keys.dashboards],
} as const;

export type Change = keyof typeof CHANGES;

/** Fetches the shown queries again; hidden ones are fetched when they are shown. */
export async function changed(client: QueryClient, change: Change): Promise<void> {
  await Promise.all(
    CHANGES[change].map((queryKey: readonly string[]) => client.invalidateQueries({ queryKey })),
  );
}
