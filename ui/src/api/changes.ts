// What each change makes out of date: one row a mutation, beside the keys (`query-keys.ts`). Whoever changes
// something says so with `changed`, and nothing else is asked for again. A test refuses any other way.

import type { QueryClient } from "@tanstack/react-query";
import { keys } from "./query-keys";

/** What holders have, and what their hosts inherit of it. */
const PARTS = [
  keys.items,
  keys.triggers,
  keys.rules,
  keys.web,
  keys.valueMapsAll,
  keys.inheritedMacrosAll,
  keys.macroDefinitionsAll,
] as const;

const CHANGES = {
  /** the stream told of them */
  hosts: [keys.hosts],
  // templates count their hosts; the names of items and triggers hold macros
  host: [keys.hosts, keys.templates, keys.latestAll, ...PARTS],
  hostStatus: [keys.hosts, keys.latestAll],
  hostTemplates: [keys.hosts, keys.templates, keys.latestAll, ...PARTS],
  inventory: [keys.hosts],
  // hosts name their templates and have their items and triggers
  template: [keys.templates, keys.hosts, keys.latestAll, ...PARTS],
  import: [keys.templates, keys.templateGroups, keys.hosts, keys.latestAll, ...PARTS],
  hostGroup: [keys.hostGroups],
  templateGroup: [keys.templateGroups],
  // lists count items, triggers and rules; triggers and dependent rules go with their items
  item: [keys.items, keys.triggers, keys.rules, keys.hosts, keys.templates, keys.latestAll],
  itemStatus: [keys.items, keys.latestAll],
  itemPrototype: [keys.rules, keys.items, keys.triggers, keys.templates, keys.latestAll],
  /** a check was asked for */
  itemValues: [keys.items, keys.latestAll],
  values: [keys.latestAll],
  trigger: [keys.triggers, keys.items, keys.hosts, keys.templates],
  triggerStatus: [keys.triggers],
  triggerPrototype: [keys.rules, keys.triggers, keys.templates],
  rule: [keys.rules, keys.items, keys.triggers, keys.hosts, keys.templates, keys.latestAll],
  // its items come and go with it
  web: [keys.web, keys.items, keys.triggers, keys.latestAll],
  regexp: [keys.regexps],
  mediaType: [keys.mediaTypes, keys.mediasAll, keys.reach],
  medias: [keys.mediasAll, keys.reach],
  // lists name users, groups and roles of each other
  user: [keys.userAll, keys.userGroups, keys.roles, keys.tokens, keys.mediasAll, keys.reach],
  userGroup: [keys.userGroups, keys.userAll, keys.reach],
  role: [keys.roles, keys.userAll],
  token: [keys.tokens],
  script: [keys.scripts],
  action: [keys.actions, keys.reach],
  oncall: [keys.oncall],
  correlation: [keys.correlations],
  drule: [keys.networkRules],
  connector: [keys.connectors],
  // agreements name services by tags
  service: [keys.services, keys.slas],
  sla: [keys.slas],
  maintenance: [keys.maintenances, keys.events, keys.hosts],
  // a period of all items is told there
  settings: [keys.settingsAll, keys.storage],
  event: [keys.events],
} as const;

export type Change = keyof typeof CHANGES;

/** Asks anew for what is shown of it; what is not shown is asked for when it is. */
export async function changed(client: QueryClient, change: Change): Promise<void> {
  await Promise.all(
    CHANGES[change].map((queryKey: readonly string[]) => client.invalidateQueries({ queryKey })),
  );
}
