// The addresses of the pages. A page loads when it is first opened.

import type { QueryClient } from "@tanstack/react-query";
import { createRoute, createRouter } from "@tanstack/react-router";
import { parseSearch, stringifySearch } from "@/lib/address";
import { t } from "@/lib/i18n";
import { NotFound } from "@/ui/not-found";
import { FailedState, LoadingState } from "@/ui/states";
import { login, root, shell } from "./root-tree";
import { hostTree, pageRoutes, templateTree } from "./routes";

// any other address: a page within the frame, so that there is a way on
const unknown = createRoute({
  getParentRoute: () => shell,
  path: "$",
  component: () => <NotFound title={t("There is no such page.")} />,
});

const routeTree = root.addChildren([
  login,
  shell.addChildren([...pageRoutes, hostTree, templateTree, unknown]),
]);

export function makeRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    context: { queryClient },
    parseSearch,
    stringifySearch,
    defaultPreload: "intent",
    defaultPendingComponent: LoadingState,
    defaultErrorComponent: ({ error, reset }) => <FailedState error={error} onRetry={reset} />,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
