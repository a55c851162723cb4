import type { Id } from "@/api/types";
import { USER_GROUPS as OBJECTS } from "@/api/users";
import { t } from "@/lib/i18n";
import { callsOf } from "@/widgets/objects/calls";
import { useObject, useObjects } from "@/widgets/objects/queries";

export const useUserGroups = () => useObjects(OBJECTS);

export const useUserGroup = (id: Id) => useObject(OBJECTS, id);

export const USER_GROUPS = callsOf(OBJECTS, {
  one: t("User group"),
  create: t("New user group"),
  remove: t("Delete user group"),
  loss: t("Its users lose the permissions that it grants."),
  absent: t("There is no such user group."),
  saved: t("User group saved"),
  notRemoved: t("The user group could not be deleted."),
});
