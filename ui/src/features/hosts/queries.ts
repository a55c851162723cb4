import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useDeferredValue } from "react";
import {
  createHost,
  deleteHosts,
  fetchHost,
  fetchHosts,
  type HostDraft,
  linkTemplates,
  setHostsStatus,
  updateHost,
} from "@/api/hosts";
import {
  AUTOMATIC,
  fetchInventory,
  findByInventory,
  type InventoryChange,
  saveInventory,
} from "@/api/inventory";
import { fetchLatest } from "@/api/native";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { notifyDone, notifyFailed } from "@/ui/notify";

// availability changes come with the stream; this is for what was missed
const REFRESH_MS = 30_000;
const FILLED_MS = 5_000;
const GRAPH_ITEMS_MAX = 2000;
const INVENTORY_TEXT_MIN = 2;
const NONE: ReadonlySet<Id> = new Set();

export function useHosts() {
  return useQuery({
    queryKey: keys.hostList,
    queryFn: ({ signal }) => fetchHosts(signal),
    refetchInterval: REFRESH_MS,
  });
}

export function useHost(hostid: Id) {
  return useQuery({
    queryKey: keys.host(hostid),
    queryFn: async ({ signal }) => (await fetchHost(hostid, signal)) ?? null,
    refetchInterval: REFRESH_MS,
  });
}

/** Items fill it as they measure: then it is looked at more often. */
export function useInventory(hostid: Id) {
  return useQuery({
    queryKey: keys.inventory(hostid),
    queryFn: async ({ signal }) => (await fetchInventory(hostid, signal)) ?? null,
    refetchInterval: ({ state }) => (state.data?.mode === AUTOMATIC ? FILLED_MS : REFRESH_MS),
  });
}

export function useSaveInventory(hostid: Id, onDone: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: InventoryChange) => saveInventory(hostid, change),
    onSuccess: () => {
      notifyDone(t("Inventory saved"));
      void client.invalidateQueries({ queryKey: keys.hosts });
      onDone();
    },
  });
}

/** Hosts whose inventory holds the text; none for texts that are too short to say something. */
export function useHostsByInventory(text: string): ReadonlySet<Id> {
  const wanted = useDeferredValue(text.trim());
  const query = useQuery({
    queryKey: keys.hostsByInventory(wanted),
    queryFn: ({ signal }) => findByInventory(wanted, signal),
    enabled: wanted.length >= INVENTORY_TEXT_MIN,
    // what was found stays while one types on
    placeholderData: keepPreviousData,
  });
  return wanted.length >= INVENTORY_TEXT_MIN ? (query.data ?? NONE) : NONE;
}

/** The host's items for its graphs, discovered ones as they come. */
export function useGraphItems(hostid: Id) {
  const query = { hostids: [hostid], groupids: [], search: "", limit: GRAPH_ITEMS_MAX };
  return useQuery({
    queryKey: keys.latest(query),
    queryFn: ({ signal }) => fetchLatest(query, signal),
    refetchInterval: REFRESH_MS,
  });
}

export function useHostMutations(onDone: (created?: Id) => void) {
  const client = useQueryClient();
  const done = (message: string, created?: Id) => {
    notifyDone(message);
    void client.invalidateQueries();
    onDone(created);
  };
  const save = useMutation({
    mutationFn: async ({ hostid, draft }: { hostid: Id | undefined; draft: HostDraft }) => {
      if (hostid === undefined) return createHost(draft);
      await updateHost(hostid, draft);
      return undefined;
    },
    onSuccess: (created) =>
      done(created === undefined ? t("Host saved") : t("Host created"), created),
  });
  const remove = useMutation({
    mutationFn: (hostids: readonly Id[]) => deleteHosts(hostids),
    onSuccess: () => done(t("Deleted")),
    onError: (error) => notifyFailed(t("The hosts could not be deleted."), error),
  });
  const setStatus = useMutation({
    mutationFn: ({ hostids, status }: { hostids: readonly Id[]; status: 0 | 1 }) =>
      setHostsStatus(hostids, status),
    onSuccess: () => done(t("Hosts updated")),
    onError: (error) => notifyFailed(t("The hosts could not be updated."), error),
  });
  const link = useMutation({
    mutationFn: ({
      hostids,
      templateids,
    }: {
      hostids: readonly Id[];
      templateids: readonly Id[];
    }) => linkTemplates(hostids, templateids),
    onSuccess: () => done(t("Templates linked")),
    onError: (error) => notifyFailed(t("The templates could not be linked."), error),
  });
  return { save, remove, setStatus, link };
}
