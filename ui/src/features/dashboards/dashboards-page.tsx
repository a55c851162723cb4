// Dashboards that one may see: one's own, public ones, and those that others share.

import { Button } from "@mantine/core";
import { IconCopy } from "@tabler/icons-react";
import { Link, useNavigate, useRouteContext } from "@tanstack/react-router";
import { useMemo } from "react";
import type { DashboardRow } from "@/api/dashboards";
import type { Id } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import type { Matcher } from "@/lib/words";
import type { DataColumn } from "@/ui/data-table";
import type { ListProps } from "@/ui/feature";
import { May, useLock } from "@/ui/rights";
import { useReadOnlyIds } from "@/widgets/editable";
import { useUserNames } from "@/widgets/names";
import { nameColumn, useOpen } from "@/widgets/objects/columns";
import { ObjectList } from "@/widgets/objects/object-list";
import { DeletePicked } from "./delete-picked";
import { globalView } from "./preset";
import { useDashboards, useSaveDashboard } from "./queries";

const PATH = "/dashboards/$dashboardid";

export function DashboardsPage(search: ListProps) {
  const users = useUserNames();
  const columns = useMemo(() => {
    const names = new Map((users.data ?? []).map(({ id, name }) => [id, name]));
    return columnsOf((userid) => names.get(userid) ?? `#${userid}`);
  }, [users.data]);
  const open = useOpen(PATH);
  const edit = useOpen("/dashboards/$dashboardid/edit");
  return (
    <ObjectList
      title={t("Dashboards")}
      note={(rows) => plural(rows.length, "1 dashboard", "{n} dashboards")}
      calls={{ object: "dashboard", words: { create: t("New dashboard") } }}
      query={useDashboards()}
      select={select}
      columns={columns}
      rowKey={idOf}
      picks="dashboard.create"
      actions={({ picked, clear }) => <PickedDashboards picked={picked} onDone={clear} />}
      onOpen={(it) => open(idOf(it))}
      onNew={() => edit("new")}
      search={{ ...search, placeholder: t("Search names") }}
      none={t("There are no dashboards yet.")}
      first={
        <May call="dashboard.create">
          <FirstDashboard />
        </May>
      }
    />
  );
}

const idOf = ({ dashboardid }: DashboardRow) => dashboardid;

function select(all: readonly DashboardRow[], finds: Matcher): readonly DashboardRow[] {
  return all.filter(({ name }) => finds(() => [name]));
}

interface PickedDashboardsProps {
  readonly picked: ReadonlySet<Id>;
  readonly onDone: () => void;
}

function PickedDashboards({ picked, onDone }: PickedDashboardsProps) {
  const navigate = useNavigate();
  const ids = useMemo(() => [...picked], [picked]);
  const readOnly = useReadOnlyIds("dashboard", ids);
  const mayDelete = useLock("dashboard.delete") === undefined;
  const [only, ...others] = ids;
  return (
    <>
      {mayDelete && readOnly?.length === 0 ? (
        <DeletePicked of="users" ids={ids} onDone={onDone}>
          {t("The dashboards and their widgets are deleted for all users.")}
        </DeletePicked>
      ) : null}
      {only === undefined || others.length > 0 ? null : (
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
      )}
    </>
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

function sharingText(it: DashboardRow): string {
  if (it.private === "0") return t("Public");
  return it.shares === 0 ? t("Private") : t("Shared");
}

function columnsOf(ownerName: (userid: string) => string): readonly DataColumn<DashboardRow>[] {
  return [
    nameColumn(PATH, idOf, ({ name }) => name, { width: "minmax(200px, 1fr)" }),
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
