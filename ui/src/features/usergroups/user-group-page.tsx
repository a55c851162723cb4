import type { Id } from "@/api/types";
import { ObjectPage } from "@/widgets/objects/object-page";
import { USER_GROUPS, useUserGroup } from "./queries";
import { UserGroupForm } from "./user-group-form";

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
