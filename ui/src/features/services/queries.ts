import { useQuery } from "@tanstack/react-query";
import { keys } from "@/api/query-keys";
import {
  createService,
  deleteServices,
  fetchService,
  fetchServices,
  type ServiceDraft,
  updateService,
} from "@/api/services";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import type { ObjectCalls } from "@/widgets/objects/calls";

// a status follows within a fraction of a second
const REFRESH_MS = 5_000;

export function useServices() {
  return useQuery({
    queryKey: keys.serviceList,
    queryFn: ({ signal }) => fetchServices(signal),
    refetchInterval: REFRESH_MS,
  });
}

export function useService(serviceid: Id | "new") {
  return useQuery({
    queryKey: keys.service(serviceid),
    queryFn: async ({ signal }) => (await fetchService(serviceid, signal)) ?? null,
    enabled: serviceid !== "new",
  });
}

export const SERVICES: ObjectCalls<ServiceDraft> = {
  object: "service",
  words: {
    one: t("Service"),
    create: t("New service"),
    remove: t("Delete service"),
    loss: t("Its status history is deleted. Its child services are kept."),
    absent: t("There is no such service."),
    saved: t("Service saved"),
    notRemoved: t("The service could not be deleted."),
  },
  change: "service",
  create: createService,
  update: updateService,
  remove: deleteServices,
};
