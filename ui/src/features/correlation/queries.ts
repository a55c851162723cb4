import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { changed } from "@/api/changes";
import { CORRELATIONS as OBJECTS } from "@/api/correlations";
import { fetchHostGroups } from "@/api/groups";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { notifyFailed } from "@/ui/notify";
import { callsOf } from "@/widgets/objects/calls";
import { useObject, useObjects } from "@/widgets/objects/queries";
import type { GroupName } from "./draft";

export const useCorrelations = () => useObjects(OBJECTS);

export const useCorrelation = (id: Id) => useObject(OBJECTS, id);

export const CORRELATIONS = callsOf(OBJECTS, {
  one: t("Correlation rule"),
  create: t("New correlation rule"),
  remove: t("Delete rule"),
  loss: t("Problems that it closed stay closed."),
  absent: t("There is no such correlation rule."),
  saved: t("Correlation rule saved"),
  notRemoved: t("The correlation rule could not be deleted."),
});

export function useCorrelationStatus() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, isEnabled }: { id: Id; isEnabled: boolean }) =>
      OBJECTS.update(id, { status: isEnabled ? "0" : "1" }),
    onSuccess: () => changed(client, "correlation"),
    onError: (error) => notifyFailed(t("The rule could not be changed."), error),
  });
}

export function useGroupName(): GroupName {
  const { data } = useQuery({
    queryKey: keys.hostGroups,
    queryFn: ({ signal }) => fetchHostGroups(signal),
  });
  return (groupid) => data?.find((it) => it.groupid === groupid)?.name ?? `#${groupid}`;
}
