// Keys for programs that call the API: one's own, and those of all users for super admins.

import { useMemo } from "react";
import type { Id } from "@/api/types";
import type { Token } from "@/api/users";
import { plural, t } from "@/lib/i18n";
import { formatDateTime, nowSeconds } from "@/lib/time";
import type { DataColumn } from "@/ui/data-table";
import { useUserNames } from "@/widgets/names";
import { nameColumn, useOpen } from "@/widgets/objects/columns";
import { ObjectList } from "@/widgets/objects/object-list";
import { TOKENS, useTokens } from "./queries";

const PATH = "/tokens/$tokenid";

export function TokensPage() {
  const users = useUserNames();
  const columns = useMemo(() => {
    const names = new Map((users.data ?? []).map(({ id, name }) => [id, name]));
    return columnsOf((id) => names.get(id) ?? `#${id}`);
  }, [users.data]);
  const open = useOpen(PATH);
  return (
    <ObjectList
      title={t("API tokens")}
      note={(rows) => plural(rows.length, "1 API token", "{n} API tokens")}
      calls={TOKENS}
      query={useTokens()}
      select={(all) => all}
      columns={columns}
      rowKey={idOf}
      isDimmed={(it) => stateOf(it) !== "enabled"}
      onOpen={(it) => open(idOf(it))}
      onNew={() => open("new")}
      none={t("There are no API tokens yet.")}
    />
  );
}

const idOf = ({ tokenid }: Token) => tokenid;

function stateOf(it: Token): "enabled" | "disabled" | "expired" {
  const ends = Number(it.expires_at);
  if (ends > 0 && ends <= nowSeconds()) return "expired";
  return it.status === "0" ? "enabled" : "disabled";
}

const STATES = { enabled: t("Enabled"), disabled: t("Disabled"), expired: t("Expired") } as const;

function columnsOf(userName: (id: Id) => string): readonly DataColumn<Token>[] {
  return [
    nameColumn(PATH, idOf, ({ name }) => name),
    {
      id: "user",
      title: t("User"),
      width: "minmax(140px, 1fr)",
      sortValue: (it) => userName(it.userid),
      cell: (it) => <span className="ellipsis">{userName(it.userid)}</span>,
    },
    {
      id: "created",
      title: t("Created"),
      width: "170px",
      sortValue: (it) => Number(it.created_at),
      cell: (it) => formatDateTime(Number(it.created_at)),
    },
    {
      id: "expires",
      title: t("Expires"),
      width: "170px",
      sortValue: (it) => Number(it.expires_at),
      cell: (it) =>
        it.expires_at === "0" ? (
          <span className="dim">{t("never")}</span>
        ) : (
          formatDateTime(Number(it.expires_at))
        ),
    },
    {
      id: "status",
      title: t("Status"),
      width: "100px",
      sortValue: stateOf,
      cell: (it) => {
        const state = stateOf(it);
        return <span className={state === "enabled" ? "ok" : "bad"}>{STATES[state]}</span>;
      },
    },
  ];
}
