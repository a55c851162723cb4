import { useQuery } from "@tanstack/react-query";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { createUserGroup, deleteUserGroups, fetchUserGroups, updateUserGroup } from "@/api/users";
import { t } from "@/lib/i18n";
import type { ObjectCalls } from "@/widgets/objects/calls";
import type { UserGroupDraft } from "./draft";

export function useUserGroups() {
  return useQuery({
    queryKey: keys.userGroupList,
    queryFn: ({ signal }) => fetchUserGroups(undefined, signal),
  });
}

export function useUserGroup(id: Id | "new") {
  return useQuery({
    queryKey: keys.userGroup(id),
    queryFn: async ({ signal }) => (await fetchUserGroups([id], signal))[0] ?? null,
    enabled: id !== "new",
  });
}

export const USER_GROUPS: ObjectCalls<UserGroupDraft> = {
  object: "usergroup",
  words: {
    one: t("User group"),
    create: t("New user group"),
    remove: t("Delete user group"),
    loss: t("Its users lose the permissions that it grants."),
    absent: t("There is no such user group."),
    saved: t("User group saved"),
    notRemoved: t("The user group could not be deleted."),
  },
  change: "userGroup",
  create: createUserGroup,
  update: updateUserGroup,
  remove: deleteUserGroups,
};
