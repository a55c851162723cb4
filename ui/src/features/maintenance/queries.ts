import { useQuery } from "@tanstack/react-query";
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
import type { ObjectCalls } from "@/widgets/objects/calls";

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

export const MAINTENANCES: ObjectCalls<MaintenanceDraft> = {
  object: "maintenance",
  words: {
    one: t("Maintenance"),
    create: t("New maintenance"),
    remove: t("Delete maintenance"),
    loss: t("The problems that it suppresses are shown again."),
    absent: t("There is no such maintenance."),
    saved: t("Maintenance saved"),
    notRemoved: t("The maintenance could not be deleted."),
  },
  change: "maintenance",
  create: createMaintenance,
  update: updateMaintenance,
  remove: deleteMaintenances,
};
