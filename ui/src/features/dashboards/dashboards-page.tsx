// Dashboards that one may see: one's own, public ones, and those that others share.

import { Button } from "@mantine/core";
import { IconCopy, IconTrash } from "@tabler/icons-react";
import { Link, useNavigate, useRouteContext } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { DashboardRow } from "@/api/dashboards";
import { plural, t } from "@/lib/i18n";
import { Confirm } from "@/ui/confirm";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { NewButton } from "@/ui/new-button";
import { Page } from "@/ui/page";
import { May, useLock } from "@/ui/rights";
import { SearchBox } from "@/ui/search-box";
import { EmptyState, QueryGate } from "@/ui/states";
import { useReadOnlyIds } from "@/widgets/editable";
import { useUserNames } from "@/widgets/names";
import { globalView } from "./preset";
import { useDashboards, useDeleteDashboards, useSaveDashboard } from "./queries";

export interface DashboardsPageProps {
  readonly text: string;
  readonly onText: (text: string) => void;
}

export function DashboardsPage({ text, onText }: DashboardsPageProps) {
  const query = useDashboards();
  const users = useUserNames();
  const navigate = useNavigate();
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState(false);
  const remove = useDeleteDashboards("users", () => {
    setPicked(new Set());
    setAsked(false);
  });
  const rows = useMemo(() => selectDashboards(query.data ?? [], text), [query.data, text]);
  const columns = useMemo(() => {
    const names = new Map((users.data ?? []).map(({ id, name }) => [id, name]));
    return columnsOf((userid) => names.get(userid) ?? `#${userid}`);
  }, [users.data]);
  const [only] = picked;
  const readOnly = useReadOnlyIds(
    "dashboard",
    useMemo(() => [...picked], [picked]),
  );
  const mayPick = useLock("dashboard.create") === undefined;
  return (
    <Page
      title={t("Dashboards")}
      note={plural(rows.length, "1 dashboard", "{n} dashboards")}
      actions={
        <>
          {picked.size === 0 || readOnly?.length !== 0 ? null : (
            <May call="dashboard.delete">
              <Button
                variant="default"
                leftSection={<IconTrash size={14} />}
                onClick={() => setAsked(true)}
              >
                {t("Delete")}
              </Button>
            </May>
          )}
          {picked.size === 1 && only !== undefined ? (
            <May call="dashboard.create">
              <Button
                variant="default"
                leftSection={<IconCopy size={14} />}
                onClick={() =>
                  void navigate({
                    to: "/dashboards/$dashboardid/edit",
                    params: { dashboardid: "new" },
                    search: { copy: only },
                  })
                }
              >
                {t("Clone")}
              </Button>
            </May>
          ) : null}
          <NewButton
            call="dashboard.create"
            onClick={() =>
              void navigate({
                to: "/dashboards/$dashboardid/edit",
                params: { dashboardid: "new" },
              })
            }
          >
            {t("New dashboard")}
          </NewButton>
        </>
      }
      filters={
        <SearchBox value={text} onChange={onText} placeholder={t("Search names")} width={280} />
      }
    >
      <QueryGate query={query}>
        {(all) => (
          <DataTable
            label={t("Dashboards")}
            rows={rows}
            columns={columns}
            rowKey={(it) => it.dashboardid}
            picking={mayPick ? { picked, onChange: setPicked } : undefined}
            onOpen={({ dashboardid }) =>
              void navigate({ to: "/dashboards/$dashboardid", params: { dashboardid } })
            }
            empty={
              <EmptyState
                title={
                  all.length === 0 ? t("There are no dashboards yet.") : t("No dashboard matches.")
                }
              >
                {all.length === 0 ? (
                  <May call="dashboard.create">
                    <FirstDashboard />
                  </May>
                ) : null}
              </EmptyState>
            }
          />
        )}
      </QueryGate>
      <Confirm
        opened={asked}
        title={plural(picked.size, "Delete the dashboard?", "Delete {n} dashboards?")}
        action={t("Delete")}
        busy={remove.isPending}
        onConfirm={() => remove.mutate([...picked])}
        onClose={() => setAsked(false)}
      >
        {t("The dashboards and their widgets are deleted for all users.")}
      </Confirm>
    </Page>
  );
}

/** Two ways to begin: with what most need, or with nothing. */
function FirstDashboard() {
  const { user } = useRouteContext({ from: "/shell" });
  const navigate = useNavigate();
  const save = useSaveDashboard(
    (dashboardid) => void navigate({ to: "/dashboards/$dashboardid", params: { dashboardid } }),
  );
  return (
    <>
      <Button
        loading={save.isPending}
        onClick={() => save.mutate({ id: undefined, draft: globalView(user.userid) })}
      >
        {t("Create “Global view”")}
      </Button>
      <p>
        <Link to="/dashboards/$dashboardid/edit" params={{ dashboardid: "new" }}>
          {t("or start with an empty dashboard")}
        </Link>
      </p>
    </>
  );
}

function selectDashboards(all: readonly DashboardRow[], text: string): readonly DashboardRow[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return all;
  return all.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
}

function sharingText(it: DashboardRow): string {
  if (it.private === "0") return t("Public");
  return it.shares === 0 ? t("Private") : t("Shared");
}

function columnsOf(ownerName: (userid: string) => string): readonly DataColumn<DashboardRow>[] {
  return [
    {
      id: "name",
      title: t("Name"),
      width: "minmax(200px, 1fr)",
      sortValue: (it) => it.name,
      cell: ({ dashboardid, name }) => (
        <Link
          className="ellipsis"
          to="/dashboards/$dashboardid"
          params={{ dashboardid }}
          data-opens-row
        >
          {name}
        </Link>
      ),
    },
    {
      id: "pages",
      title: t("Pages"),
      width: "80px",
      sortValue: (it) => it.pages,
      cell: ({ pages }) => pages,
    },
    {
      id: "owner",
      title: t("Owner"),
      width: "minmax(180px, 280px)",
      sortValue: (it) => ownerName(it.userid),
      cell: ({ userid }) => <span className="ellipsis">{ownerName(userid)}</span>,
    },
    {
      id: "sharing",
      title: t("Sharing"),
      width: "120px",
      sortValue: sharingText,
      cell: sharingText,
    },
  ];
}
