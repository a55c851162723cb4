// Maintenances, and when they are in effect, by the server's rules and clock.

import * as z from "zod/mini";
import { checked } from "./checked";
import { MAINTENANCE } from "./generated/maintenance";
import { http } from "./http";
import { type AnswerOf, type DraftOf, objectsOf } from "./objects";
import type { Id } from "./types";

export const MAINTENANCES = objectsOf(MAINTENANCE, {
  selects: {
    hosts: ["hostid", "name"],
    hostgroups: ["groupid", "name"],
    tags: "extend",
    timeperiods: "extend",
  },
});

export type Maintenance = AnswerOf<typeof MAINTENANCES>;
export type MaintenanceTag = Maintenance["tags"][number];
/** As the server returns it: fields of other kinds of period have their defaults. */
export type TimePeriod = Maintenance["timeperiods"][number];
export type MaintenanceDraft = DraftOf<"maintenance">;

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

const calendar: z.ZodMiniType<MaintenanceCalendar> = z.object({
  from: z.number(),
  until: z.number(),
  complete: z.boolean(),
  maintenances: z.array(
    z.object({ maintenanceid: z.string(), periods: z.array(z.array(z.number())) }),
  ),
});

export async function fetchMaintenanceCalendar(
  from: number,
  until: number,
  signal?: AbortSignal,
): Promise<MaintenanceCalendar> {
  const path = `/api/v1/maintenance/calendar?from=${from}&until=${until}`;
  return checked("calendar", await http(path, { signal }), calendar);
}
