import { useNavigate, useSearch } from "@tanstack/react-router";
import { AuditPage } from "./audit-page";

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
