import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { ApiError, setSessionLostHandler } from "@/api/http";
import { keys } from "@/api/query-keys";
import type { SessionUser } from "@/api/types";
import { theme } from "@/ui/theme";
import { lostSession } from "./lost-session";
import { makeRouter } from "./router";

const RETRIES_MAX = 2;

const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5000,
      // what was refused is refused again; a server that starts up answers soon
      retry: (failures, error) =>
        failures < RETRIES_MAX &&
        error instanceof ApiError &&
        (error.kind === "network" || error.kind === "server"),
    },
  },
});

const router = makeRouter(queryClient);

setSessionLostHandler(async () => {
  const { pathname, href } = router.state.location;
  if (pathname === "/login") return false;
  const isOpen = queryClient.getQueryData<SessionUser | null>(keys.session) ?? null;
  if (isOpen !== null) return lostSession.ask();
  // no user is signed in: nothing is open that could be lost
  void router.navigate({ to: "/login", search: { to: href }, ignoreBlocker: true });
  return false;
});

/** What is known of the session when the pages begin; undefined: nothing. */
export function begin(session: SessionUser | null | undefined): void {
  if (session !== undefined) queryClient.setQueryData(keys.session, session);
}

export function App() {
  return (
    // Mantine would inject style elements for these; ours are static (see tokens.css)
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  );
}
