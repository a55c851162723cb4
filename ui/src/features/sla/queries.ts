import { useQuery } from "@tanstack/react-query";
import { keys } from "@/api/query-keys";
import {
  createSla,
  deleteSlas,
  fetchReport,
  fetchServices,
  fetchSla,
  fetchSlas,
  type SlaDraft,
  updateSla,
} from "@/api/services";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import type { ObjectCalls } from "@/widgets/objects/calls";

const REFRESH_MS = 60_000;

export function useSlas() {
  return useQuery({ queryKey: keys.slaList, queryFn: ({ signal }) => fetchSlas(signal) });
}

export function useSla(slaid: Id | "new") {
  return useQuery({
    queryKey: keys.sla(slaid),
    queryFn: async ({ signal }) => (await fetchSla(slaid, signal)) ?? null,
    enabled: slaid !== "new",
  });
}

export function useReport(slaid: Id, periods: number) {
  return useQuery({
    queryKey: keys.slaReport(slaid, periods),
    queryFn: ({ signal }) => fetchReport(slaid, periods, signal),
    refetchInterval: REFRESH_MS,
  });
}

/** Names of the services of a report. */
export function useServiceNames() {
  return useQuery({
    queryKey: keys.serviceList,
    queryFn: ({ signal }) => fetchServices(signal),
  });
}

export const SLAS: ObjectCalls<SlaDraft> = {
  object: "sla",
  words: {
    one: t("SLA"),
    create: t("New SLA"),
    remove: t("Delete SLA"),
    loss: t("The services and their history are kept."),
    absent: t("There is no such SLA."),
    saved: t("SLA saved"),
    notRemoved: t("The SLA could not be deleted."),
  },
  change: "sla",
  create: createSla,
  update: updateSla,
  remove: deleteSlas,
};
