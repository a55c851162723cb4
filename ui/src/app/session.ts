import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { fetchSession } from "@/api/native";
import { keys } from "@/api/query-keys";

const SESSION_STALE_MS = 60_000;

export const sessionQuery = queryOptions({
  queryKey: keys.session,
  queryFn: async () => (await fetchSession()) ?? null,
  staleTime: SESSION_STALE_MS,
});

export interface RouterContext {
  readonly queryClient: QueryClient;
}
