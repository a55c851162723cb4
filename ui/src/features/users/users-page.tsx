// Who may log in.

import { useMemo } from "react";
import type { UserRow, UsersSeen } from "@/api/users";
import { plural, t } from "@/lib/i18n";
import { formatDateTime } from "@/lib/time";
import type { Matcher } from "@/lib/words";
import type { DataColumn } from "@/ui/data-table";
import type { ListProps } from "@/ui/feature";
import { nameColumn, useOpen } from "@/widgets/objects/columns";
import { ObjectList } from "@/widgets/objects/object-list";
import { USERS, useUsers, useUsersSeen } from "./queries";
import { isOnline, seenText } from "./seen";

const PATH = "/users/$userid";

export function UsersPage(search: ListProps) {
  const seen = useUsersSeen().data;
  const columns = useMemo(() => [...COLUMNS, seenColumn(seen)], [seen]);
  const open = useOpen(PATH);
  return (
    <ObjectList
      title={t("Users")}
      note={(rows) => plural(rows.length, "1 user", "{n} users")}
      calls={USERS}
      query={useUsers()}
      select={select}
      columns={columns}
      rowKey={idOf}
      isDimmed={(it) => !isEnabled(it)}
      onOpen={(it) => open(idOf(it))}
      onNew={() => open("new")}
      search={{ ...search, placeholder: t("Search names, groups, roles") }}
    />
  );
}

const idOf = ({ userid }: UserRow) => userid;

function select(all: readonly UserRow[], finds: Matcher): readonly UserRow[] {
  return all.filter(({ username, name, surname, role, usrgrps }) =>
    finds(() => [username, name, surname, role?.name ?? "", ...usrgrps.map((it) => it.name)]),
  );
}

/** Without a role nobody logs in; one group that is disabled disables its users. */
function isEnabled(it: UserRow): boolean {
  return it.role !== undefined && it.usrgrps.every(({ users_status }) => users_status === "0");
}

const NO_PAGES = "3";

function statusOf(it: UserRow): string {
  if (it.role === undefined) return t("No role");
  if (!isEnabled(it)) return t("Disabled");
  return it.usrgrps.some(({ gui_access }) => gui_access === NO_PAGES)
    ? t("API only")
    : t("Enabled");
}

function seenColumn(seen: UsersSeen | undefined): DataColumn<UserRow> {
  return {
    id: "seen",
    title: t("Last seen"),
    width: "120px",
    wideOnly: true,
    sortValue: ({ userid }) => seen?.last.get(userid)?.lastaccess ?? 0,
    cell: ({ userid }) => {
      const last = seen?.last.get(userid);
      if (seen === undefined || last === undefined) return "";
      return (
        <span
          className={isOnline(last, seen.clock) ? "ok" : undefined}
          title={formatDateTime(last.lastaccess)}
        >
          {seenText(last, seen.clock)}
        </span>
      );
    },
  };
}

const COLUMNS: readonly DataColumn<UserRow>[] = [
  nameColumn(PATH, idOf, ({ username }) => username, {
    id: "username",
    title: t("User name"),
    width: "minmax(140px, 1fr)",
  }),
  {
    id: "name",
    title: t("Name"),
    width: "minmax(140px, 1fr)",
    sortValue: (it) => `${it.surname} ${it.name}`,
    cell: (it) => <span className="ellipsis">{`${it.name} ${it.surname}`.trim()}</span>,
  },
  {
    id: "role",
    title: t("Role"),
    width: "minmax(120px, 0.8fr)",
    sortValue: (it) => it.role?.name ?? "",
    cell: (it) => <span className="ellipsis">{it.role?.name ?? ""}</span>,
  },
  {
    id: "groups",
    title: t("User groups"),
    width: "minmax(180px, 2fr)",
    cell: (it) => <span className="ellipsis">{it.usrgrps.map(({ name }) => name).join(", ")}</span>,
  },
  {
    id: "status",
    title: t("Status"),
    width: "120px",
    sortValue: statusOf,
    cell: (it) => <span className={isEnabled(it) ? "ok" : "bad"}>{statusOf(it)}</span>,
  },
];
