import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { changed } from "@/api/changes";
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
import { notifyDone, notifyFailed } from "@/ui/notify";

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

export function useSlaMutations(onDone: () => void) {
  const client = useQueryClient();
  const done = (message: string) => {
    notifyDone(message);
    void changed(client, "sla");
    onDone();
  };
  const save = useMutation({
    mutationFn: (change: { id: Id | undefined; draft: SlaDraft }): Promise<unknown> =>
      change.id === undefined ? createSla(change.draft) : updateSla(change.id, change.draft),
    onSuccess: () => done(t("SLA saved")),
  });
  const remove = useMutation({
    mutationFn: (ids: readonly Id[]) => deleteSlas(ids),
    onSuccess: () => done(t("Deleted")),
    onError: (error) => notifyFailed(t("The SLA could not be deleted."), error),
  });
  return { save, remove };
}
