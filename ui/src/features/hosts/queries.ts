import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { type Change, changed } from "@/api/changes";
import {
  createHost,
  deleteHosts,
  fetchHost,
  type HostDraft,
  linkTemplates,
  setHostsStatus,
  updateHost,
} from "@/api/hosts";
import { AUTOMATIC, fetchInventory, type InventoryChange, saveInventory } from "@/api/inventory";
import { fetchLatest, type LatestQuery } from "@/api/native";
import { keys } from "@/api/query-keys";
import { stream } from "@/api/stream";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { throttle } from "@/lib/throttle";
import { notifyDone, notifyFailed } from "@/ui/notify";
import type { ObjectCalls } from "@/widgets/objects/calls";

// availability changes come with the stream; this is for what was missed
const REFRESH_MS = 30_000;
// where interfaces come and go all the time
const AVAILABILITY_MS = 2000;
const FILLED_MS = 5_000;
const GRAPH_ITEMS_MAX = 2000;

/** The stream publishes that hosts were added or removed; the shown rows are fetched again. */
export function useAvailabilityUpdates(): void {
  const client = useQueryClient();
  useEffect(() => {
    const [refresh, end] = throttle(AVAILABILITY_MS, () => void changed(client, "hosts"));
    const ends = [
      stream.want({ availability: true }),
      stream.onMessage(({ type }) => {
        if (type === "availability") refresh();
      }),
      end,
    ];
    return () => {
      for (const it of ends) it();
    };
  }, [client]);
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
      void changed(client, "inventory");
      onDone();
    },
  });
}

/** The host's items for its graphs, discovered ones as they come. */
export function useGraphItems(hostid: Id) {
  const query: LatestQuery = {
    hostids: [hostid],
    groupids: [],
    search: "",
    show: "all",
    limit: GRAPH_ITEMS_MAX,
  };
  return useQuery({
    queryKey: keys.latest(query),
    queryFn: ({ signal }) => fetchLatest(query, signal),
    refetchInterval: REFRESH_MS,
  });
}

export const HOST_CALLS: ObjectCalls<HostDraft> = {
  object: "host",
  words: {
    one: t("Host"),
    create: t("New host"),
    remove: t("Delete host"),
    loss: t("Its items, triggers, problems and history are also deleted."),
    absent: t("There is no such host."),
    saved: t("Host saved"),
    notRemoved: t("The host could not be deleted."),
  },
  change: "host",
  create: createHost,
  update: updateHost,
  remove: deleteHosts,
  created: () => ({ message: t("Host created") }),
};

/** What is done with the hosts that are picked in the list. */
export function useHostMutations(onDone: () => void) {
  const client = useQueryClient();
  const done = (message: string, change: Change) => {
    notifyDone(message);
    void changed(client, change);
    onDone();
  };
  const remove = useMutation({
    mutationFn: (hostids: readonly Id[]) => deleteHosts(hostids),
    onSuccess: () => done(t("Deleted"), "host"),
    onError: (error) => notifyFailed(t("The hosts could not be deleted."), error),
  });
  const setStatus = useMutation({
    mutationFn: ({ hostids, status }: { hostids: readonly Id[]; status: 0 | 1 }) =>
      setHostsStatus(hostids, status),
    onSuccess: () => done(t("Hosts updated"), "hostStatus"),
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
    onSuccess: () => done(t("Templates linked"), "hostTemplates"),
    onError: (error) => notifyFailed(t("The templates could not be linked."), error),
  });
  return { remove, setStatus, link };
}
