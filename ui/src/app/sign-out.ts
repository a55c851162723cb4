import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";
import { keys } from "@/api/query-keys";
import { logout } from "@/api/session";
import { stream } from "@/api/stream";
import { lostSession } from "./lost-session";

/** Ends the session and leads to the login. */
export function useSignOut(): () => Promise<void> {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useCallback(async () => {
    lostSession.leave();
    // the cookie may be gone already; one leaves in any case
    await logout().catch(() => undefined);
    stream.stop();
    client.clear();
    client.setQueryData(keys.session, null);
    // what was asked meanwhile found no session
    lostSession.end(false);
    await navigate({ to: "/login", ignoreBlocker: true });
  }, [client, navigate]);
}

/** Ends the session because the user is away: the page is covered until the user enters the password. */
export async function lockPage(): Promise<void> {
  if (lostSession.getState() === "hidden") return;
  void lostSession.ask(true);
  stream.stop();
  // one that cannot be ended now is ended by the server, which counts as well
  await logout().catch(() => undefined);
}
