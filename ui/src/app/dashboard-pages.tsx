import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { lazy, type ReactNode, useCallback } from "react";
import { DashboardPage } from "@/features/dashboards/dashboard-page";
import { EditDashboardPage } from "@/features/dashboards/edit-page";
import {
  type HostBoardSearch,
  HostDashboardsPage,
} from "@/features/dashboards/host-dashboards-page";
import { MapDrawing } from "@/features/dashboards/map-drawing";
import type { BoardSearch } from "@/features/dashboards/search";
import {
  EditTemplateDashboardPage,
  TemplateDashboardsPage,
} from "@/features/dashboards/template-dashboards-page";

const BoardMap = lazy(async () => ({
  default: (await import("@/features/maps/board-map")).BoardMap,
}));

/** Widgets with maps draw them. */
function WithMaps({ children }: { readonly children: ReactNode }) {
  return <MapDrawing value={BoardMap}>{children}</MapDrawing>;
}

export function DashboardRoute() {
  const { dashboardid } = useParams({ from: "/shell/dashboards/$dashboardid" });
  const search = useSearch({ from: "/shell/dashboards/$dashboardid" });
  const navigate = useNavigate();
  const onSearch = useCallback(
    (next: BoardSearch) =>
      void navigate({
        to: "/dashboards/$dashboardid",
        params: { dashboardid },
        search: next,
        replace: true,
      }),
    [navigate, dashboardid],
  );
  return (
    <WithMaps>
      <DashboardPage dashboardid={dashboardid} search={search} onSearch={onSearch} />
    </WithMaps>
  );
}

export function DashboardEditRoute() {
  const { dashboardid } = useParams({ from: "/shell/dashboards/$dashboardid/edit" });
  const { copy, page } = useSearch({ from: "/shell/dashboards/$dashboardid/edit" });
  const navigate = useNavigate();
  return (
    <WithMaps>
      <EditDashboardPage
        key={`${dashboardid} ${copy ?? ""}`}
        dashboardid={dashboardid}
        copy={copy}
        page={Math.max(0, Number(page ?? "1") - 1) || 0}
        onDone={(id) =>
          void (id === undefined
            ? navigate({ to: "/dashboards", ignoreBlocker: true })
            : navigate({
                to: "/dashboards/$dashboardid",
                params: { dashboardid: id },
                ignoreBlocker: true,
              }))
        }
      />
    </WithMaps>
  );
}

export function HostDashboardsRoute() {
  const { hostid } = useParams({ from: "/shell/hosts/$hostid/dashboards" });
  const search = useSearch({ from: "/shell/hosts/$hostid/dashboards" });
  const navigate = useNavigate();
  const onSearch = useCallback(
    (next: HostBoardSearch) =>
      void navigate({
        to: "/hosts/$hostid/dashboards",
        params: { hostid },
        search: next,
        replace: true,
      }),
    [navigate, hostid],
  );
  return (
    <WithMaps>
      <HostDashboardsPage key={hostid} hostid={hostid} search={search} onSearch={onSearch} />
    </WithMaps>
  );
}

export function TemplateDashboardsRoute() {
  const { templateid } = useParams({ from: "/shell/templates/$templateid/dashboards" });
  return <TemplateDashboardsPage key={templateid} templateid={templateid} />;
}

export function TemplateDashboardRoute() {
  const from = "/shell/templates/$templateid/dashboards/$dashboardid";
  const { templateid, dashboardid } = useParams({ from });
  const { copy } = useSearch({ from });
  const navigate = useNavigate();
  return (
    <WithMaps>
      <EditTemplateDashboardPage
        key={`${dashboardid} ${copy ?? ""}`}
        templateid={templateid}
        dashboardid={dashboardid}
        copy={copy}
        onDone={() =>
          void navigate({
            to: "/templates/$templateid/dashboards",
            params: { templateid },
            ignoreBlocker: true,
          })
        }
      />
    </WithMaps>
  );
}
