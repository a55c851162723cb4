import { useQuery } from "@tanstack/react-query";
import { keys } from "@/api/query-keys";
import { fetchReport, fetchServices, SLAS as OBJECTS } from "@/api/services";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { callsOf } from "@/widgets/objects/calls";
import { useObject, useObjects } from "@/widgets/objects/queries";

const REFRESH_MS = 60_000;

export const useSlas = () => useObjects(OBJECTS);

export const useSla = (slaid: Id) => useObject(OBJECTS, slaid);

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
    queryKey: keys.serviceRows,
    queryFn: ({ signal }) => fetchServices(signal),
  });
}

export const SLAS = callsOf(OBJECTS, {
  one: t("SLA"),
  create: t("New SLA"),
  remove: t("Delete SLA"),
  loss: t("The services and their history are kept."),
  absent: t("There is no such SLA."),
  saved: t("SLA saved"),
  notRemoved: t("The SLA could not be deleted."),
});
