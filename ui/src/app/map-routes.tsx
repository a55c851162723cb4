import { useNavigate, useParams, useRouteContext, useSearch } from "@tanstack/react-router";
import { MapEditorPage } from "@/features/maps/editor-page";
import { IconMapPage } from "@/features/maps/icon-map-page";
import { IconMapsPage } from "@/features/maps/icon-maps-page";
import { ImagesPage } from "@/features/maps/images-page";
import { MapPage } from "@/features/maps/map-page";
import { MapsPage } from "@/features/maps/maps-page";

const SUPER_ADMIN = 3;

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

export function ImagesRoute() {
  const { q = "" } = useSearch({ from: "/shell/images" });
  const navigate = useNavigate();
  return (
    <ImagesPage
      text={q}
      onText={(text) =>
        void navigate({ to: "/images", search: text === "" ? {} : { q: text }, replace: true })
      }
    />
  );
}

export function IconMapsRoute() {
  const { q = "" } = useSearch({ from: "/shell/iconmaps" });
  const navigate = useNavigate();
  return (
    <IconMapsPage
      text={q}
      onText={(text) =>
        void navigate({ to: "/iconmaps", search: text === "" ? {} : { q: text }, replace: true })
      }
    />
  );
}

export function IconMapRoute() {
  const { iconmapid } = useParams({ from: "/shell/iconmaps/$iconmapid" });
  const navigate = useNavigate();
  return (
    <IconMapPage
      iconmapid={iconmapid}
      onDone={() => void navigate({ to: "/iconmaps", ignoreBlocker: true })}
    />
  );
}
