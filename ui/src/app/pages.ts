// The pages that the navigation and the palette lead to: one row each, in the order of the navigation.

import {
  IconActivity,
  IconAlertTriangle,
  IconBolt,
  IconCalendarUser,
  IconDatabase,
  IconDeviceDesktop,
  IconHistory,
  IconHourglass,
  IconKey,
  IconLink,
  IconMail,
  IconPlugConnected,
  IconRadar,
  IconRegex,
  IconRouter,
  IconSend,
  IconServer,
  IconSettings,
  IconSitemap,
  IconTargetArrow,
  IconTemplate,
  IconTerminal2,
  IconTool,
  IconTrash,
  IconUserShield,
  IconUsers,
  IconUsersGroup,
  IconWorldWww,
  type TablerIcon,
} from "@tabler/icons-react";
import { t } from "@/lib/i18n";

/** Types of users. */
const USER = 1;
const ADMIN = 2;
const SUPER_ADMIN = 3;

export interface PageRow {
  readonly to: Address;
  readonly icon: TablerIcon;
  readonly name: string;
  /** the least type of user who has it */
  readonly least: number;
}

export type Address =
  | "/"
  | "/problems"
  | "/latest"
  | "/web"
  | "/services"
  | "/sla"
  | "/oncall"
  | "/hosts"
  | "/templates"
  | "/maintenance"
  | "/discovered"
  | "/network-discovery"
  | "/actions"
  | "/correlation"
  | "/mediatypes"
  | "/scripts"
  | "/alerts"
  | "/users"
  | "/usergroups"
  | "/roles"
  | "/tokens"
  | "/audit"
  | "/regexps"
  | "/connectors"
  | "/queue"
  | "/storage"
  | "/housekeeping"
  | "/settings";

export interface PageSection {
  readonly id: string;
  /** empty: it has no heading and is not folded */
  readonly title: string;
  readonly pages: readonly PageRow[];
}

function page(to: Address, icon: TablerIcon, name: string, least = USER): PageRow {
  return { to, icon, name, least };
}

export const SECTIONS: readonly PageSection[] = [
  {
    id: "monitoring",
    title: "",
    pages: [
      page("/", IconActivity, t("Overview")),
      page("/problems", IconAlertTriangle, t("Problems")),
      page("/latest", IconDeviceDesktop, t("Latest data")),
      page("/web", IconWorldWww, t("Web monitoring")),
      page("/services", IconSitemap, t("Services")),
      page("/sla", IconTargetArrow, t("SLA")),
      page("/oncall", IconCalendarUser, t("On call")),
    ],
  },
  {
    id: "collection",
    title: t("Data collection"),
    pages: [
      page("/hosts", IconServer, t("Hosts")),
      page("/templates", IconTemplate, t("Templates")),
      page("/maintenance", IconTool, t("Maintenance"), ADMIN),
      page("/discovered", IconRouter, t("Discovered devices"), ADMIN),
      page("/network-discovery", IconRadar, t("Network discovery"), ADMIN),
    ],
  },
  {
    id: "alerts",
    title: t("Alerts"),
    pages: [
      page("/actions", IconBolt, t("Actions"), SUPER_ADMIN),
      page("/correlation", IconLink, t("Event correlation"), SUPER_ADMIN),
      page("/mediatypes", IconMail, t("Media types"), SUPER_ADMIN),
      page("/scripts", IconTerminal2, t("Scripts"), SUPER_ADMIN),
      page("/alerts", IconSend, t("Messages sent"), SUPER_ADMIN),
    ],
  },
  {
    id: "users",
    title: t("Users"),
    pages: [
      page("/users", IconUsers, t("Users"), SUPER_ADMIN),
      page("/usergroups", IconUsersGroup, t("User groups"), SUPER_ADMIN),
      page("/roles", IconUserShield, t("User roles"), SUPER_ADMIN),
      page("/tokens", IconKey, t("API tokens"), SUPER_ADMIN),
      page("/audit", IconHistory, t("Audit log"), SUPER_ADMIN),
    ],
  },
  {
    id: "administration",
    title: t("Administration"),
    pages: [
      page("/settings", IconSettings, t("General settings"), SUPER_ADMIN),
      page("/regexps", IconRegex, t("Regular expressions"), SUPER_ADMIN),
      page("/connectors", IconPlugConnected, t("Connectors"), SUPER_ADMIN),
      page("/queue", IconHourglass, t("Queue"), SUPER_ADMIN),
      page("/storage", IconDatabase, t("Storage"), SUPER_ADMIN),
      page("/housekeeping", IconTrash, t("Housekeeping"), SUPER_ADMIN),
    ],
  },
];

/** Those that a user of this type has; sections without any are left out. */
export function sectionsFor(type: number): readonly PageSection[] {
  const own = SECTIONS.map((it) => ({
    ...it,
    pages: it.pages.filter(({ least }) => type >= least),
  }));
  return own.filter(({ pages }) => pages.length > 0);
}

/** Whether an address is that of a page or of something below it. */
export function isBelow(to: Address, pathname: string): boolean {
  return to === "/" ? pathname === "/" : pathname === to || pathname.startsWith(`${to}/`);
}
