// Dashboards of users and of templates. Both have pages of widgets, and what a widget shows is a list of fields
// under Zabbix's names.

import { locale } from "@/lib/i18n";
import { checked } from "./checked";
import { DASHBOARD } from "./generated/dashboard";
import { HOST } from "./generated/host";
import { TEMPLATE_DASHBOARD } from "./generated/template-dashboard";
import { http } from "./http";
import { type AnswerOf, objectsOf, readerOf } from "./objects";
import type { Id } from "./types";

export const DASHBOARDS = objectsOf(DASHBOARD, {
  selects: { pages: "extend", users: "extend", userGroups: "extend" },
});
export const TEMPLATE_DASHBOARDS = objectsOf(TEMPLATE_DASHBOARD, {
  output: ["dashboardid", "templateid", "name", "display_period", "auto_start"],
  selects: { pages: "extend" },
});

export type Dashboard = AnswerOf<typeof DASHBOARDS>;
export type TemplateDashboard = AnswerOf<typeof TEMPLATE_DASHBOARDS>;

type StoredPage = Dashboard["pages"][number];
type StoredWidget = StoredPage["widgets"][number];

/** One setting of a widget: of type 0 a number, 1 a text, else the id of an object. */
export type WidgetField = StoredWidget["fields"][number];

/** The id keeps it the same widget when the dashboard is saved; a new one has none. */
export interface Widget extends Omit<StoredWidget, "widgetid"> {
  readonly widgetid?: Id | undefined;
}

export interface DashboardPage extends Omit<StoredPage, "dashboard_pageid" | "widgets"> {
  readonly dashboard_pageid?: Id | undefined;
  readonly widgets: readonly Widget[];
}

/** What dashboards of users and of templates have in common. */
export interface DashboardContent
  extends Pick<Dashboard, "name" | "display_period" | "auto_start"> {
  readonly pages: readonly DashboardPage[];
}

export type Sharing = Pick<Dashboard, "userid" | "private" | "users" | "userGroups">;

/** Without the owner: it stays, or is who makes it. */
export type DashboardDraft = DashboardContent & Omit<Sharing, "userid"> & { readonly userid?: Id };

const ROWS = readerOf(DASHBOARD, {
  selects: { pages: ["name"], users: "extend", userGroups: "extend" },
  params: { sortfield: "name" },
});

export type DashboardRow = Omit<AnswerOf<typeof ROWS>, "pages" | "users" | "userGroups"> & {
  readonly shares: number;
  readonly pages: number;
};

export async function fetchDashboards(signal?: AbortSignal): Promise<readonly DashboardRow[]> {
  const rows = await ROWS.get({}, signal);
  return rows.map(({ users, userGroups, pages, ...it }) => ({
    ...it,
    shares: users.length + userGroups.length,
    pages: pages.length,
  }));
}

const IDS = readerOf(DASHBOARD, { output: ["dashboardid"] });

export async function mayChangeDashboard(id: Id, signal?: AbortSignal): Promise<boolean> {
  return (await IDS.get({ dashboardids: [id], editable: true }, signal)).length > 0;
}

// ---- of templates

const HOSTS = readerOf(HOST, {
  output: ["hostid"],
  selects: { dashboards: ["dashboardid", "templateid", "name"] },
});
export type DashboardName = AnswerOf<typeof HOSTS>["dashboards"][number];

/** Those that a host has of its templates. */
export async function fetchHostDashboards(
  hostid: Id,
  signal?: AbortSignal,
): Promise<readonly DashboardName[]> {
  const [found] = await HOSTS.get({ hostids: [hostid] }, signal);
  const own = [...(found?.dashboards ?? [])];
  return own.sort((a, b) => a.name.localeCompare(b.name, locale()));
}

/** One of them, with the host's items and graphs in the place of the template's, which need not be seen for that. */
export async function fetchHostDashboard(
  hostid: Id,
  dashboardid: Id,
  signal?: AbortSignal,
): Promise<TemplateDashboard> {
  const answer = await http(`/api/v1/hosts/${hostid}/dashboards/${dashboardid}`, { signal });
  return checked("dashboard", answer, TEMPLATE_DASHBOARDS.row);
}

export async function fetchTemplateDashboards(
  templateid: Id,
  signal?: AbortSignal,
): Promise<readonly TemplateDashboard[]> {
  return TEMPLATE_DASHBOARDS.get({ templateids: [templateid], sortfield: "name" }, signal);
}
