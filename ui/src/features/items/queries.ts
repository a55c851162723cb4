import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type Change, changed } from "@/api/changes";
import {
  clearHistory,
  executeNow,
  fetchItems,
  fetchValueMaps,
  ITEMS,
  type ItemDraft,
} from "@/api/items";
import { fetchPrototypes, ITEM_PROTOTYPES, type PrototypeDraft } from "@/api/prototypes";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import { type Owner, ownerPath } from "@/lib/owner";
import { notifyDone, notifyFailed } from "@/ui/notify";
import type { ObjectCalls, ObjectWords } from "@/widgets/objects/calls";
import type { SentItem } from "./item-fields";

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
    queryFn: async ({ signal }) => (await ITEMS.one(itemid, signal)) ?? null,
    enabled: itemid !== "new",
  });
}

export function usePrototype(itemid: Id) {
  return useQuery({
    queryKey: keys.prototype(itemid),
    queryFn: async ({ signal }) => (await ITEM_PROTOTYPES.one(itemid, signal)) ?? null,
    enabled: itemid !== "new",
  });
}

/** Items that a dependent one can take its data from; for a prototype also those of its rule. */
export function useMasters(ownerid: Id, ruleid: Id | undefined) {
  return useQuery({
    queryKey: keys.masters(ownerid, ruleid),
    queryFn: async ({ signal }) => {
      const items = await fetchItems(ownerid, signal);
      if (ruleid === undefined) return items;
      const prototypes = await fetchPrototypes(ruleid, signal);
      return [...prototypes.items, ...items];
    },
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
  const done = (message: string, change: Change) => {
    notifyDone(message);
    void changed(client, change);
    onDone();
  };
  const failed = (what: string) => (error: unknown) => notifyFailed(what, error);
  const remove = useMutation({
    mutationFn: (itemids: readonly Id[]) => ITEMS.remove(itemids),
    onSuccess: () => done(t("Deleted"), "item"),
    onError: failed(t("The items could not be deleted.")),
  });
  const setStatus = useMutation({
    mutationFn: ({ itemids, status }: { itemids: readonly Id[]; status: 0 | 1 }) =>
      ITEMS.updateAll(itemids, { status }),
    onSuccess: () => done(t("Items updated"), "itemStatus"),
    onError: failed(t("The items could not be updated.")),
  });
  const execute = useMutation({
    mutationFn: (itemids: readonly Id[]) => executeNow(itemids),
    onSuccess: (_, itemids) =>
      done(plural(itemids.length, "1 check requested", "{n} checks requested"), "itemValues"),
    onError: failed(t("The check could not be requested.")),
  });
  const clear = useMutation({
    mutationFn: (itemids: readonly Id[]) => clearHistory(itemids),
    onSuccess: () => done(t("History and trends are deleted"), "stored"),
    onError: failed(t("The history could not be deleted.")),
  });
  return { remove, setStatus, execute, clear };
}

/** The calls for items, or for prototypes where a rule is given. */
export function itemCalls(owner: Owner, ruleid: Id | undefined): ObjectCalls<SentItem> {
  if (ruleid !== undefined) {
    return {
      object: "itemprototype",
      words: PROTOTYPE_WORDS,
      change: "itemprototype",
      create: (draft) => ITEM_PROTOTYPES.create(draft as PrototypeDraft),
      update: (id, change) => ITEM_PROTOTYPES.update(id, change as Partial<PrototypeDraft>),
      remove: ITEM_PROTOTYPES.remove,
    };
  }
  return {
    object: "item",
    words: ITEM_WORDS,
    change: "item",
    create: (draft) => ITEMS.create(draft as ItemDraft),
    update: ITEMS.update,
    remove: ITEMS.remove,
    created: (id, { name = id }) => ({
      message: t("Item created"),
      place: { path: ownerPath(owner, `items/${id}`), name: String(name) },
    }),
  };
}

export const ITEM_WORDS: ObjectWords = {
  one: t("Item"),
  create: t("New item"),
  remove: t("Delete item"),
  loss: t("Its history and the triggers that use it are also deleted."),
  absent: t("There is no such item."),
  saved: t("Item saved"),
  notRemoved: t("The item could not be deleted."),
};

export const PROTOTYPE_WORDS: ObjectWords = {
  one: t("Item prototype"),
  create: t("New item prototype"),
  remove: t("Delete item prototype"),
  loss: t("Objects discovered from it are also deleted."),
  absent: t("There is no such item prototype."),
  saved: t("Item prototype saved"),
  notRemoved: t("The item prototype could not be deleted."),
};
