import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { keys } from "@/api/query-keys";
import { fetchSession } from "@/api/session";

const SESSION_STALE_MS = 60_000;

export const sessionQuery = queryOptions({
  queryKey: keys.session,
  queryFn: async () => (await fetchSession()) ?? null,
  staleTime: SESSION_STALE_MS,
});

/** The session as it is known; asked again only after something changed it, not on the way to each page. */
export function currentSession(client: QueryClient) {
  const isChanged = client.getQueryState(keys.session)?.isInvalidated === true;
  return isChanged ? client.fetchQuery(sessionQuery) : client.ensureQueryData(sessionQuery);
}

export interface RouterContext {
  readonly queryClient: QueryClient;
}
