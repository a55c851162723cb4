import { keepPreviousData, useQuery } from "@tanstack/react-query";
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
import type { ObjectCalls } from "@/widgets/objects/calls";

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

export const REGEXPS: ObjectCalls<RegexpDraft> = {
  object: "regexp",
  words: {
    one: t("Regular expression"),
    create: t("New regular expression"),
    remove: t("Delete regular expression"),
    loss: t(
      "Discovery rules, triggers and items that use it stop working until they use another one.",
    ),
    absent: t("There is no such regular expression."),
    saved: t("Regular expression saved"),
    notRemoved: t("The regular expression could not be deleted."),
  },
  change: "regexp",
  create: createRegexp,
  update: updateRegexp,
  remove: deleteRegexps,
};
