// The dashboards of a template: each of its hosts shows them with its own values.

import { Button } from "@mantine/core";
import { IconCopy, IconTrash } from "@tabler/icons-react";
import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { TemplateDashboard } from "@/api/dashboards";
import type { Id } from "@/api/types";
import { changedPart } from "@/lib/draft";
import { plural, t } from "@/lib/i18n";
import { Confirm } from "@/ui/confirm";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { NewButton } from "@/ui/new-button";
import { NotFound } from "@/ui/not-found";
import { Page } from "@/ui/page";
import { useLock } from "@/ui/rights";
import { EmptyState, QueryGate } from "@/ui/states";
import { EditorOrWhy } from "@/widgets/editable";
import { asNew, boardOf, contentOf, emptyBoard } from "./draft";
import { BoardEditor, type Edited } from "./edit-page";
import {
  useDeleteDashboards,
  useSaveTemplateDashboard,
  useTemplateDashboard,
  useTemplateDashboards,
} from "./queries";

const PLACE = "/templates/$templateid/dashboards/$dashboardid";

export function TemplateDashboardsPage({ templateid }: { readonly templateid: Id }) {
  const query = useTemplateDashboards(templateid);
  const navigate = useNavigate();
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState(false);
  const remove = useDeleteDashboards("templates", () => {
    setPicked(new Set());
    setAsked(false);
  });
  const columns = useMemo(() => columnsOf(templateid), [templateid]);
  const [only] = picked;
  const isLocked = useLock("templatedashboard.update") !== undefined;
  const make = (search: { readonly copy?: string }) =>
    void navigate({ to: PLACE, params: { templateid, dashboardid: "new" }, search });
  return (
    <Page
      title={t("Dashboards")}
      note={plural(query.data?.length ?? 0, "1 dashboard", "{n} dashboards")}
      actions={
        <>
          {picked.size === 0 || isLocked ? null : (
            <Button
              variant="default"
              leftSection={<IconTrash size={14} />}
              onClick={() => setAsked(true)}
            >
              {t("Delete")}
            </Button>
          )}
          {picked.size === 1 && only !== undefined && !isLocked ? (
            <Button
              variant="default"
              leftSection={<IconCopy size={14} />}
              onClick={() => make({ copy: only })}
            >
              {t("Clone")}
            </Button>
          ) : null}
          <NewButton call="templatedashboard.create" onClick={() => make({})}>
            {t("New dashboard")}
          </NewButton>
        </>
      }
    >
      <QueryGate query={query}>
        {(rows) => (
          <DataTable
            label={t("Dashboards")}
            rows={rows}
            columns={columns}
            rowKey={(it) => it.dashboardid}
            picking={isLocked ? undefined : { picked, onChange: setPicked }}
            onOpen={({ dashboardid }) =>
              void navigate({ to: PLACE, params: { templateid, dashboardid } })
            }
            empty={<EmptyState title={t("There are no dashboards yet.")} />}
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
        {t("Hosts with this template no longer show these dashboards.")}
      </Confirm>
    </Page>
  );
}

function columnsOf(templateid: Id): readonly DataColumn<TemplateDashboard>[] {
  return [
    {
      id: "name",
      title: t("Name"),
      width: "minmax(200px, 1fr)",
      sortValue: (it) => it.name,
      cell: ({ dashboardid, name }) => (
        <Link className="ellipsis" to={PLACE} params={{ templateid, dashboardid }} data-opens-row>
          {name}
        </Link>
      ),
    },
    {
      id: "pages",
      title: t("Pages"),
      width: "80px",
      sortValue: (it) => it.pages.length,
      cell: ({ pages }) => pages.length,
    },
    {
      id: "widgets",
      title: t("Widgets"),
      width: "90px",
      sortValue: (it) => widgetsOf(it),
      cell: widgetsOf,
    },
  ];
}

const widgetsOf = ({ pages }: TemplateDashboard): number =>
  pages.reduce((sum, { widgets }) => sum + widgets.length, 0);

export interface EditTemplateDashboardProps {
  readonly templateid: Id;
  /** "new" of one that is to be made */
  readonly dashboardid: string;
  readonly copy: Id | undefined;
  readonly onDone: () => void;
}

export function EditTemplateDashboardPage(props: EditTemplateDashboardProps) {
  const { templateid, dashboardid, copy, onDone } = props;
  const isNew = dashboardid === "new";
  const query = useTemplateDashboard(isNew ? copy : dashboardid);
  const save = useSaveTemplateDashboard(templateid, onDone);
  const editor = (first: Edited) => (
    <EditorOrWhy
      call={isNew ? "templatedashboard.create" : "templatedashboard.update"}
      title={first.board.name}
    >
      <BoardEditor
        key={dashboardid}
        first={first}
        isNew={isNew}
        page={0}
        ownerid={templateid}
        busy={save.isPending}
        onSave={({ board }, before) => {
          const draft = contentOf(board);
          if (isNew) save.mutate({ id: undefined, draft });
          else save.mutate({ id: dashboardid, draft: changedPart(contentOf(before.board), draft) });
        }}
        onCancel={onDone}
      />
    </EditorOrWhy>
  );
  if (isNew && copy === undefined) {
    return editor({ board: emptyBoard(t("New dashboard")), sharing: undefined });
  }
  return (
    <QueryGate query={query}>
      {(dashboard) => {
        if (dashboard === null) {
          return (
            <NotFound
              title={t("There is no such dashboard.")}
              list={{ path: `/templates/${templateid}/dashboards`, name: t("All dashboards") }}
            />
          );
        }
        const board = boardOf(dashboard);
        const name = t("{name} (copy)", { name: dashboard.name });
        return editor({ board: isNew ? { ...asNew(board), name } : board, sharing: undefined });
      }}
    </QueryGate>
  );
}
