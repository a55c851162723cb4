import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { changed } from "@/api/changes";
import {
  createMaintenance,
  deleteMaintenances,
  fetchMaintenance,
  fetchMaintenanceCalendar,
  fetchMaintenances,
  type MaintenanceDraft,
  updateMaintenance,
} from "@/api/maintenance";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { notifyDone, notifyFailed } from "@/ui/notify";

// the server looks at its clock each minute
const REFRESH_MS = 60_000;

export function useMaintenances() {
  return useQuery({
    queryKey: keys.maintenanceList,
    queryFn: ({ signal }) => fetchMaintenances(signal),
    refetchInterval: REFRESH_MS,
  });
}

export function useMaintenance(id: Id | "new") {
  return useQuery({
    queryKey: keys.maintenance(id),
    queryFn: async ({ signal }) => (await fetchMaintenance(id, signal)) ?? null,
    enabled: id !== "new",
  });
}

export function useMaintenanceCalendar(from: number, until: number) {
  return useQuery({
    queryKey: keys.maintenanceCalendar(from, until),
    queryFn: ({ signal }) => fetchMaintenanceCalendar(from, until, signal),
    refetchInterval: REFRESH_MS,
  });
}

export function useMaintenanceMutations(onDone: () => void) {
  const client = useQueryClient();
  const done = (message: string) => {
    notifyDone(message);
    void changed(client, "maintenance");
    onDone();
  };
  const save = useMutation({
    mutationFn: (change: { id: Id | undefined; draft: MaintenanceDraft }): Promise<unknown> =>
      change.id === undefined
        ? createMaintenance(change.draft)
        : updateMaintenance(change.id, change.draft),
    onSuccess: () => done(t("Maintenance saved")),
  });
  const remove = useMutation({
    mutationFn: (ids: readonly Id[]) => deleteMaintenances(ids),
    onSuccess: () => done(t("Deleted")),
    onError: (error) => notifyFailed(t("The maintenance could not be deleted."), error),
  });
  return { save, remove };
}
