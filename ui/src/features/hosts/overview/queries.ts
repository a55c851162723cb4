import { useQuery } from "@tanstack/react-query";
import { fetchHostEvents } from "@/api/events";
import { fetchWatchingTriggers } from "@/api/graph-marks";
import { fetchDiscovered, fetchHostProblems, fetchHostState } from "@/api/host-overview";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";

const REFRESH_MS = 15_000;
// discovery is rare
const DISCOVERED_MS = 60_000;
export const PROBLEMS_SHOWN = 100;
const EVENTS_SHOWN = 30;

export function useHostState(hostid: Id) {
  return useQuery({
    queryKey: keys.hostState(hostid),
    queryFn: async ({ signal }) => (await fetchHostState(hostid, signal)) ?? null,
    refetchInterval: REFRESH_MS,
  });
}

export function useHostProblems(hostid: Id) {
  return useQuery({
    queryKey: keys.hostProblems(hostid),
    queryFn: ({ signal }) => fetchHostProblems(hostid, PROBLEMS_SHOWN, signal),
    refetchInterval: REFRESH_MS,
  });
}

export function useHostEvents(hostid: Id) {
  return useQuery({
    queryKey: keys.hostEvents(hostid),
    queryFn: ({ signal }) => fetchHostEvents(hostid, EVENTS_SHOWN, signal),
    refetchInterval: REFRESH_MS,
  });
}

export function useHostTriggers(hostid: Id) {
  return useQuery({
    queryKey: keys.hostTriggers(hostid),
    queryFn: ({ signal }) => fetchWatchingTriggers({ hostids: [hostid] }, signal),
    refetchInterval: REFRESH_MS,
  });
}

export function useDiscovered(hostid: Id) {
  return useQuery({
    queryKey: keys.hostDiscovered(hostid),
    queryFn: ({ signal }) => fetchDiscovered(hostid, signal),
    refetchInterval: DISCOVERED_MS,
  });
}
