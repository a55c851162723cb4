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
import { notifyDone, notifyFailed, type Place } from "@/ui/notify";
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

interface ItemSave {
  /** undefined for a new one */
  readonly itemid: Id | undefined;
  readonly draft: SentItem;
}

/** The id of a new one. */
async function saveItem({ itemid, draft }: ItemSave): Promise<Id | undefined> {
  if (itemid === undefined) return ITEMS.create(draft as ItemDraft);
  await ITEMS.update(itemid, draft);
  return undefined;
}

async function savePrototype({ itemid, draft }: ItemSave): Promise<Id | undefined> {
  if (itemid === undefined) return ITEM_PROTOTYPES.create(draft as PrototypeDraft);
  await ITEM_PROTOTYPES.update(itemid, draft as Partial<PrototypeDraft>);
  return undefined;
}

/** Saving and deleting of an item, or of a prototype where a rule is given. */
export function useItemForm(owner: Owner, ruleid: Id | undefined, onDone: () => void) {
  const client = useQueryClient();
  const isPrototype = ruleid !== undefined;
  const done = (message: string, place?: Place) => {
    notifyDone(message, place);
    void changed(client, isPrototype ? "itemprototype" : "item");
    onDone();
  };
  const save = useMutation({
    mutationFn: isPrototype ? savePrototype : saveItem,
    onSuccess: (created, { draft }) => {
      if (isPrototype) done(t("Item prototype saved"));
      else if (created === undefined) done(t("Item saved"));
      else {
        const name = String(draft.name ?? created);
        done(t("Item created"), { path: ownerPath(owner, `items/${created}`), name });
      }
    },
  });
  const remove = useMutation({
    mutationFn: (itemid: Id) =>
      isPrototype ? ITEM_PROTOTYPES.remove([itemid]) : ITEMS.remove([itemid]),
    onSuccess: () => done(t("Deleted")),
    onError: (error) => notifyFailed(t("It could not be deleted."), error),
  });
  return { save, remove };
}
