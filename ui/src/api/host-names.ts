// Names of hosts, for fields and the palette that choose one of many.

import * as z from "zod/mini";
import { checked } from "./checked";
import { http } from "./http";
import type { Id } from "./types";

const hostNames = z.object({ hosts: z.array(z.object({ hostid: z.string(), name: z.string() })) });
export type HostName = z.infer<typeof hostNames>["hosts"][number];

async function fetchNames(params: string, signal?: AbortSignal): Promise<readonly HostName[]> {
  const answer = await http(`/api/v1/hosts/names?${params}`, { signal });
  return checked("names of hosts", answer, hostNames).hosts;
}

/** Hosts with these words in their names, the best first. */
export async function searchHostNames(
  text: string,
  limit: number,
  signal?: AbortSignal,
): Promise<readonly HostName[]> {
  return fetchNames(String(new URLSearchParams({ q: text.trim(), limit: String(limit) })), signal);
}

export async function fetchHostNames(
  hostids: readonly Id[],
  signal?: AbortSignal,
): Promise<readonly HostName[]> {
  if (hostids.length === 0) return [];
  return fetchNames(`hostids=${hostids.join(",")}&limit=${hostids.length}`, signal);
}
