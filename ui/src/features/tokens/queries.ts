import { useQuery } from "@tanstack/react-query";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { createToken, deleteTokens, fetchToken, fetchTokens, updateToken } from "@/api/users";
import { t } from "@/lib/i18n";
import type { ObjectCalls } from "@/widgets/objects/calls";
import type { TokenDraft } from "./draft";

export function useTokens() {
  return useQuery({ queryKey: keys.tokenList, queryFn: ({ signal }) => fetchTokens(signal) });
}

export function useToken(id: Id | "new") {
  return useQuery({
    queryKey: keys.token(id),
    queryFn: async ({ signal }) => (await fetchToken(id, signal)) ?? null,
    enabled: id !== "new",
  });
}

export const TOKENS: ObjectCalls<TokenDraft> = {
  object: "token",
  words: {
    one: t("API token"),
    create: t("New API token"),
    remove: t("Delete API token"),
    loss: t("Programs that use it lose access immediately."),
    absent: t("There is no such API token."),
    saved: t("API token saved"),
    notRemoved: t("The API token could not be deleted."),
  },
  change: "token",
  create: createToken,
  // whom a token stands for is not changed
  update: (id, { userid: _, ...draft }) => updateToken(id, draft),
  remove: deleteTokens,
};
