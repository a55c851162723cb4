import { useQuery } from "@tanstack/react-query";
import { fetchMaintenanceCalendar, MAINTENANCES as OBJECTS } from "@/api/maintenance";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { callsOf } from "@/widgets/objects/calls";
import { useObject, useObjects } from "@/widgets/objects/queries";

// the server looks at its clock each minute
const REFRESH_MS = 60_000;

export const useMaintenances = () => useObjects(OBJECTS, { refetchInterval: REFRESH_MS });

export const useMaintenance = (id: Id) => useObject(OBJECTS, id);

export function useMaintenanceCalendar(from: number, until: number) {
  return useQuery({
    queryKey: keys.maintenanceCalendar(from, until),
    queryFn: ({ signal }) => fetchMaintenanceCalendar(from, until, signal),
    refetchInterval: REFRESH_MS,
  });
}

export const MAINTENANCES = callsOf(OBJECTS, {
  one: t("Maintenance"),
  create: t("New maintenance"),
  remove: t("Delete maintenance"),
  loss: t("The problems that it suppresses are shown again."),
  absent: t("There is no such maintenance."),
  saved: t("Maintenance saved"),
  notRemoved: t("The maintenance could not be deleted."),
});
