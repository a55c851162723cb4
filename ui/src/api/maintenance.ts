// Maintenances, and when they are in effect, by the server's rules and clock.

import * as z from "zod/mini";
import { checked } from "./checked";
import { MAINTENANCE } from "./generated/maintenance";
import { http } from "./http";
import { type AnswerOf, type DraftOf, objectsOf } from "./objects";
import type * as schema from "./schema";

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

const calendar = z.object({
  from: z.number(),
  until: z.number(),
  /** false: there were too many periods to list all */
  complete: z.boolean(),
  maintenances: z.array(
    z.object({
      maintenanceid: z.string(),
      /** begin and end in seconds since 1970, ascending */
      periods: z.array(z.array(z.number())),
    }),
  ),
});

export type MaintenanceCalendar = schema.Read<typeof calendar>;
export type InEffect = MaintenanceCalendar["maintenances"][number];

export async function fetchMaintenanceCalendar(
  from: number,
  until: number,
  signal?: AbortSignal,
): Promise<MaintenanceCalendar> {
  const path = `/api/v1/maintenance/calendar?from=${from}&until=${until}`;
  return checked("calendar", await http(path, { signal }), calendar);
}
