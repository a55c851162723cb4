// Host groups and hosts with problems, counted by the server: the first of each, the worst first.

import * as z from "zod/mini";
import { checked } from "./checked";
import { http } from "./http";
import type { Id } from "./types";

/** How many problems of each severity, not classified first. */
export type SeverityCounts = readonly number[];

export interface HostLoad {
  readonly hostid: Id;
  readonly host: string;
  readonly counts: SeverityCounts;
  readonly unacknowledged: number;
  /** beginning of the oldest one, seconds since the epoch */
  readonly since: number;
}

export interface GroupLoad {
  readonly groupid: Id;
  readonly name: string;
  readonly counts: SeverityCounts;
  /** hosts of the group with problems, and all */
  readonly hosts: number;
  readonly hosts_total: number;
}

export interface Loads {
  readonly hosts_total: number;
  readonly groups_total: number;
  readonly hosts: readonly HostLoad[];
  readonly groups: readonly GroupLoad[];
}

const number = z.number();
const counts = z.array(number);
const loads: z.ZodMiniType<Loads> = z.object({
  hosts_total: number,
  groups_total: number,
  hosts: z.array(
    z.object({
      hostid: z.string(),
      host: z.string(),
      counts,
      unacknowledged: number,
      since: number,
    }),
  ),
  groups: z.array(
    z.object({
      groupid: z.string(),
      name: z.string(),
      counts,
      hosts: number,
      hosts_total: number,
    }),
  ),
});

export async function fetchLoads(signal?: AbortSignal): Promise<Loads> {
  return checked("loads", await http("/api/v1/overview/loads", { signal }), loads);
}
