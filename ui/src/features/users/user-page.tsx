import type { Id } from "@/api/types";
import { QueryGate } from "@/ui/states";
import { ObjectPage } from "@/widgets/objects/object-page";
import { USERS, useOffers, useUser } from "./queries";
import { UserForm } from "./user-form";

export interface UserPageProps {
  readonly userid: Id | "new";
  /** the user who is logged in */
  readonly self: Id;
  readonly onDone: () => void;
}

export function UserPage({ userid, self, onDone }: UserPageProps) {
  const offers = useOffers();
  return (
    <ObjectPage
      id={userid}
      audited="user"
      words={USERS.words}
      query={useUser(userid)}
      nameOf={(it) => it.username}
    >
      {(user) => (
        <QueryGate query={offers}>
          {({ roles, types }) => (
            <UserForm
              key={userid}
              user={user}
              isSelf={userid === self}
              roles={roles}
              types={types}
              onDone={onDone}
            />
          )}
        </QueryGate>
      )}
    </ObjectPage>
  );
}
