import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { changed } from "@/api/changes";
import { fetchDiscovered, NETWORK_RULES as OBJECTS } from "@/api/network-discovery";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { notifyDone, notifyFailed } from "@/ui/notify";
import { callsOf } from "@/widgets/objects/calls";
import { useObject, useObjects } from "@/widgets/objects/queries";

/** Devices come and go with rounds, which take their time. */
const REFRESH_MS = 15_000;

export const useNetworkRules = () => useObjects(OBJECTS);

export const useNetworkRule = (id: Id) => useObject(OBJECTS, id);

export function useDiscovered(druleid: Id | undefined) {
  return useQuery({
    queryKey: keys.discovered(druleid),
    queryFn: ({ signal }) => fetchDiscovered(druleid, signal),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
}

export const NETWORK_RULES = callsOf(OBJECTS, {
  one: t("Network discovery rule"),
  create: t("New network discovery rule"),
  remove: t("Delete rule"),
  loss: t("Devices that it discovered are deleted. Hosts created from them are kept."),
  absent: t("There is no such network discovery rule."),
  saved: t("Network discovery rule saved"),
  notRemoved: t("The network discovery rule could not be deleted."),
});

/** What is done with the rules that are picked in the list. */
export function usePickedNetworkRules(onDone: () => void) {
  const client = useQueryClient();
  const done = (message: string) => {
    notifyDone(message);
    void changed(client, "drule");
    onDone();
  };
  const remove = useMutation({
    mutationFn: (ids: readonly Id[]) => OBJECTS.remove(ids),
    onSuccess: () => done(t("Deleted")),
    onError: (error) => notifyFailed(t("The rules could not be deleted."), error),
  });
  const setStatus = useMutation({
    mutationFn: ({ ids, status }: { ids: readonly Id[]; status: 0 | 1 }) =>
      OBJECTS.updateAll(ids, { status }),
    onSuccess: () => done(t("Rules updated")),
    onError: (error) => notifyFailed(t("The rules could not be changed."), error),
  });
  return { remove, setStatus };
}
