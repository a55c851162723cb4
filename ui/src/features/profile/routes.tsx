import { useNavigate, useRouteContext } from "@tanstack/react-router";
import { ProfilePage } from "./profile-page";

export function ProfileRoute() {
  const { user } = useRouteContext({ from: "/shell" });
  const navigate = useNavigate();
  return (
    <ProfilePage
      userid={user.userid}
      onDone={() => void navigate({ to: "/", ignoreBlocker: true })}
    />
  );
}
