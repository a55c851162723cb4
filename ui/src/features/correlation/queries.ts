import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { changed } from "@/api/changes";
import {
  type CorrelationDraft,
  createCorrelation,
  deleteCorrelations,
  fetchCorrelation,
  fetchCorrelations,
  updateCorrelation,
} from "@/api/correlations";
import { fetchHostGroups } from "@/api/groups";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { notifyFailed } from "@/ui/notify";
import type { ObjectCalls } from "@/widgets/objects/calls";
import type { GroupName } from "./draft";

export function useCorrelations() {
  return useQuery({
    queryKey: keys.correlationList,
    queryFn: ({ signal }) => fetchCorrelations(signal),
  });
}

export function useCorrelation(id: Id | "new") {
  return useQuery({
    queryKey: keys.correlation(id),
    queryFn: async ({ signal }) => (await fetchCorrelation(id, signal)) ?? null,
    enabled: id !== "new",
  });
}

export const CORRELATIONS: ObjectCalls<CorrelationDraft> = {
  object: "correlation",
  words: {
    one: t("Correlation rule"),
    create: t("New correlation rule"),
    remove: t("Delete rule"),
    loss: t("Problems that it closed stay closed."),
    absent: t("There is no such correlation rule."),
    saved: t("Correlation rule saved"),
    notRemoved: t("The correlation rule could not be deleted."),
  },
  change: "correlation",
  create: createCorrelation,
  update: updateCorrelation,
  remove: deleteCorrelations,
};

export function useCorrelationStatus() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, isEnabled }: { id: Id; isEnabled: boolean }) =>
      updateCorrelation(id, { status: isEnabled ? "0" : "1" }),
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
