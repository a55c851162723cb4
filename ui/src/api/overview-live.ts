// The overview: the stream publishes all of it, then differences; it is fetched until the stream is connected.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { isRecord } from "@/lib/columns";
import { decodeOverview, fetchOverview } from "./native";
import { keys } from "./query-keys";
import { type StreamMessage, stream } from "./stream";
import type { Overview } from "./types";

const POLL_MS = 15_000;

/** The overview after a message of the stream; undefined if the message has no overview. */
export function nextOverview(
  before: Overview | undefined,
  message: StreamMessage,
): Overview | undefined {
  const { changed } = message;
  if (changed === undefined) return decodeOverview(message);
  if (before === undefined || !isRecord(changed)) return undefined;
  const { system, nvps, ...lists } = changed;
  const { worst_problems: worst, ...rest } = before;
  const next = decodeOverview({
    ...rest,
    ...lists,
    system: isRecord(system) ? { ...before.system, ...system } : before.system,
    nvps: isRecord(nvps) ? laterPoints(before.nvps, nvps) : before.nvps,
  });
  return "worst_problems" in lists ? next : { ...next, worst_problems: worst };
}

/** New points after the known ones; known points before `from` are dropped. */
function laterPoints(before: Overview["nvps"], changes: Record<string, unknown>): unknown {
  const from = Number(changes["from"] ?? 0);
  const kept = before.t.findIndex((it) => it >= from);
  const first = kept < 0 ? before.t.length : kept;
  const list = (it: unknown) => (Array.isArray(it) ? it : []);
  return {
    t: [...before.t.slice(first), ...list(changes["t"])],
    v: [...before.v.slice(first), ...list(changes["v"])],
  };
}

export function useOverview() {
  const client = useQueryClient();
  const isLive = useSyncExternalStore((listener) => stream.onState(listener), stream.isLive);
  useEffect(() => {
    // differences refer to the overview that the stream published, not to the fetched one
    let received: Overview | undefined;
    const stops = [
      stream.want({ overview: true }),
      stream.onMessage((message) => {
        if (message.type !== "overview") return;
        try {
          received = nextOverview(received, message);
        } catch {
          // a message of another version: the next connection brings all of it
          received = undefined;
        }
        if (received !== undefined) client.setQueryData(keys.overview, received);
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [client]);
  return useQuery({
    queryKey: keys.overview,
    queryFn: ({ signal }) => fetchOverview(signal),
    enabled: !isLive,
    refetchInterval: POLL_MS,
  });
}
