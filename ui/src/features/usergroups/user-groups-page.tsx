// Groups of users, who have rights together.

import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Id } from "@/api/types";
import type { UserGroup } from "@/api/users";
import { plural, t } from "@/lib/i18n";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { NewButton } from "@/ui/new-button";
import { Page } from "@/ui/page";
import { SearchBox } from "@/ui/search-box";
import { EmptyState, QueryGate } from "@/ui/states";
import { ObjectPage } from "@/widgets/objects/object-page";
import { accessOptions } from "./draft";
import { USER_GROUPS, useUserGroup, useUserGroups } from "./queries";
import { UserGroupForm } from "./user-group-form";

export interface UserGroupsPageProps {
  readonly text: string;
  readonly onText: (text: string) => void;
}

export function UserGroupsPage({ text, onText }: UserGroupsPageProps) {
  const query = useUserGroups();
  const navigate = useNavigate();
  const rows = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return (query.data ?? []).filter(({ name, users }) => {
      const content = [name, ...users.map((it) => it.username)].join("\n").toLowerCase();
      return words.every((word) => content.includes(word));
    });
  }, [query.data, text]);
  const open = (usrgrpid: string) =>
    void navigate({ to: "/usergroups/$usrgrpid", params: { usrgrpid } });
  return (
    <Page
      title={t("User groups")}
      note={plural(rows.length, "1 user group", "{n} user groups")}
      actions={
        <NewButton call="usergroup.create" onClick={() => open("new")}>
          {t("New user group")}
        </NewButton>
      }
      filters={
        <SearchBox
          value={text}
          onChange={onText}
          placeholder={t("Search names, users")}
          width={280}
        />
      }
    >
      <QueryGate query={query}>
        {() => (
          <DataTable
            label={t("User groups")}
            rows={rows}
            columns={COLUMNS}
            rowKey={(it) => it.usrgrpid}
            onOpen={(it) => open(it.usrgrpid)}
            isDimmed={(it) => it.users_status === "1"}
            empty={<EmptyState title={t("No user group matches.")} />}
          />
        )}
      </QueryGate>
    </Page>
  );
}

function accessOf(it: UserGroup): string {
  return accessOptions().find(({ value }) => value === it.gui_access)?.label ?? it.gui_access;
}

const COLUMNS: readonly DataColumn<UserGroup>[] = [
  {
    id: "name",
    title: t("Name"),
    width: "minmax(160px, 1fr)",
    sortValue: (it) => it.name,
    cell: ({ usrgrpid, name }) => (
      <Link className="ellipsis" to="/usergroups/$usrgrpid" params={{ usrgrpid }} data-opens-row>
        {name}
      </Link>
    ),
  },
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
  {
    id: "status",
    title: t("Status"),
    width: "100px",
    sortValue: (it) => it.users_status,
    cell: (it) =>
      it.users_status === "0" ? (
        <span className="ok">{t("Enabled")}</span>
      ) : (
        <span className="bad">{t("Disabled")}</span>
      ),
  },
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
