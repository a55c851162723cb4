import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { changed } from "@/api/changes";
import {
  createNetworkRule,
  deleteNetworkRules,
  fetchDiscovered,
  fetchNetworkRule,
  fetchNetworkRules,
  type NetworkRuleDraft,
  setNetworkRulesStatus,
  updateNetworkRule,
} from "@/api/network-discovery";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { notifyDone, notifyFailed } from "@/ui/notify";
import type { ObjectCalls } from "@/widgets/objects/calls";

/** Devices come and go with rounds, which take their time. */
const REFRESH_MS = 15_000;

export function useNetworkRules() {
  return useQuery({
    queryKey: keys.networkRuleList,
    queryFn: ({ signal }) => fetchNetworkRules(signal),
  });
}

export function useNetworkRule(id: Id | "new") {
  return useQuery({
    queryKey: keys.networkRule(id),
    queryFn: async ({ signal }) => (await fetchNetworkRule(id, signal)) ?? null,
    enabled: id !== "new",
  });
}

export function useDiscovered(druleid: Id | undefined) {
  return useQuery({
    queryKey: keys.discovered(druleid),
    queryFn: ({ signal }) => fetchDiscovered(druleid, signal),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
}

export const NETWORK_RULES: ObjectCalls<NetworkRuleDraft> = {
  object: "drule",
  words: {
    one: t("Network discovery rule"),
    create: t("New network discovery rule"),
    remove: t("Delete rule"),
    loss: t("Devices that it discovered are deleted. Hosts created from them are kept."),
    absent: t("There is no such network discovery rule."),
    saved: t("Network discovery rule saved"),
    notRemoved: t("The network discovery rule could not be deleted."),
  },
  change: "drule",
  create: createNetworkRule,
  update: updateNetworkRule,
  remove: deleteNetworkRules,
};

export function useNetworkRuleStatus() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, isEnabled }: { id: Id; isEnabled: boolean }) =>
      updateNetworkRule(id, { status: isEnabled ? "0" : "1" }),
    onSuccess: () => changed(client, "drule"),
    onError: (error) => notifyFailed(t("The rule could not be changed."), error),
  });
}

/** What is done with the rules that are picked in the list. */
export function usePickedNetworkRules(onDone: () => void) {
  const client = useQueryClient();
  const done = (message: string) => {
    notifyDone(message);
    void changed(client, "drule");
    onDone();
  };
  const remove = useMutation({
    mutationFn: (ids: readonly Id[]) => deleteNetworkRules(ids),
    onSuccess: () => done(t("Deleted")),
    onError: (error) => notifyFailed(t("The rules could not be deleted."), error),
  });
  const setStatus = useMutation({
    mutationFn: ({ ids, status }: { ids: readonly Id[]; status: 0 | 1 }) =>
      setNetworkRulesStatus(ids, status === 0 ? "0" : "1"),
    onSuccess: () => done(t("Rules updated")),
    onError: (error) => notifyFailed(t("The rules could not be changed."), error),
  });
  return { remove, setStatus };
}
