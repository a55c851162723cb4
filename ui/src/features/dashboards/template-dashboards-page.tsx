// The dashboards of a template: each of its hosts shows them with its own values.

import { Button } from "@mantine/core";
import { IconCopy } from "@tabler/icons-react";
import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import type { TemplateDashboard } from "@/api/dashboards";
import type { Id } from "@/api/types";
import { changedPart } from "@/lib/draft";
import { plural, t } from "@/lib/i18n";
import type { DataColumn } from "@/ui/data-table";
import { NotFound } from "@/ui/not-found";
import { useLock } from "@/ui/rights";
import { QueryGate } from "@/ui/states";
import { EditorOrWhy } from "@/widgets/editable";
import { ObjectList } from "@/widgets/objects/object-list";
import { DeletePicked } from "./delete-picked";
import { asNew, boardOf, contentOf, emptyBoard } from "./draft";
import { BoardEditor, type Edited } from "./edit-page";
import { useSaveTemplateDashboard, useTemplateDashboard, useTemplateDashboards } from "./queries";

const PLACE = "/templates/$templateid/dashboards/$dashboardid";

export function TemplateDashboardsPage({ templateid }: { readonly templateid: Id }) {
  const navigate = useNavigate();
  const columns = useMemo(() => columnsOf(templateid), [templateid]);
  const isLocked = useLock("templatedashboard.update") !== undefined;
  const make = (search: { readonly copy?: string }) =>
    void navigate({ to: PLACE, params: { templateid, dashboardid: "new" }, search });
  return (
    <ObjectList
      title={t("Dashboards")}
      note={(rows) => plural(rows.length, "1 dashboard", "{n} dashboards")}
      calls={{ object: "templatedashboard", words: { create: t("New dashboard") } }}
      query={useTemplateDashboards(templateid)}
      select={(all) => all}
      columns={columns}
      rowKey={({ dashboardid }) => dashboardid}
      picks="templatedashboard.update"
      actions={({ picked, clear }) =>
        isLocked ? null : (
          <PickedDashboards ids={[...picked]} onClone={(copy) => make({ copy })} onDone={clear} />
        )
      }
      onOpen={({ dashboardid }) =>
        void navigate({ to: PLACE, params: { templateid, dashboardid } })
      }
      onNew={() => make({})}
      none={t("There are no dashboards yet.")}
    />
  );
}

interface PickedDashboardsProps {
  readonly ids: readonly Id[];
  readonly onClone: (id: Id) => void;
  readonly onDone: () => void;
}

function PickedDashboards({ ids, onClone, onDone }: PickedDashboardsProps) {
  const [only, ...others] = ids;
  return (
    <>
      <DeletePicked of="templates" ids={ids} onDone={onDone}>
        {t("Hosts with this template no longer show these dashboards.")}
      </DeletePicked>
      {only === undefined || others.length > 0 ? null : (
        <Button
          variant="default"
          leftSection={<IconCopy size={14} />}
          onClick={() => onClone(only)}
        >
          {t("Clone")}
        </Button>
      )}
    </>
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
