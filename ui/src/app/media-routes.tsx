import { useNavigate, useParams, useRouteContext, useSearch } from "@tanstack/react-router";
import { AlertsPage } from "@/features/alerts/alerts-page";
import { MediaPage } from "@/features/media/media-page";
import { MediaTypePage } from "@/features/mediatypes/mediatype-page";
import { MediaTypesPage } from "@/features/mediatypes/mediatypes-page";

export function MediaTypesRoute() {
  const { q = "" } = useSearch({ from: "/shell/mediatypes" });
  const navigate = useNavigate();
  return (
    <MediaTypesPage
      text={q}
      onText={(text) =>
        void navigate({ to: "/mediatypes", search: text === "" ? {} : { q: text }, replace: true })
      }
    />
  );
}

export function MediaTypeRoute() {
  const { mediatypeid } = useParams({ from: "/shell/mediatypes/$mediatypeid" });
  const navigate = useNavigate();
  return (
    <MediaTypePage
      mediatypeid={mediatypeid}
      onDone={() => void navigate({ to: "/mediatypes", ignoreBlocker: true })}
    />
  );
}

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

export function AlertsRoute() {
  const { digest } = useSearch({ from: "/shell/alerts" });
  return <AlertsPage digestid={digest} />;
}
