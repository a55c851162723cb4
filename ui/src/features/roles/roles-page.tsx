// Kinds of users.

import type { Id } from "@/api/types";
import type { Role } from "@/api/users";
import { plural, t } from "@/lib/i18n";
import type { DataColumn } from "@/ui/data-table";
import { nameColumn, useOpen } from "@/widgets/objects/columns";
import { ObjectList } from "@/widgets/objects/object-list";
import { ObjectPage } from "@/widgets/objects/object-page";
import { ROLES, useRole, useRoles } from "./queries";
import { RoleForm } from "./role-form";
import { typeName } from "./role-types";

const PATH = "/roles/$roleid";

export function RolesPage() {
  const open = useOpen(PATH);
  return (
    <ObjectList
      title={t("User roles")}
      note={(rows) => plural(rows.length, "1 user role", "{n} user roles")}
      calls={ROLES}
      query={useRoles()}
      select={(all) => all}
      columns={COLUMNS}
      rowKey={idOf}
      onOpen={(it) => open(idOf(it))}
      onNew={() => open("new")}
    />
  );
}

const idOf = ({ roleid }: Role) => roleid;

const COLUMNS: readonly DataColumn<Role>[] = [
  nameColumn(PATH, idOf, ({ name }) => name),
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
