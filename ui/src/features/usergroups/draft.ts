// A user group while it is edited.

import { USER_GROUP } from "@/api/generated/user-group";
import type { GroupRight, TagFilter, UserGroup, UserGroupDraft } from "@/api/users";
import { bad, type Check, OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import { type Keyed, keyed } from "@/widgets/keyed";

export interface UserGroupFields {
  readonly name: string;
  readonly access: string;
  readonly enabled: boolean;
  readonly userids: readonly string[];
  readonly hostRights: readonly Keyed<GroupRight>[];
  readonly templateRights: readonly Keyed<GroupRight>[];
  readonly tagFilters: readonly Keyed<TagFilter>[];
}

export const { READ } = USER_GROUP.fields.hostgroup_rights.fields.permission.names;

export function permissionOptions() {
  return [
    { value: "3", label: t("Read and write") },
    { value: READ, label: t("Read") },
    { value: "0", label: t("Denied") },
  ];
}

export function accessOptions() {
  return [
    { value: "0", label: t("Pages and API") },
    { value: "1", label: t("Pages and API, internal passwords") },
    { value: "2", label: t("LDAP (not supported yet)") },
    { value: "3", label: t("API only") },
  ];
}

export function fieldsOf(group: UserGroup | undefined): UserGroupFields {
  return {
    name: group?.name ?? "",
    access: group?.gui_access ?? "0",
    enabled: group?.users_status !== "1",
    userids: group?.users.map(({ userid }) => userid) ?? [],
    hostRights: group?.hostgroup_rights.map(keyed) ?? [],
    templateRights: group?.templategroup_rights.map(keyed) ?? [],
    tagFilters: group?.tag_filters.map(keyed) ?? [],
  };
}

export function checkName(name: string): Check {
  return name.trim() === "" ? bad(t("a name is required"), 0) : OK;
}

export function newRight(): Keyed<GroupRight> {
  return keyed({ id: "", permission: READ });
}

export function newFilter(): Keyed<TagFilter> {
  return keyed({ groupid: "", tag: "", value: "" });
}

/** Lines in which no group was chosen are left out. */
export function draftOf(fields: UserGroupFields): UserGroupDraft {
  const rights = (lines: UserGroupFields["hostRights"]) =>
    lines.filter(({ id }) => id !== "").map(({ id, permission }) => ({ id, permission }));
  return {
    name: fields.name.trim(),
    gui_access: fields.access,
    users_status: fields.enabled ? "0" : "1",
    users: fields.userids.map((userid) => ({ userid })),
    hostgroup_rights: rights(fields.hostRights),
    templategroup_rights: rights(fields.templateRights),
    tag_filters: fields.tagFilters
      .filter(({ groupid }) => groupid !== "")
      .map(({ groupid, tag, value }) => ({ groupid, tag: tag.trim(), value })),
  };
}
