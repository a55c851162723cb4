// The frame of all pages: the root, the login page, and the frame of a signed-in user.

import { createRootRouteWithContext, createRoute, Outlet, redirect } from "@tanstack/react-router";
import { pickSearch } from "@/lib/address";
import { Notices } from "@/ui/notices";
import { LoginRoute } from "./login-route";
import { firstPage } from "./pages";
import { currentSession, type RouterContext } from "./session";
import { Shell } from "./shell";

function Root() {
  return (
    <>
      <Outlet />
      {/* within the router: what they say may lead somewhere */}
      <Notices />
    </>
  );
}

export const root = createRootRouteWithContext<RouterContext>()({ component: Root });

export const login = createRoute({
  getParentRoute: () => root,
  path: "/login",
  validateSearch: (search) => pickSearch(search, ["to"]),
  component: LoginRoute,
});

export const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  beforeLoad: async ({ context, location }) => {
    const user = await currentSession(context.queryClient);
    if (user === null) throw redirect({ to: "/login", search: { to: location.href } });
    // a user without the overview begins elsewhere
    const first = firstPage(user);
    if (location.pathname === "/" && first !== undefined) throw redirect({ to: first as never });
    return { user };
  },
  component: Shell,
});
