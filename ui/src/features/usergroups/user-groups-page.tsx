// Groups of users, who have rights together.

import type { Id } from "@/api/types";
import type { UserGroup } from "@/api/users";
import { plural, t } from "@/lib/i18n";
import type { Matcher } from "@/lib/words";
import type { DataColumn } from "@/ui/data-table";
import type { ListProps } from "@/ui/feature";
import { nameColumn, statusColumn, useOpen } from "@/widgets/objects/columns";
import { ObjectList } from "@/widgets/objects/object-list";
import { ObjectPage } from "@/widgets/objects/object-page";
import { accessOptions } from "./draft";
import { USER_GROUPS, useUserGroup, useUserGroups } from "./queries";
import { UserGroupForm } from "./user-group-form";

const PATH = "/usergroups/$usrgrpid";

export function UserGroupsPage(search: ListProps) {
  const open = useOpen(PATH);
  return (
    <ObjectList
      title={t("User groups")}
      note={(rows) => plural(rows.length, "1 user group", "{n} user groups")}
      calls={USER_GROUPS}
      query={useUserGroups()}
      select={select}
      columns={COLUMNS}
      rowKey={idOf}
      isDimmed={(it) => !isEnabled(it)}
      onOpen={(it) => open(idOf(it))}
      onNew={() => open("new")}
      search={{ ...search, placeholder: t("Search names, users") }}
    />
  );
}

const idOf = ({ usrgrpid }: UserGroup) => usrgrpid;
const isEnabled = ({ users_status }: UserGroup) => users_status === "0";

function select(all: readonly UserGroup[], finds: Matcher): readonly UserGroup[] {
  return all.filter(({ name, users }) =>
    finds(() => [name, ...users.map(({ username }) => username)]),
  );
}

function accessOf(it: UserGroup): string {
  return accessOptions().find(({ value }) => value === it.gui_access)?.label ?? it.gui_access;
}

const COLUMNS: readonly DataColumn<UserGroup>[] = [
  nameColumn(PATH, idOf, ({ name }) => name),
  {
    id: "users",
    title: t("Users"),
    width: "minmax(200px, 2fr)",
    sortValue: (it) => it.users.length,
    cell: (it) => (
      <span className="ellipsis">{it.users.map(({ username }) => username).join(", ")}</span>
    ),
  },
  {
    id: "rights",
    title: t("Permissions on groups"),
    width: "130px",
    sortValue: (it) => it.hostgroup_rights.length + it.templategroup_rights.length,
    cell: (it) => it.hostgroup_rights.length + it.templategroup_rights.length,
  },
  {
    id: "access",
    title: t("Access"),
    width: "minmax(120px, 1fr)",
    sortValue: accessOf,
    cell: (it) => <span className="ellipsis">{accessOf(it)}</span>,
  },
  statusColumn(isEnabled),
];

export interface UserGroupPageProps {
  readonly usrgrpid: Id | "new";
  readonly onDone: () => void;
}

export function UserGroupPage({ usrgrpid, onDone }: UserGroupPageProps) {
  return (
    <ObjectPage
      id={usrgrpid}
      audited="userGroup"
      words={USER_GROUPS.words}
      query={useUserGroup(usrgrpid)}
    >
      {(group) => <UserGroupForm key={usrgrpid} group={group} onDone={onDone} />}
    </ObjectPage>
  );
}
