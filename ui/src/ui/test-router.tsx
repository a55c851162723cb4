// A router for tests: `children` at `/`, and a second page to navigate to.

import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Link,
  Outlet,
  RouterProvider,
} from "@tanstack/react-router";
import { type ReactNode, useState } from "react";

export function TestRouter({ children }: { readonly children: ReactNode }) {
  const [router] = useState(() => {
    const root = createRootRoute({ component: Outlet });
    const here = createRoute({ getParentRoute: () => root, path: "/", component: () => children });
    const there = createRoute({
      getParentRoute: () => root,
      path: "/elsewhere",
      component: () => <h1>Elsewhere</h1>,
    });
    return createRouter({
      routeTree: root.addChildren([here, there]),
      history: createMemoryHistory({ initialEntries: ["/"] }),
    });
  });
  return <RouterProvider router={router as never} />;
}

export function Elsewhere({ done = false }: { readonly done?: boolean }) {
  return (
    <Link to={"/elsewhere" as never} ignoreBlocker={done}>
      {done ? "Done" : "Leave"}
    </Link>
  );
}
