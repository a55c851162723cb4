import type { Id } from "@/api/types";
import { ROLES as OBJECTS, type RoleDraft } from "@/api/users";
import { t } from "@/lib/i18n";
import type { ObjectCalls } from "@/widgets/objects/calls";
import { useObject, useObjects } from "@/widgets/objects/queries";

export const useRoles = () => useObjects(OBJECTS);

export const useRole = (id: Id) => useObject(OBJECTS, id);

export const ROLES: ObjectCalls<RoleDraft> = {
  ...OBJECTS,
  words: {
    one: t("User role"),
    create: t("New user role"),
    remove: t("Delete user role"),
    loss: t("A role that is assigned to users cannot be deleted."),
    absent: t("There is no such user role."),
    saved: t("User role saved"),
    notRemoved: t("The user role could not be deleted."),
  },
  change: "role",
};
