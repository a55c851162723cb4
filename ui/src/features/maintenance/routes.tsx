import { useNavigate, useParams, useRouteContext, useSearch } from "@tanstack/react-router";
import { browserZone } from "@/lib/zone";
import { MaintenancePage } from "./maintenance-page";
import { MaintenancesPage } from "./maintenances-page";

export function MaintenancesRoute() {
  const { q = "", state = "" } = useSearch({ from: "/shell/maintenance" });
  const navigate = useNavigate();
  return (
    <MaintenancesPage
      text={q}
      state={state}
      onSearch={(text, next) =>
        void navigate({
          to: "/maintenance",
          search: { ...(text === "" ? {} : { q: text }), ...(next === "" ? {} : { state: next }) },
          replace: true,
        })
      }
    />
  );
}

export function MaintenanceRoute() {
  const { maintenanceid } = useParams({ from: "/shell/maintenance/$maintenanceid" });
  const { user } = useRouteContext({ from: "/shell" });
  const navigate = useNavigate();
  return (
    <MaintenancePage
      maintenanceid={maintenanceid}
      serverZone={user.serverZone ?? browserZone()}
      onDone={() => void navigate({ to: "/maintenance", ignoreBlocker: true })}
    />
  );
}
