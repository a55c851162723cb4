import { useNavigate, useParams, useRouteContext, useSearch } from "@tanstack/react-router";
import { AuditPage } from "@/features/audit/audit-page";
import { ProfilePage } from "@/features/profile/profile-page";
import { RolePage } from "@/features/roles/role-page";
import { RolesPage } from "@/features/roles/roles-page";
import { TokenPage } from "@/features/tokens/token-page";
import { TokensPage } from "@/features/tokens/tokens-page";
import { UserGroupPage } from "@/features/usergroups/user-group-page";
import { UserGroupsPage } from "@/features/usergroups/user-groups-page";
import { UserPage } from "@/features/users/user-page";
import { UsersPage } from "@/features/users/users-page";

export function UsersRoute() {
  const { q = "" } = useSearch({ from: "/shell/users" });
  const navigate = useNavigate();
  return (
    <UsersPage
      text={q}
      onText={(text) =>
        void navigate({ to: "/users", search: text === "" ? {} : { q: text }, replace: true })
      }
    />
  );
}

export function UserRoute() {
  const { userid } = useParams({ from: "/shell/users/$userid" });
  const { user } = useRouteContext({ from: "/shell" });
  const navigate = useNavigate();
  return (
    <UserPage
      userid={userid}
      self={user.userid}
      onDone={() => void navigate({ to: "/users", ignoreBlocker: true })}
    />
  );
}

export function UserGroupsRoute() {
  const { q = "" } = useSearch({ from: "/shell/usergroups" });
  const navigate = useNavigate();
  return (
    <UserGroupsPage
      text={q}
      onText={(text) =>
        void navigate({ to: "/usergroups", search: text === "" ? {} : { q: text }, replace: true })
      }
    />
  );
}

export function UserGroupRoute() {
  const { usrgrpid } = useParams({ from: "/shell/usergroups/$usrgrpid" });
  const navigate = useNavigate();
  return (
    <UserGroupPage
      usrgrpid={usrgrpid}
      onDone={() => void navigate({ to: "/usergroups", ignoreBlocker: true })}
    />
  );
}

export function RolesRoute() {
  return <RolesPage />;
}

export function RoleRoute() {
  const { roleid } = useParams({ from: "/shell/roles/$roleid" });
  const navigate = useNavigate();
  return (
    <RolePage roleid={roleid} onDone={() => void navigate({ to: "/roles", ignoreBlocker: true })} />
  );
}

export function TokensRoute() {
  return <TokensPage />;
}

const SUPER_ADMIN = 3;

export function TokenRoute() {
  const { tokenid } = useParams({ from: "/shell/tokens/$tokenid" });
  const { user } = useRouteContext({ from: "/shell" });
  const navigate = useNavigate();
  return (
    <TokenPage
      tokenid={tokenid}
      self={user.userid}
      forOthers={user.type === SUPER_ADMIN}
      onDone={() => void navigate({ to: "/tokens", ignoreBlocker: true })}
    />
  );
}

export function AuditRoute() {
  const { q = "", user, action, type, within } = useSearch({ from: "/shell/audit" });
  const seconds = Number(within);
  const navigate = useNavigate();
  return (
    <AuditPage
      filter={{
        name: q,
        userid: user,
        action,
        resourcetype: type,
        within: Number.isInteger(seconds) && seconds > 0 ? seconds : undefined,
      }}
      onFilter={({ name, userid, action: done, resourcetype, within: back }) =>
        void navigate({
          to: "/audit",
          search: {
            ...(name === "" ? {} : { q: name }),
            ...(userid === undefined ? {} : { user: userid }),
            ...(done === undefined ? {} : { action: done }),
            ...(resourcetype === undefined ? {} : { type: resourcetype }),
            ...(back === undefined ? {} : { within: String(back) }),
          },
          replace: true,
        })
      }
    />
  );
}

export function ProfileRoute() {
  const { user } = useRouteContext({ from: "/shell" });
  const navigate = useNavigate();
  return (
    <ProfilePage
      userid={user.userid}
      onDone={() => void navigate({ to: "/", ignoreBlocker: true })}
    />
  );
}
