import { useNavigate, useRouteContext } from "@tanstack/react-router";
import { MediaPage } from "./media-page";

export function MediaRoute() {
  const { user } = useRouteContext({ from: "/shell" });
  const navigate = useNavigate();
  return (
    <MediaPage
      userid={user.userid}
      onDone={() => void navigate({ to: "/", ignoreBlocker: true })}
    />
  );
}
