// Maintenances by JSON-RPC, and when they are in effect, by the server's rules and clock.

import * as z from "zod/mini";
import { checked } from "./checked";
import { http } from "./http";
import { call } from "./rpc";
import * as schema from "./schema";
import type { Id } from "./types";

export interface MaintenanceTag {
  readonly tag: string;
  /** 0 equals, 2 contains */
  readonly operator: string;
  readonly value: string;
}

/** As the server returns it: fields of other kinds of period have their defaults. */
export interface TimePeriod {
  /** 0 once, 2 daily, 3 weekly, 4 monthly */
  readonly timeperiod_type: string;
  readonly period: string;
  readonly start_date: string;
  readonly start_time: string;
  readonly every: string;
  readonly dayofweek: string;
  readonly day: string;
  readonly month: string;
}

export interface Maintenance {
  readonly maintenanceid: Id;
  readonly name: string;
  readonly description: string;
  readonly active_since: string;
  readonly active_till: string;
  /** 0 with data collection, 1 without */
  readonly maintenance_type: string;
  readonly tags_evaltype: string;
  readonly hosts: readonly { readonly hostid: Id; readonly name: string }[];
  readonly hostgroups: readonly { readonly groupid: Id; readonly name: string }[];
  readonly tags: readonly MaintenanceTag[];
  readonly timeperiods: readonly TimePeriod[];
}

export interface MaintenanceDraft {
  readonly name: string;
  readonly description: string;
  readonly active_since: string;
  readonly active_till: string;
  readonly maintenance_type: string;
  /** Only with data collection, as the tags. */
  readonly tags_evaltype?: string;
  readonly hosts: readonly { readonly hostid: Id }[];
  readonly groups: readonly { readonly groupid: Id }[];
  readonly tags?: readonly MaintenanceTag[];
  readonly timeperiods: readonly Partial<TimePeriod>[];
}

export interface InEffect {
  readonly maintenanceid: Id;
  /** begin and end in seconds since 1970, ascending */
  readonly periods: readonly (readonly number[])[];
}

export interface MaintenanceCalendar {
  readonly from: number;
  readonly until: number;
  /** false: there were too many periods to list all */
  readonly complete: boolean;
  readonly maintenances: readonly InEffect[];
}

const maintenance: z.ZodMiniType<Maintenance> = z.object({
  maintenanceid: z.string(),
  name: z.string(),
  description: z.string(),
  active_since: z.string(),
  active_till: z.string(),
  maintenance_type: z.string(),
  tags_evaltype: z.string(),
  hosts: z.array(z.object({ hostid: z.string(), name: z.string() })),
  hostgroups: z.array(z.object({ groupid: z.string(), name: z.string() })),
  tags: z.array(z.object({ tag: z.string(), operator: z.string(), value: z.string() })),
  timeperiods: z.array(
    z.object({
      timeperiod_type: z.string(),
      period: z.string(),
      start_date: z.string(),
      start_time: z.string(),
      every: z.string(),
      dayofweek: z.string(),
      day: z.string(),
      month: z.string(),
    }),
  ),
});

const calendar: z.ZodMiniType<MaintenanceCalendar> = z.object({
  from: z.number(),
  until: z.number(),
  complete: z.boolean(),
  maintenances: z.array(
    z.object({ maintenanceid: z.string(), periods: z.array(z.array(z.number())) }),
  ),
});

async function fetchList(ids: readonly Id[] | undefined, signal?: AbortSignal) {
  return call(
    "maintenance.get",
    {
      ...(ids === undefined ? {} : { maintenanceids: ids }),
      output: [
        "maintenanceid",
        "name",
        "description",
        "active_since",
        "active_till",
        "maintenance_type",
        "tags_evaltype",
      ],
      selectHosts: ["hostid", "name"],
      selectHostGroups: ["groupid", "name"],
      selectTags: "extend",
      selectTimeperiods: "extend",
      sortfield: "name",
    },
    schema.listOf(maintenance),
    signal,
  );
}

export async function fetchMaintenances(signal?: AbortSignal): Promise<readonly Maintenance[]> {
  return fetchList(undefined, signal);
}

export async function fetchMaintenance(
  id: Id,
  signal?: AbortSignal,
): Promise<Maintenance | undefined> {
  return (await fetchList([id], signal))[0];
}

export async function fetchMaintenanceCalendar(
  from: number,
  until: number,
  signal?: AbortSignal,
): Promise<MaintenanceCalendar> {
  const path = `/api/v1/maintenance/calendar?from=${from}&until=${until}`;
  return checked("calendar", await http(path, { signal }), calendar);
}

export async function createMaintenance(draft: MaintenanceDraft): Promise<Id> {
  const ids = await call("maintenance.create", draft, schema.createdIds("maintenanceids"));
  return ids[0] ?? "";
}

export async function updateMaintenance(
  maintenanceid: Id,
  draft: Partial<MaintenanceDraft>,
): Promise<void> {
  await call("maintenance.update", { maintenanceid, ...draft }, schema.changed);
}

export async function deleteMaintenances(ids: readonly Id[]): Promise<void> {
  await call("maintenance.delete", ids, schema.changed);
}
