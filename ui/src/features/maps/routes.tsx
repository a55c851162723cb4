import { useNavigate, useParams, useRouteContext, useSearch } from "@tanstack/react-router";
import { SUPER_ADMIN } from "@/lib/user-type";
import { MapEditorPage } from "./editor-page";
import { MapPage } from "./map-page";
import { MapsPage } from "./maps-page";

export function MapsRoute() {
  const { q = "" } = useSearch({ from: "/shell/maps" });
  const { user } = useRouteContext({ from: "/shell" });
  const navigate = useNavigate();
  return (
    <MapsPage
      text={q}
      onText={(text) =>
        void navigate({ to: "/maps", search: text === "" ? {} : { q: text }, replace: true })
      }
      isSuperAdmin={user.type >= SUPER_ADMIN}
    />
  );
}

export function MapRoute() {
  const { sysmapid } = useParams({ from: "/shell/maps/$sysmapid" });
  const { sev } = useSearch({ from: "/shell/maps/$sysmapid" });
  const navigate = useNavigate();
  return (
    <MapPage
      sysmapid={sysmapid}
      severityMin={sev === undefined ? undefined : Number(sev)}
      onSeverityMin={(severity) =>
        void navigate({
          to: "/maps/$sysmapid",
          params: { sysmapid },
          search: severity === undefined ? {} : { sev: String(severity) },
          replace: true,
        })
      }
    />
  );
}

export function MapEditorRoute() {
  const { sysmapid } = useParams({ from: "/shell/maps/$sysmapid/edit" });
  const navigate = useNavigate();
  const done = () =>
    void (sysmapid === "new"
      ? navigate({ to: "/maps", ignoreBlocker: true })
      : navigate({ to: "/maps/$sysmapid", params: { sysmapid }, ignoreBlocker: true }));
  return <MapEditorPage key={sysmapid} sysmapid={sysmapid} onDone={done} />;
}
