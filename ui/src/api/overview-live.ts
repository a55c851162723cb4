// The overview: the stream tells it whole and then what is different; fetched until the stream is there.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { isRecord } from "@/lib/columns";
import { decodeOverview, fetchOverview } from "./native";
import { keys } from "./query-keys";
import { type StreamMessage, stream } from "./stream";
import type { Overview } from "./types";

const POLL_MS = 15_000;

/** What a message of the stream makes of the overview before; undefined where it tells nothing. */
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

/** New points behind the known ones, of which those before `from` are over. */
function laterPoints(before: Overview["nvps"], news: Record<string, unknown>): unknown {
  const from = Number(news["from"] ?? 0);
  const kept = before.t.findIndex((it) => it >= from);
  const first = kept < 0 ? before.t.length : kept;
  const list = (it: unknown) => (Array.isArray(it) ? it : []);
  return {
    t: [...before.t.slice(first), ...list(news["t"])],
    v: [...before.v.slice(first), ...list(news["v"])],
  };
}

export function useOverview() {
  const client = useQueryClient();
  const isLive = useSyncExternalStore((listener) => stream.onState(listener), stream.isLive);
  useEffect(() => {
    // what is different is so from what the stream told, not from what was fetched
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
