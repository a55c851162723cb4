import type { Id } from "@/api/types";
import { ObjectPage } from "@/widgets/objects/object-page";
import { ROLES, useRole } from "./queries";
import { RoleForm } from "./role-form";

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
