import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { changed } from "@/api/changes";
import {
  createRule,
  deleteRules,
  fetchRule,
  fetchRules,
  type RuleDraft,
  updateRule,
} from "@/api/discovery";
import { executeNow, fetchItems } from "@/api/items";
import { fetchPrototypes } from "@/api/prototypes";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { notifyDone, notifyFailed } from "@/ui/notify";

export function useRules(ownerid: Id) {
  return useQuery({
    queryKey: keys.rulesOf(ownerid),
    queryFn: ({ signal }) => fetchRules(ownerid, signal),
    refetchInterval: 30_000,
  });
}

export function useRule(ruleid: Id) {
  return useQuery({
    queryKey: keys.rule(ruleid),
    queryFn: async ({ signal }) => (await fetchRule(ruleid, signal)) ?? null,
    enabled: ruleid !== "new",
  });
}

export function usePrototypes(ruleid: Id) {
  return useQuery({
    queryKey: keys.prototypes(ruleid),
    queryFn: ({ signal }) => fetchPrototypes(ruleid, signal),
  });
}

/** Items that a dependent rule can take its data from. */
export function useMasterItems(ownerid: Id) {
  return useQuery({
    queryKey: keys.itemsOf(ownerid),
    queryFn: ({ signal }) => fetchItems(ownerid, signal),
  });
}

export function useRuleMutations(onDone: (created?: Id) => void) {
  const client = useQueryClient();
  const done = (message: string, created?: Id) => {
    notifyDone(message);
    void changed(client, "rule");
    onDone(created);
  };
  const save = useMutation({
    mutationFn: async ({
      ruleid,
      draft,
    }: {
      ruleid: Id | undefined;
      draft: Partial<RuleDraft>;
    }) => {
      if (ruleid === undefined) return createRule(draft as RuleDraft);
      await updateRule(ruleid, draft);
      return undefined;
    },
    onSuccess: (created) =>
      done(
        created === undefined
          ? t("Discovery rule saved")
          : t("Discovery rule created: its prototypes are below"),
        created,
      ),
  });
  const remove = useMutation({
    mutationFn: (ruleids: readonly Id[]) => deleteRules(ruleids),
    onSuccess: () => done(t("Deleted")),
    onError: (error) => notifyFailed(t("The rule could not be deleted."), error),
  });
  const execute = useMutation({
    mutationFn: (ruleid: Id) => executeNow([ruleid]),
    onSuccess: () => notifyDone(t("The discovery was asked for")),
    onError: (error) => notifyFailed(t("The discovery could not be asked for."), error),
  });
  return { save, remove, execute };
}
