import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { changed } from "@/api/changes";
import {
  DASHBOARDS,
  type DashboardContent,
  type DashboardDraft,
  fetchDashboards,
  fetchHostDashboard,
  fetchHostDashboards,
  fetchTemplateDashboards,
  mayChangeDashboard,
  TEMPLATE_DASHBOARDS,
} from "@/api/dashboards";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { notifyDone, notifyFailed } from "@/ui/notify";

export function useDashboards() {
  return useQuery({
    queryKey: keys.dashboardList,
    queryFn: ({ signal }) => fetchDashboards(signal),
  });
}

export function useDashboard(id: Id | undefined) {
  return useQuery({
    queryKey: keys.dashboard(id ?? ""),
    queryFn: async ({ signal }) => (await DASHBOARDS.one(id ?? "", signal)) ?? null,
    enabled: id !== undefined,
  });
}

export function useMayChange(id: Id) {
  return useQuery({
    queryKey: keys.mayChangeDashboard(id),
    queryFn: ({ signal }) => mayChangeDashboard(id, signal),
  });
}

export function useHostDashboards(hostid: Id) {
  return useQuery({
    queryKey: keys.dashboardsOfHost(hostid),
    queryFn: ({ signal }) => fetchHostDashboards(hostid, signal),
  });
}

export function useHostDashboard(hostid: Id, id: Id | undefined) {
  return useQuery({
    queryKey: keys.dashboardOfHost(hostid, id ?? ""),
    queryFn: ({ signal }) => fetchHostDashboard(hostid, id ?? "", signal),
    enabled: id !== undefined,
  });
}

export function useTemplateDashboards(templateid: Id) {
  return useQuery({
    queryKey: keys.dashboardsOfTemplate(templateid),
    queryFn: ({ signal }) => fetchTemplateDashboards(templateid, signal),
  });
}

export function useTemplateDashboard(id: Id | undefined) {
  return useQuery({
    queryKey: keys.templateDashboard(id ?? ""),
    queryFn: async ({ signal }) => (await TEMPLATE_DASHBOARDS.one(id ?? "", signal)) ?? null,
    enabled: id !== undefined && id !== "",
  });
}

type Saved<D> =
  /** a new one */
  { readonly id: undefined; readonly draft: D } | { readonly id: Id; readonly draft: Partial<D> };

/** `onDone` gets the id that it has now. */
export function useSaveDashboard(onDone: (id: Id) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (saved: Saved<DashboardDraft>) => {
      if (saved.id === undefined) return DASHBOARDS.create(saved.draft);
      await DASHBOARDS.update(saved.id, saved.draft);
      return saved.id;
    },
    onSuccess: async (id) => {
      notifyDone(t("Dashboard saved"));
      await changed(client, "dashboard");
      onDone(id);
    },
    onError: (error) => notifyFailed(t("The dashboard could not be saved."), error),
  });
}

export function useSaveTemplateDashboard(templateid: Id, onDone: (id: Id) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (saved: Saved<DashboardContent>) => {
      if (saved.id === undefined) return TEMPLATE_DASHBOARDS.create({ templateid, ...saved.draft });
      await TEMPLATE_DASHBOARDS.update(saved.id, saved.draft);
      return saved.id;
    },
    onSuccess: async (id) => {
      notifyDone(t("Dashboard saved"));
      await changed(client, "dashboard");
      onDone(id);
    },
    onError: (error) => notifyFailed(t("The dashboard could not be saved."), error),
  });
}

export function useDeleteDashboards(kind: "users" | "templates", onDone: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (ids: readonly Id[]) =>
      kind === "users" ? DASHBOARDS.remove(ids) : TEMPLATE_DASHBOARDS.remove(ids),
    onSuccess: async () => {
      notifyDone(t("Deleted"));
      await changed(client, "dashboard");
      onDone();
    },
    onError: (error) => notifyFailed(t("The dashboard could not be deleted."), error),
  });
}
