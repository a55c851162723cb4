import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";
import { keys } from "@/api/query-keys";
import { logout } from "@/api/session";
import { stream } from "@/api/stream";

/** Ends the session and leads to the login; `lost` says there that it ended by itself. */
export function useSignOut(): (lost: boolean) => Promise<void> {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useCallback(
    async (lost) => {
      // the cookie may be gone already; one leaves in any case
      await logout().catch(() => undefined);
      stream.stop();
      client.clear();
      client.setQueryData(keys.session, null);
      const search = lost ? { lost: "1" } : {};
      await navigate({ to: "/login", search, ignoreBlocker: true });
    },
    [client, navigate],
  );
}
