// The pages that the navigation and the palette lead to: one row each, in the order of the navigation.

import {
  IconActivity,
  IconAlertTriangle,
  IconBolt,
  IconCalendarUser,
  IconChartLine,
  IconDatabase,
  IconDeviceDesktop,
  IconHeartRateMonitor,
  IconHistory,
  IconHourglass,
  IconInfoCircle,
  IconKey,
  IconLayoutDashboard,
  IconLink,
  IconMail,
  IconMap2,
  IconPhoto,
  IconPhotoSensor,
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
  IconVariable,
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
  | "/dashboards"
  | "/problems"
  | "/latest"
  | "/graphs"
  | "/web"
  | "/maps"
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
  | "/images"
  | "/iconmaps"
  | "/regexps"
  | "/connectors"
  | "/queue"
  | "/storage"
  | "/housekeeping"
  | "/settings"
  | "/system"
  | "/macros"
  | "/about";

export interface PageSection {
  readonly id: string;
  /** empty: it has no heading and is not folded */
  readonly title: string;
  readonly pages: readonly PageRow[];
}

function page(to: Address, icon: TablerIcon, name: string, least = USER): PageRow {
  return { to, icon, name, least };
}

/** The parts of the pages, by the names that roles know, of which one is needed; a page without has none. */
const ELEMENTS: Readonly<Partial<Record<string, readonly string[]>>> = {
  "/": ["monitoring.dashboard"],
  "/dashboards": ["monitoring.dashboard"],
  "/graphs": ["monitoring.latest_data", "monitoring.hosts"],
  "/problems": ["monitoring.problems"],
  "/latest": ["monitoring.latest_data"],
  "/web": ["monitoring.hosts"],
  "/maps": ["monitoring.maps"],
  "/images": ["administration.general"],
  "/iconmaps": ["administration.general"],
  "/services": ["services.services"],
  "/sla": ["services.sla", "services.sla_report"],
  "/hosts": ["monitoring.hosts", "configuration.hosts"],
  "/templates": ["configuration.templates"],
  "/maintenance": ["configuration.maintenance"],
  "/discovered": ["monitoring.discovery"],
  "/network-discovery": ["configuration.discovery"],
  "/actions": [
    "configuration.trigger_actions",
    "configuration.service_actions",
    "configuration.discovery_actions",
    "configuration.autoregistration_actions",
    "configuration.internal_actions",
  ],
  "/correlation": ["configuration.event_correlation"],
  "/mediatypes": ["administration.media_types"],
  "/scripts": ["administration.scripts"],
  "/alerts": ["reports.action_log"],
  "/users": ["administration.users"],
  "/usergroups": ["administration.user_groups"],
  "/roles": ["administration.user_roles"],
  "/audit": ["reports.audit"],
  "/system": ["reports.system_info"],
  "/macros": ["administration.macros"],
  "/settings": ["administration.general"],
  "/regexps": ["administration.general"],
  "/connectors": ["administration.general"],
  "/queue": ["administration.queue"],
  "/storage": ["administration.housekeeping", "reports.system_info"],
  "/housekeeping": ["administration.housekeeping"],
};

/** The properties of a user that decide which pages are available. */
export interface PageUser {
  readonly type: number;
  /** parts of the pages; undefined: all */
  readonly ui?: readonly string[] | undefined;
  /** methods that the pages may not call for him */
  readonly denied?: readonly string[] | undefined;
}

function mayOpen(user: PageUser, { to, least }: PageRow): boolean {
  const elements = ELEMENTS[to];
  const isShown = elements === undefined || elements.some((it) => user.ui?.includes(it) ?? true);
  return isShown && user.type >= least;
}

/** The first page that a user has, if it is not the one at the root; undefined: it is that one. */
export function firstPage(user: PageUser): Address | undefined {
  const pages = sectionsFor(user).flatMap((it) => it.pages);
  return pages[0]?.to === "/" ? undefined : pages[0]?.to;
}

/** Whether an address is that of a page that the user's role does not have, or of something below it. */
export function isDenied(user: PageUser, pathname: string): boolean {
  const page = SECTIONS.flatMap((it) => it.pages).find(({ to }) => isBelow(to, pathname));
  // one's own tokens are everybody's whose role lets have some
  if (page?.to === "/tokens") return user.denied?.includes("token.get") === true;
  return page !== undefined && !mayOpen(user, page);
}

export const SECTIONS: readonly PageSection[] = [
  {
    id: "monitoring",
    title: "",
    pages: [
      page("/", IconActivity, t("Overview")),
      page("/dashboards", IconLayoutDashboard, t("Dashboards")),
      page("/problems", IconAlertTriangle, t("Problems")),
      page("/latest", IconDeviceDesktop, t("Latest data")),
      page("/graphs", IconChartLine, t("Graphs")),
      page("/web", IconWorldWww, t("Web monitoring")),
      page("/maps", IconMap2, t("Maps")),
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
      page("/system", IconHeartRateMonitor, t("System health"), SUPER_ADMIN),
      page("/settings", IconSettings, t("General settings"), SUPER_ADMIN),
      page("/macros", IconVariable, t("Global macros"), SUPER_ADMIN),
      page("/images", IconPhoto, t("Images"), SUPER_ADMIN),
      page("/iconmaps", IconPhotoSensor, t("Icon maps"), SUPER_ADMIN),
      page("/regexps", IconRegex, t("Regular expressions"), SUPER_ADMIN),
      page("/connectors", IconPlugConnected, t("Connectors"), SUPER_ADMIN),
      page("/queue", IconHourglass, t("Queue"), SUPER_ADMIN),
      page("/storage", IconDatabase, t("Storage"), SUPER_ADMIN),
      page("/housekeeping", IconTrash, t("Housekeeping"), SUPER_ADMIN),
      page("/about", IconInfoCircle, t("About"), SUPER_ADMIN),
    ],
  },
];

/** Those that a user has; sections without any are left out. */
export function sectionsFor(user: PageUser): readonly PageSection[] {
  const own = SECTIONS.map((it) => ({
    ...it,
    pages: it.pages.filter((row) => mayOpen(user, row)),
  }));
  return own.filter(({ pages }) => pages.length > 0);
}

/** Whether an address is that of a page or of something below it. */
export function isBelow(to: Address, pathname: string): boolean {
  return to === "/" ? pathname === "/" : pathname === to || pathname.startsWith(`${to}/`);
}
