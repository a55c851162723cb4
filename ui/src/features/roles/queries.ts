import { useQuery } from "@tanstack/react-query";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { createRole, deleteRoles, fetchRoles, type RoleDraft, updateRole } from "@/api/users";
import { t } from "@/lib/i18n";
import type { ObjectCalls } from "@/widgets/objects/calls";

export function useRoles() {
  return useQuery({
    queryKey: keys.roleList,
    queryFn: ({ signal }) => fetchRoles(undefined, signal),
  });
}

export function useRole(id: Id | "new") {
  return useQuery({
    queryKey: keys.role(id),
    queryFn: async ({ signal }) => (await fetchRoles([id], signal))[0] ?? null,
    enabled: id !== "new",
  });
}

export const ROLES: ObjectCalls<RoleDraft> = {
  object: "role",
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
  create: createRole,
  update: updateRole,
  remove: deleteRoles,
};
