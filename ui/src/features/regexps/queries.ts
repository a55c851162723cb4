import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { keys } from "@/api/query-keys";
import { REGEXPS as OBJECTS, type RegexpExpression, tryRegexp } from "@/api/regexps";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { callsOf } from "@/widgets/objects/calls";
import { useObject, useObjects } from "@/widgets/objects/queries";

export const useRegexps = () => useObjects(OBJECTS);

export const useRegexp = (regexpid: Id) => useObject(OBJECTS, regexpid);

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

export const REGEXPS = callsOf(OBJECTS, {
  one: t("Regular expression"),
  create: t("New regular expression"),
  remove: t("Delete regular expression"),
  loss: t(
    "Discovery rules, triggers and items that use it stop working until they use another one.",
  ),
  absent: t("There is no such regular expression."),
  saved: t("Regular expression saved"),
  notRemoved: t("The regular expression could not be deleted."),
});
