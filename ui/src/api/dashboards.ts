// Dashboards of users and of templates: `dashboard.*`, `templatedashboard.*`. Both have pages of widgets, and
// what a widget shows is a list of fields under Zabbix's names.

import * as z from "zod/mini";
import { locale } from "@/lib/i18n";
import { checked } from "./checked";
import { http } from "./http";
import { call } from "./rpc";
import * as schema from "./schema";
import type { Id } from "./types";

/** One setting of a widget. */
export interface WidgetField {
  /** 0 number, 1 text, else the kind of object that the value is the id of (see `FIELD` in the feature) */
  readonly type: string;
  readonly name: string;
  readonly value: string;
}

export interface Widget {
  /** keeps it the same widget when the dashboard is saved; a new one has none */
  readonly widgetid?: Id | undefined;
  readonly type: string;
  readonly name: string;
  /** "1": without heading */
  readonly view_mode: string;
  readonly x: string;
  readonly y: string;
  readonly width: string;
  readonly height: string;
  readonly fields: readonly WidgetField[];
}

export interface DashboardPage {
  readonly dashboard_pageid?: Id | undefined;
  readonly name: string;
  /** seconds in a slideshow; "0": as the dashboard says */
  readonly display_period: string;
  readonly widgets: readonly Widget[];
}

/** What dashboards of users and of templates have in common. */
export interface DashboardContent {
  readonly name: string;
  readonly display_period: string;
  readonly auto_start: string;
  readonly pages: readonly DashboardPage[];
}

export interface Sharing {
  readonly userid: Id;
  /** "0": public */
  readonly private: string;
  /** 2 read, 3 write */
  readonly users: readonly { readonly userid: Id; readonly permission: string }[];
  readonly userGroups: readonly { readonly usrgrpid: Id; readonly permission: string }[];
}

export type Dashboard = DashboardContent & Sharing & { readonly dashboardid: Id };
export type DashboardRow = Omit<Dashboard, "pages" | "users" | "userGroups"> & {
  readonly shares: number;
  readonly pages: number;
};
export type TemplateDashboard = DashboardContent & {
  readonly dashboardid: Id;
  readonly templateid: Id;
};

/** Without the owner: it stays, or is who makes it. */
export type DashboardDraft = DashboardContent & Omit<Sharing, "userid"> & { readonly userid?: Id };

const text = z.string();
const textOr = (usual: string) => z._default(z.string(), usual);
const page = z.object({
  dashboard_pageid: z.optional(text),
  name: textOr(""),
  display_period: textOr("0"),
  widgets: z._default(
    z.array(
      z.object({
        widgetid: z.optional(text),
        type: text,
        name: textOr(""),
        view_mode: textOr("0"),
        x: textOr("0"),
        y: textOr("0"),
        width: textOr("1"),
        height: textOr("2"),
        fields: z._default(z.array(z.object({ type: text, name: text, value: text })), []),
      }),
    ),
    [],
  ),
});
const content = {
  dashboardid: text,
  name: text,
  display_period: textOr("30"),
  auto_start: textOr("1"),
  pages: z._default(z.array(page), []),
};
const users = z._default(z.array(z.object({ userid: text, permission: text })), []);
const userGroups = z._default(z.array(z.object({ usrgrpid: text, permission: text })), []);
const dashboard = z.object({
  ...content,
  userid: textOr("0"),
  private: textOr("1"),
  users,
  userGroups,
});
const templateDashboard = z.object({ ...content, templateid: text });
const row = z.object({
  ...content,
  pages: z._default(z.array(z.looseObject({})), []),
  userid: textOr("0"),
  private: textOr("1"),
  users,
  userGroups,
});

export async function fetchDashboards(signal?: AbortSignal): Promise<readonly DashboardRow[]> {
  const rows = await call(
    "dashboard.get",
    {
      output: "extend",
      selectPages: ["name"],
      selectUsers: "extend",
      selectUserGroups: "extend",
      sortfield: "name",
    },
    schema.listOf(row),
    signal,
  );
  return rows.map(({ users: people, userGroups: groups, pages, ...it }) => ({
    ...it,
    shares: people.length + groups.length,
    pages: pages.length,
  }));
}

