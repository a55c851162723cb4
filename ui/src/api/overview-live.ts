// The overview: fetched once, then kept by the stream; polled where the stream is silent.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { decodeOverview, fetchOverview } from "./native";
import { keys } from "./query-keys";
import { stream } from "./stream";

const POLL_MS = 15_000;

export function useOverview() {
  const client = useQueryClient();
  useEffect(() => {
    const stops = [
      stream.want({ overview: true }),
      stream.onOpen(() => void client.invalidateQueries({ queryKey: keys.overview })),
      stream.onMessage((message) => {
        if (message.type !== "overview") return;
        try {
          client.setQueryData(keys.overview, decodeOverview(message));
        } catch {
          // a message of another version: the poll below goes on
        }
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [client]);
  return useQuery({
    queryKey: keys.overview,
    queryFn: ({ signal }) => fetchOverview(signal),
    refetchInterval: POLL_MS,
  });
}
