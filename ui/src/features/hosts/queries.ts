import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
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
import { fetchLatest } from "@/api/native";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { notifyDone, notifyFailed } from "@/ui/notify";

// availability changes come with the stream; this is for what was missed
const REFRESH_MS = 30_000;
const GRAPH_ITEMS_MAX = 2000;

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
