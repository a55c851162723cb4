import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import {
  createTrigger,
  deleteTriggers,
  fetchTrigger,
  fetchTriggers,
  setTriggersStatus,
  type TriggerDraft,
  updateTrigger,
} from "@/api/configuration";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { notifyDone, notifyFailed } from "@/ui/notify";

export function useTriggers(ownerid: Id) {
  return useQuery({
    queryKey: keys.triggersOf(ownerid),
    queryFn: ({ signal }) => fetchTriggers(ownerid, signal),
    refetchInterval: 30_000,
  });
}

export function useTrigger(triggerid: Id) {
  return useQuery({
    queryKey: keys.trigger(triggerid),
    queryFn: async ({ signal }) => (await fetchTrigger(triggerid, signal)) ?? null,
    enabled: triggerid !== "new",
  });
}

export function useTriggerMutations(onDone: () => void) {
  const client = useQueryClient();
  const done = (message: string) => {
    notifyDone(message);
    void client.invalidateQueries();
    onDone();
  };
  const save = useMutation({
    mutationFn: (change: {
      triggerid: Id | undefined;
      draft: Partial<TriggerDraft>;
    }): Promise<unknown> =>
      change.triggerid === undefined
        ? createTrigger(change.draft as TriggerDraft)
        : updateTrigger(change.triggerid, change.draft),
    onSuccess: () => done(t("Trigger saved")),
  });
  const remove = useMutation({
    mutationFn: (triggerids: readonly Id[]) => deleteTriggers(triggerids),
    onSuccess: () => done(t("Deleted")),
    onError: (error) => notifyFailed(t("The triggers could not be deleted."), error),
  });
  const setStatus = useMutation({
    mutationFn: ({ triggerids, status }: { triggerids: readonly Id[]; status: 0 | 1 }) =>
      setTriggersStatus(triggerids, status),
    onSuccess: () => done(t("Triggers updated")),
    onError: (error) => notifyFailed(t("The triggers could not be updated."), error),
  });
  return { save, remove, setStatus };
}
