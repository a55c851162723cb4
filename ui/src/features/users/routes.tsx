import { useNavigate, useParams, useRouteContext } from "@tanstack/react-router";
import { UserPage } from "./user-page";

export function UserRoute() {
  const { userid } = useParams({ from: "/shell/users/$userid" });
  const { user } = useRouteContext({ from: "/shell" });
  const navigate = useNavigate();
  return (
    <UserPage
      userid={userid}
      self={user.userid}
      onDone={() => void navigate({ to: "/users", ignoreBlocker: true })}
    />
  );
}
