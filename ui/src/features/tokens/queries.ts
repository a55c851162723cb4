import type { Id } from "@/api/types";
import { TOKENS as OBJECTS } from "@/api/users";
import { t } from "@/lib/i18n";
import { callsOf } from "@/widgets/objects/calls";
import { useObject, useObjects } from "@/widgets/objects/queries";

export const useTokens = () => useObjects(OBJECTS);

export const useToken = (id: Id) => useObject(OBJECTS, id);

export const TOKENS = callsOf(OBJECTS, {
  one: t("API token"),
  create: t("New API token"),
  remove: t("Delete API token"),
  loss: t("Programs that use it lose access immediately."),
  absent: t("There is no such API token."),
  saved: t("API token saved"),
  notRemoved: t("The API token could not be deleted."),
});
