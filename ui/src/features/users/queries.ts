import { useQuery } from "@tanstack/react-query";
import { fetchMedias, fetchMediaTypeNames } from "@/api/media";
import { keys, objectKeys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { fetchUsers, fetchUsersSeen, USERS as OBJECTS, ROLES } from "@/api/users";
import { t } from "@/lib/i18n";
import { callsOf } from "@/widgets/objects/calls";
import type { UserWithMedias } from "./draft";

export function useUsers() {
  return useQuery({ queryKey: keys.userRows, queryFn: ({ signal }) => fetchUsers(signal) });
}

/** A user who looks at pages counts as present; reported not too often. */
const SEEN_REFRESH_MS = 30_000;

export function useUsersSeen() {
  return useQuery({
    queryKey: keys.usersSeen,
    queryFn: ({ signal }) => fetchUsersSeen(signal),
    refetchInterval: SEEN_REFRESH_MS,
  });
}

export function useUser(id: Id | "new") {
  return useQuery({
    queryKey: objectKeys(OBJECTS.object).one(id),
    queryFn: async ({ signal }): Promise<UserWithMedias | null> => {
      const [user, medias] = await Promise.all([OBJECTS.one(id, signal), fetchMedias(id, signal)]);
      return user === undefined ? null : { ...user, medias };
    },
    enabled: id !== "new",
  });
}

/** What the form offers. */
export function useOffers() {
  return useQuery({
    queryKey: keys.userOffers,
    queryFn: async ({ signal }) => {
      const [roles, types] = await Promise.all([ROLES.list(signal), fetchMediaTypeNames(signal)]);
      return { roles, types };
    },
  });
}

export const USERS = callsOf(OBJECTS, {
  one: t("User"),
  create: t("New user"),
  remove: t("Delete user"),
  loss: t("The sessions, API tokens and media of the user are also deleted. Events keep the name."),
  absent: t("There is no such user."),
  saved: t("User saved"),
  notRemoved: t("The user could not be deleted."),
});
