import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import {
  createItem,
  deleteItems,
  executeNow,
  fetchItem,
  fetchItems,
  fetchValueMaps,
  type ItemDraft,
  setItemsStatus,
  updateItem,
} from "@/api/configuration";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import { notifyDone, notifyFailed } from "@/ui/notify";

export function useItems(ownerid: Id) {
  return useQuery({
    queryKey: keys.itemsOf(ownerid),
    queryFn: ({ signal }) => fetchItems(ownerid, signal),
    refetchInterval: 30_000,
  });
}

export function useItem(itemid: Id) {
  return useQuery({
    queryKey: keys.item(itemid),
    queryFn: async ({ signal }) => (await fetchItem(itemid, signal)) ?? null,
    enabled: itemid !== "new",
  });
}

export function useValueMaps(ownerid: Id) {
  return useQuery({
    queryKey: keys.valueMaps(ownerid),
    queryFn: ({ signal }) => fetchValueMaps(ownerid, signal),
  });
}

export function useItemMutations(onDone: () => void) {
  const client = useQueryClient();
  const done = (message: string) => {
    notifyDone(message);
    void client.invalidateQueries();
    onDone();
  };
  const failed = (what: string) => (error: unknown) => notifyFailed(what, error);
  const save = useMutation({
    mutationFn: ({
      itemid,
      draft,
    }: {
      itemid: Id | undefined;
      draft: Partial<ItemDraft>;
    }): Promise<unknown> =>
      itemid === undefined ? createItem(draft as ItemDraft) : updateItem(itemid, draft),
    onSuccess: () => done(t("Item saved")),
  });
  const remove = useMutation({
    mutationFn: (itemids: readonly Id[]) => deleteItems(itemids),
    onSuccess: () => done(t("Deleted")),
    onError: failed(t("The items could not be deleted.")),
  });
  const setStatus = useMutation({
    mutationFn: ({ itemids, status }: { itemids: readonly Id[]; status: 0 | 1 }) =>
      setItemsStatus(itemids, status),
    onSuccess: () => done(t("Items updated")),
    onError: failed(t("The items could not be updated.")),
  });
  const execute = useMutation({
    mutationFn: (itemids: readonly Id[]) => executeNow(itemids),
    onSuccess: (_, itemids) =>
      done(plural(itemids.length, "1 check was asked for", "{n} checks were asked for")),
    onError: failed(t("The check could not be asked for.")),
  });
  return { save, remove, setStatus, execute };
}
