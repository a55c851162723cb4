// Kinds of users.

import { Link, useNavigate } from "@tanstack/react-router";
import type { Id } from "@/api/types";
import type { Role } from "@/api/users";
import { plural, t } from "@/lib/i18n";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { NewButton } from "@/ui/new-button";
import { Page } from "@/ui/page";
import { EmptyState, QueryGate } from "@/ui/states";
import { ObjectPage } from "@/widgets/objects/object-page";
import { ROLES, useRole, useRoles } from "./queries";
import { RoleForm } from "./role-form";
import { typeName } from "./role-types";

export function RolesPage() {
  const query = useRoles();
  const navigate = useNavigate();
  const open = (roleid: string) => void navigate({ to: "/roles/$roleid", params: { roleid } });
  return (
    <Page
      title={t("User roles")}
      note={plural(query.data?.length ?? 0, "1 user role", "{n} user roles")}
      actions={
        <NewButton call="role.create" onClick={() => open("new")}>
          {t("New user role")}
        </NewButton>
      }
    >
      <QueryGate query={query}>
        {(rows) => (
          <DataTable
            label={t("User roles")}
            rows={rows}
            columns={COLUMNS}
            rowKey={(it) => it.roleid}
            onOpen={(it) => open(it.roleid)}
            empty={<EmptyState title={t("There are no user roles.")} />}
          />
        )}
      </QueryGate>
    </Page>
  );
}

const COLUMNS: readonly DataColumn<Role>[] = [
  {
    id: "name",
    title: t("Name"),
    width: "minmax(160px, 1fr)",
    sortValue: (it) => it.name,
    cell: ({ roleid, name }) => (
      <Link className="ellipsis" to="/roles/$roleid" params={{ roleid }} data-opens-row>
        {name}
      </Link>
    ),
  },
  {
    id: "type",
    title: t("Type"),
    width: "140px",
    sortValue: (it) => it.type,
    cell: (it) => typeName(it.type),
  },
  {
    id: "api",
    title: "API",
    width: "110px",
    sortValue: (it) => String(it.rules.apiAccess),
    cell: (it) =>
      it.rules.apiAccess ? (
        <span className="ok">{t("Allowed")}</span>
      ) : (
        <span className="bad">{t("Denied")}</span>
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
];

export interface RolePageProps {
  readonly roleid: Id | "new";
  readonly onDone: () => void;
}

export function RolePage({ roleid, onDone }: RolePageProps) {
  return (
    <ObjectPage id={roleid} audited="role" words={ROLES.words} query={useRole(roleid)}>
      {(role) => <RoleForm key={roleid} role={role} onDone={onDone} />}
    </ObjectPage>
  );
}
