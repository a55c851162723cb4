// Keys for programs that call the API: one's own, and those of all users for super admins.

import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Id } from "@/api/types";
import type { Token } from "@/api/users";
import { plural, t } from "@/lib/i18n";
import { formatDateTime, nowSeconds } from "@/lib/time";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { NewButton } from "@/ui/new-button";
import { Page } from "@/ui/page";
import { EmptyState, QueryGate } from "@/ui/states";
import { useUserNames } from "@/widgets/names";
import { useTokens } from "./queries";

export function TokensPage() {
  const query = useTokens();
  const users = useUserNames();
  const navigate = useNavigate();
  const columns = useMemo(() => {
    const names = new Map((users.data ?? []).map(({ id, name }) => [id, name]));
    return columnsOf((id) => names.get(id) ?? `#${id}`);
  }, [users.data]);
  const open = (tokenid: string) => void navigate({ to: "/tokens/$tokenid", params: { tokenid } });
  return (
    <Page
      title={t("API tokens")}
      note={plural(query.data?.length ?? 0, "1 API token", "{n} API tokens")}
      actions={
        <NewButton call="token.create" onClick={() => open("new")}>
          {t("New API token")}
        </NewButton>
      }
    >
      <QueryGate query={query}>
        {(rows) => (
          <DataTable
            label={t("API tokens")}
            rows={rows}
            columns={columns}
            rowKey={(it) => it.tokenid}
            onOpen={(it) => open(it.tokenid)}
            isDimmed={(it) => stateOf(it) !== "enabled"}
            empty={<EmptyState title={t("There are no API tokens yet.")} />}
          />
        )}
      </QueryGate>
    </Page>
  );
}

function stateOf(it: Token): "enabled" | "disabled" | "expired" {
  const ends = Number(it.expires_at);
  if (ends > 0 && ends <= nowSeconds()) return "expired";
  return it.status === "0" ? "enabled" : "disabled";
}

const STATES = { enabled: t("Enabled"), disabled: t("Disabled"), expired: t("Expired") } as const;

function columnsOf(userName: (id: Id) => string): readonly DataColumn<Token>[] {
  return [
    {
      id: "name",
      title: t("Name"),
      width: "minmax(160px, 1fr)",
      sortValue: (it) => it.name,
      cell: ({ tokenid, name }) => (
        <Link className="ellipsis" to="/tokens/$tokenid" params={{ tokenid }} data-opens-row>
          {name}
        </Link>
      ),
    },
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