export async function fetchDashboard(id: Id, signal?: AbortSignal): Promise<Dashboard | undefined> {
  const found = await call(
    "dashboard.get",
    {
      dashboardids: [id],
      output: "extend",
      selectPages: "extend",
      selectUsers: "extend",
      selectUserGroups: "extend",
    },
    schema.listOf(dashboard),
    signal,
  );
  return found[0];
}

/** Of those with the ids, what the caller may change. */
export async function mayChangeDashboard(id: Id, signal?: AbortSignal): Promise<boolean> {
  const found = await call(
    "dashboard.get",
    { dashboardids: [id], output: ["dashboardid"], editable: true },
    schema.listOf(z.object({ dashboardid: text })),
    signal,
  );
  return found.length > 0;
}

export async function createDashboard(draft: DashboardDraft): Promise<Id> {
  return (await call("dashboard.create", draft, schema.createdIds("dashboardids")))[0] ?? "";
}

export async function updateDashboard(
  dashboardid: Id,
  draft: Partial<DashboardDraft>,
): Promise<void> {
  await call("dashboard.update", { dashboardid, ...draft }, schema.changed);
}

export async function deleteDashboards(ids: readonly Id[]): Promise<void> {
  await call("dashboard.delete", ids, schema.changed);
}

// ---- of templates

const names = z.object({ dashboardid: text, templateid: textOr("0"), name: text });
export type DashboardName = z.infer<typeof names>;

/** Those that a host has of its templates. */
export async function fetchHostDashboards(
  hostid: Id,
  signal?: AbortSignal,
): Promise<readonly DashboardName[]> {
  const found = await call(
    "host.get",
    {
      hostids: [hostid],
      output: ["hostid"],
      selectDashboards: ["dashboardid", "templateid", "name"],
    },
    schema.listOf(z.object({ dashboards: z._default(z.array(names), []) })),
    signal,
  );
  const own = [...(found[0]?.dashboards ?? [])];
  return own.sort((a, b) => a.name.localeCompare(b.name, locale()));
}

/** One of them, with the host's items and graphs in the place of the template's, which need not be seen for that. */
export async function fetchHostDashboard(
  hostid: Id,
  dashboardid: Id,
  signal?: AbortSignal,
): Promise<TemplateDashboard> {
  const answer = await http(`/api/v1/hosts/${hostid}/dashboards/${dashboardid}`, { signal });
  return checked("dashboard", answer, templateDashboard);
}

export async function fetchTemplateDashboards(
  templateid: Id,
  signal?: AbortSignal,
): Promise<readonly TemplateDashboard[]> {
  return call(
    "templatedashboard.get",
    { templateids: [templateid], output: "extend", selectPages: "extend", sortfield: "name" },
    schema.listOf(templateDashboard),
    signal,
  );
}

export async function fetchTemplateDashboard(
  id: Id,
  signal?: AbortSignal,
): Promise<TemplateDashboard | undefined> {
  const found = await call(
    "templatedashboard.get",
    { dashboardids: [id], output: "extend", selectPages: "extend" },
    schema.listOf(templateDashboard),
    signal,
  );
  return found[0];
}

export async function createTemplateDashboard(
  templateid: Id,
  draft: DashboardContent,
): Promise<Id> {
  const ids = await call(
    "templatedashboard.create",
    { templateid, ...draft },
    schema.createdIds("dashboardids"),
  );
  return ids[0] ?? "";
}

export async function updateTemplateDashboard(
  dashboardid: Id,
  draft: Partial<DashboardContent>,
): Promise<void> {
  await call("templatedashboard.update", { dashboardid, ...draft }, schema.changed);
}

export async function deleteTemplateDashboards(ids: readonly Id[]): Promise<void> {
  await call("templatedashboard.delete", ids, schema.changed);
}
