// Parts of the pages and actions that roles know, by Zabbix's names, and the least type of user that may have each.

import type { RoleElement } from "@/api/users";
import { t } from "@/lib/i18n";

export interface KnownElement {
  readonly name: string;
  readonly label: string;
  readonly least: number;
}

const element = (name: string, label: string, least = 1): KnownElement => ({ name, label, least });

/** Those that have a page here; others of Zabbix are kept. */
export const PAGES: readonly KnownElement[] = [
  element("monitoring.dashboard", t("Overview and dashboards")),
  element("monitoring.problems", t("Problems")),
  element("monitoring.hosts", t("Hosts: monitoring")),
  element("monitoring.latest_data", t("Latest data")),
  element("monitoring.maps", t("Maps")),
  element("monitoring.discovery", t("Discovered devices"), 2),
  element("services.services", t("Services")),
  element("services.sla", t("SLA"), 2),
  element("services.sla_report", t("SLA report")),
  element("inventory.hosts", t("Inventory")),
  element("configuration.hosts", t("Hosts: data collection"), 2),
  element("configuration.host_groups", t("Host groups"), 2),
  element("configuration.templates", t("Templates"), 2),
  element("configuration.template_groups", t("Template groups"), 2),
  element("configuration.maintenance", t("Maintenance"), 2),
  element("configuration.discovery", t("Network discovery"), 2),
  element("configuration.trigger_actions", t("Trigger actions"), 2),
  element("configuration.service_actions", t("Service actions"), 2),
  element("configuration.discovery_actions", t("Discovery actions"), 2),
  element("configuration.autoregistration_actions", t("Autoregistration actions"), 2),
  element("configuration.internal_actions", t("Internal actions"), 2),
  element("configuration.event_correlation", t("Event correlation"), 3),
  element("administration.media_types", t("Media types"), 3),
  element("administration.scripts", t("Scripts"), 3),
  element("reports.action_log", t("Messages sent"), 3),
  element("administration.users", t("Users"), 3),
  element("administration.user_groups", t("User groups"), 3),
  element("administration.user_roles", t("User roles"), 3),
  element("administration.api_tokens", t("API tokens"), 3),
  element("administration.authentication", t("Authentication"), 3),
  element("reports.audit", t("Audit log"), 3),
  element("reports.system_info", t("System health"), 3),
  element("administration.general", t("General settings"), 3),
  element("administration.macros", t("Macros"), 3),
  element("administration.housekeeping", t("Housekeeping"), 3),
  element("administration.queue", t("Queue"), 3),
  element("administration.proxies", t("Proxies"), 3),
];

export const ACTIONS: readonly KnownElement[] = [
  element("acknowledge_problems", t("Acknowledge problems")),
  element("close_problems", t("Close problems")),
  element("change_severity", t("Change severity")),
  element("add_problem_comments", t("Add problem comments")),
  element("suppress_problems", t("Suppress problems")),
  element("change_problem_ranking", t("Change problem ranking")),
  element("execute_scripts", t("Execute scripts")),
  element("invoke_execute_now", t("Execute now on read-only hosts")),
  element("edit_dashboards", t("Create and edit dashboards")),
  element("edit_maps", t("Create and edit maps")),
  element("manage_api_tokens", t("Manage API tokens")),
  element("edit_own_media", t("Create and edit own media")),
  element("edit_maintenance", t("Create and edit maintenance"), 2),
  element("manage_sla", t("Manage SLA"), 2),
  element("manage_scheduled_reports", t("Manage scheduled reports"), 2),
  element("edit_user_media", t("Create and edit user media"), 3),
];

/** Those that a type of user may have. */
export function elementsOf(known: readonly KnownElement[], type: string): readonly KnownElement[] {
  return known.filter(({ least }) => least <= Number(type));
}

/** Whether a role has an element; what is not named is as all others. */
export function isGranted(
  chosen: readonly RoleElement[],
  name: string,
  byDefault: boolean,
): boolean {
  const rule = chosen.find((it) => it.name === name);
  return rule === undefined ? byDefault : rule.status === "1";
}

/** All that are known with what they have, one of them changed; those of other types are left out. */
export function granted(
  known: readonly KnownElement[],
  chosen: readonly RoleElement[],
  byDefault: boolean,
  changed: { readonly name: string; readonly to: boolean },
): readonly RoleElement[] {
  const names = known.map(({ name }) => name);
  const others = chosen.filter(({ name }) => !names.includes(name));
  const own = known.map(({ name }): RoleElement => {
    const is = name === changed.name ? changed.to : isGranted(chosen, name, byDefault);
    return { name, status: is ? "1" : "0" };
  });
  return [...others, ...own];
}

/** A role of another type must not name what its users may not have: what has no box is left out, too. */
export function allowedFor(
  known: readonly KnownElement[],
  chosen: readonly RoleElement[],
  type: string,
): readonly RoleElement[] {
  const names = elementsOf(known, type).map(({ name }) => name);
  return chosen.filter(({ name }) => names.includes(name));
}
