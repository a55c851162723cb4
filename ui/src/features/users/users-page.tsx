// Who may log in.

import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import type { UserRow, UsersSeen } from "@/api/users";
import { plural, t } from "@/lib/i18n";
import { formatDateTime } from "@/lib/time";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { NewButton } from "@/ui/new-button";
import { Page } from "@/ui/page";
import { SearchBox } from "@/ui/search-box";
import { EmptyState, QueryGate } from "@/ui/states";
import { useUsers, useUsersSeen } from "./queries";
import { isOnline, seenText } from "./seen";

export interface UsersPageProps {
  readonly text: string;
  readonly onText: (text: string) => void;
}

export function UsersPage({ text, onText }: UsersPageProps) {
  const query = useUsers();
  const seen = useUsersSeen().data;
  const columns = useMemo(() => [...COLUMNS, seenColumn(seen)], [seen]);
  const navigate = useNavigate();
  const rows = useMemo(() => selectUsers(query.data ?? [], text), [query.data, text]);
  const open = (userid: string) => void navigate({ to: "/users/$userid", params: { userid } });
  return (
    <Page
      title={t("Users")}
      note={plural(rows.length, "1 user", "{n} users")}
      actions={
        <NewButton call="user.create" onClick={() => open("new")}>
          {t("New user")}
        </NewButton>
      }
      filters={
        <SearchBox
          value={text}
          onChange={onText}
          placeholder={t("Search names, groups, roles")}
          width={280}
        />
      }
    >
      <QueryGate query={query}>
        {() => (
          <DataTable
            label={t("Users")}
            rows={rows}
            columns={columns}
            rowKey={(it) => it.userid}
            onOpen={(it) => open(it.userid)}
            isDimmed={(it) => !isEnabled(it)}
            empty={<EmptyState title={t("No user matches.")} />}
          />
        )}
      </QueryGate>
    </Page>
  );
}

function selectUsers(users: readonly UserRow[], text: string): readonly UserRow[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return users;
  return users.filter((it) => {
    const groups = it.usrgrps.map(({ name }) => name);
    const content = [it.username, it.name, it.surname, it.role?.name ?? "", ...groups];
    const whole = content.join("\n").toLowerCase();
    return words.every((word) => whole.includes(word));
  });
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
  {
    id: "username",
    title: t("User name"),
    width: "minmax(140px, 1fr)",
    sortValue: (it) => it.username,
    cell: ({ userid, username }) => (
      <Link className="ellipsis" to="/users/$userid" params={{ userid }} data-opens-row>
        {username}
      </Link>
    ),
  },
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
