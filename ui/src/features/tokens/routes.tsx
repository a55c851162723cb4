import { useNavigate, useParams, useRouteContext } from "@tanstack/react-router";
import { SUPER_ADMIN } from "@/lib/user-type";
import { TokenPage } from "./token-page";

export function TokenRoute() {
  const { tokenid } = useParams({ from: "/shell/tokens/$tokenid" });
  const { user } = useRouteContext({ from: "/shell" });
  const navigate = useNavigate();
  return (
    <TokenPage
      tokenid={tokenid}
      self={user.userid}
      forOthers={user.type === SUPER_ADMIN}
      onDone={() => void navigate({ to: "/tokens", ignoreBlocker: true })}
    />
  );
}
