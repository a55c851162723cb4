import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { changed } from "@/api/changes";
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
import { notifyDone, notifyFailed } from "@/ui/notify";

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

export function useServiceMutations(onDone: () => void) {
  const client = useQueryClient();
  const done = (message: string) => {
    notifyDone(message);
    void changed(client, "service");
    onDone();
  };
  const save = useMutation({
    mutationFn: (change: { id: Id | undefined; draft: ServiceDraft }): Promise<unknown> =>
      change.id === undefined
        ? createService(change.draft)
        : updateService(change.id, change.draft),
    onSuccess: () => done(t("Service saved")),
  });
  const remove = useMutation({
    mutationFn: (ids: readonly Id[]) => deleteServices(ids),
    onSuccess: () => done(t("Deleted")),
    onError: (error) => notifyFailed(t("The service could not be deleted."), error),
  });
  return { save, remove };
}
