import { useQuery } from "@tanstack/react-query";
import { keys } from "@/api/query-keys";
import { fetchServices, SERVICES as OBJECTS } from "@/api/services";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { callsOf } from "@/widgets/objects/calls";
import { useObject } from "@/widgets/objects/queries";

// a status follows within a fraction of a second
const REFRESH_MS = 5_000;

export function useServices() {
  return useQuery({
    queryKey: keys.serviceRows,
    queryFn: ({ signal }) => fetchServices(signal),
    refetchInterval: REFRESH_MS,
  });
}

export const useService = (serviceid: Id) => useObject(OBJECTS, serviceid);

export const SERVICES = callsOf(OBJECTS, {
  one: t("Service"),
  create: t("New service"),
  remove: t("Delete service"),
  loss: t("Its status history is deleted. Its child services are kept."),
  absent: t("There is no such service."),
  saved: t("Service saved"),
  notRemoved: t("The service could not be deleted."),
});
