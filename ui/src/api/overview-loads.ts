// Host groups and hosts with problems, counted by the server: the first of each, the worst first.

import * as z from "zod/mini";
import { checked } from "./checked";
import { http } from "./http";
import type * as schema from "./schema";

const number = z.number();
/** How many problems of each severity, not classified first. */
const counts = z.array(number);

const loads = z.object({
  hosts_total: number,
  groups_total: number,
  hosts: z.array(
    z.object({
      hostid: z.string(),
      host: z.string(),
      counts,
      unacknowledged: number,
      /** beginning of the oldest one, seconds since the epoch */
      since: number,
    }),
  ),
  groups: z.array(
    z.object({
      groupid: z.string(),
      name: z.string(),
      counts,
      /** hosts of the group with problems, and all */
      hosts: number,
      hosts_total: number,
    }),
  ),
});

export type Loads = schema.Read<typeof loads>;
export type HostLoad = Loads["hosts"][number];
export type GroupLoad = Loads["groups"][number];
export type SeverityCounts = readonly number[];

export async function fetchLoads(signal?: AbortSignal): Promise<Loads> {
  return checked("loads", await http("/api/v1/overview/loads", { signal }), loads);
}
