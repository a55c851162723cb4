import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { changed } from "@/api/changes";
import { keys } from "@/api/query-keys";
import {
  createRegexp,
  deleteRegexps,
  fetchRegexp,
  fetchRegexps,
  type RegexpDraft,
  type RegexpExpression,
  tryRegexp,
  updateRegexp,
} from "@/api/regexps";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { notifyDone, notifyFailed } from "@/ui/notify";

export function useRegexps() {
  return useQuery({
    queryKey: keys.regexpList,
    queryFn: ({ signal }) => fetchRegexps(signal),
  });
}

export function useRegexp(regexpid: Id | "new") {
  return useQuery({
    queryKey: keys.regexp(regexpid),
    queryFn: async ({ signal }) => (await fetchRegexp(regexpid, signal)) ?? null,
    enabled: regexpid !== "new",
  });
}

/** The server's word on a text; the last one stays until the next comes. */
export function useTrial(text: string, expressions: readonly RegexpExpression[]) {
  return useQuery({
    queryKey: keys.regexpTrial(text, expressions),
    queryFn: ({ signal }) => tryRegexp(text, expressions, signal),
    enabled: expressions.length > 0,
    placeholderData: keepPreviousData,
    gcTime: 10_000,
  });
}

export function useRegexpMutations(onDone: () => void) {
  const client = useQueryClient();
  const done = (message: string) => {
    notifyDone(message);
    void changed(client, "regexp");
    onDone();
  };
  const save = useMutation({
    mutationFn: (change: { id: Id | undefined; draft: RegexpDraft }): Promise<unknown> =>
      change.id === undefined ? createRegexp(change.draft) : updateRegexp(change.id, change.draft),
    onSuccess: () => done(t("Regular expression saved")),
  });
  const remove = useMutation({
    mutationFn: (ids: readonly Id[]) => deleteRegexps(ids),
    onSuccess: () => done(t("Deleted")),
    onError: (error) => notifyFailed(t("The regular expression could not be deleted."), error),
  });
  return { save, remove };
}
