import { useQuery } from "@tanstack/react-query";
import { CORRELATIONS as OBJECTS } from "@/api/correlations";
import { fetchHostGroups } from "@/api/groups";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
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

export function useGroupName(): GroupName {
  const { data } = useQuery({
    queryKey: keys.hostGroups,
    queryFn: ({ signal }) => fetchHostGroups(signal),
  });
  return (groupid) => data?.find((it) => it.groupid === groupid)?.name ?? `#${groupid}`;
}
