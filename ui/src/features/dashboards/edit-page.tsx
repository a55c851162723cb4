// A dashboard while it is edited: everything can be taken back until it is saved, and nothing is lost without a word.

import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { IconArrowBackUp, IconArrowForwardUp, IconPlus, IconSettings } from "@tabler/icons-react";
import { useRouteContext } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useMemo, useState } from "react";
import type { Dashboard, DashboardContent, Sharing } from "@/api/dashboards";
import type { Id } from "@/api/types";
import { changedPart } from "@/lib/draft";
import { t } from "@/lib/i18n";
import { useKeys } from "@/ui/keys";
import { NotFound } from "@/ui/not-found";
import { notifyFailed } from "@/ui/notify";
import { Page } from "@/ui/page";
import { EmptyState, LoadingState, ObjectGate } from "@/ui/states";
import { UnsavedGuard } from "@/ui/unsaved";
import { Editable } from "@/widgets/editable";
import { useMeanwhile } from "@/widgets/objects/edited";
import { BoardDialog, PageDialog } from "./board-dialog";
import { BoardProvider, PageTabs } from "./board-view";
import classes from "./dashboards.module.css";
import {
  asNew,
  type BoardDraft,
  began,
  boardOf,
  contentOf,
  done,
  emptyBoard,
  emptyPage,
  newKey,
  PAGES_MAX,
  redone,
  undone,
  type WidgetDraft,
  withCopy,
  withoutWidget,
  withPage,
  withWidget,
} from "./draft";
import { freePlace, within } from "./layout";
import { useDashboard, useSaveDashboard } from "./queries";
import { entryOf } from "./registry";
import { WidgetDialog } from "./widget-dialog";

const GridEditor = lazy(() => import("./grid-editor").then((it) => ({ default: it.GridEditor })));

/** What is edited: the dashboard, and who has it. */
export interface Edited {
  readonly board: BoardDraft;
  readonly sharing: Sharing | undefined;
}

export interface EditDashboardPageProps {
  /** "new" of one that is to be made */
  readonly dashboardid: string;
  /** the one that a new one is a copy of */
  readonly copy: Id | undefined;
  readonly page: number;
  readonly onDone: (id: Id | undefined) => void;
}

export function EditDashboardPage({ dashboardid, copy, page, onDone }: EditDashboardPageProps) {
  const isNew = dashboardid === "new";
  const query = useDashboard(isNew ? copy : dashboardid);
  const { user } = useRouteContext({ from: "/shell" });
  const save = useSaveDashboard(onDone);
  const id = isNew ? undefined : dashboardid;
  const editor = (first: Edited) => (
    <Editable kind="dashboard" id={id} title={first.board.name}>
      <BoardEditor
        key={dashboardid}
        first={first}
        isNew={isNew}
        page={page}
        ownerid={undefined}
        busy={save.isPending}
        onSave={(edited, before) => {
          const written = ({ board, sharing }: Edited) => ({
            ...contentOf(board),
            ...(sharing ?? OWN(user.userid)),
          });
          if (id === undefined) save.mutate({ id, draft: written(edited) });
          else save.mutate({ id, draft: changedPart(written(before), written(edited)) });
        }}
        onCancel={() => onDone(id)}
      />
    </Editable>
  );
  if (isNew && copy === undefined) {
    return editor({ board: emptyBoard(t("New dashboard")), sharing: OWN(user.userid) });
  }
  return (
    <ObjectGate
      query={query}
      absent={
        <NotFound
          title={t("There is no such dashboard.")}
          list={{ path: "/dashboards", name: t("All dashboards") }}
        />
      }
    >
      {(dashboard) => editor(isNew ? copyOf(dashboard, user.userid) : editedOf(dashboard))}
    </ObjectGate>
  );
}

const OWN = (userid: Id): Sharing => ({ userid, private: "1", users: [], userGroups: [] });

function editedOf(dashboard: Dashboard): Edited {
  const { userid, private: isPrivate, users, userGroups } = dashboard;
  return {
    board: boardOf(dashboard),
    sharing: { userid, private: isPrivate, users, userGroups },
  };
}

function copyOf(dashboard: Dashboard, userid: Id): Edited {
  const name = t("{name} (copy)", { name: dashboard.name });
  return { board: { ...asNew(boardOf(dashboard)), name }, sharing: OWN(userid) };
}

type FlatBoard = DashboardContent & { readonly sharing: Sharing | undefined };

/** As it is saved, without the keys of pages and widgets. */
function flatOf({ board, sharing }: Edited): FlatBoard {
  return { ...contentOf(board), sharing };
}

function editedFrom({ sharing, ...content }: FlatBoard): Edited {
  return { board: boardOf(content), sharing };
}

export interface BoardEditorProps {
  readonly first: Edited;
  readonly isNew: boolean;
  /** shown first, from 0 */
  readonly page: number;
  /** of a template's dashboard: the template */
  readonly ownerid: Id | undefined;
  readonly busy: boolean;
  /** next to the buttons */
  readonly extra?: ReactNode;
  /** `before` is what the server has */
  readonly onSave: (edited: Edited, before: Edited) => void;
  readonly onCancel: () => void;
}

type Opened =
  | { readonly dialog: "board" | "page" | "none" }
  | { readonly dialog: "widget"; readonly widget: WidgetDraft; readonly isNew: boolean };

const RANGE = { from: "now-1h", to: "now" };

export function BoardEditor(props: BoardEditorProps) {
  const { first, isNew, ownerid, busy, extra, onSave, onCancel } = props;
  const [history, setHistory] = useState(() => began(first));
  const [at, setAt] = useState(props.page);
  const [opened, setOpened] = useState<Opened>({ dialog: isNew ? "board" : "none" });
  const [range, setRange] = useState(RANGE);
  const { board, sharing } = history.now;
  const shownAt = Math.min(at, board.pages.length - 1);
  const page = board.pages[shownAt];
  const change = (next: Edited, step?: string) => setHistory((it) => done(it, next, step));
  const changeBoard = (next: BoardDraft, step?: string) => change({ board: next, sharing }, step);
  const close = () => setOpened({ dialog: "none" });
  const add = () => {
    if (page === undefined) return;
    const type = "svggraph";
    const widget = newWidget(type, page.widgets);
    if (widget === undefined) notifyPlace();
    else setOpened({ dialog: "widget", widget, isNew: true });
  };
  const addPage = () => {
    changeBoard({ ...board, pages: [...board.pages, emptyPage()] });
    setAt(board.pages.length);
  };
  const undo = () => setHistory(undone);
  const redo = () => setHistory(redone);
  const meanwhile = useMeanwhile({
    server: () => flatOf(first),
    exists: !isNew,
    fields: flatOf(history.now),
    onTake: (next) => setHistory((it) => done(it, editedFrom(next))),
    onSave: (whole, before) => onSave(editedFrom(whole), editedFrom(before)),
  });
  const isChanged = history.past.length > 0 || isNew;
  useKeys({
    "Ctrl+z": (event) => (event.shiftKey ? redo() : undo()),
    "Ctrl+y": redo,
    "Ctrl+s": meanwhile.submit,
    a: add,
  });
  // what was opened and closed again is no change
  const plain = useMemo(() => flatOf({ board, sharing }), [board, sharing]);
  if (page === undefined) return null;
  return (
    <Page
      title={board.name}
      note={t("editing")}
      actions={
        <>
          <Tooltip label={t("Undo (Ctrl+Z)")}>
            <ActionIcon
              variant="default"
              size={26}
              aria-label={t("Undo")}
              disabled={history.past.length === 0}
              onClick={undo}
            >
              <IconArrowBackUp size={15} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label={t("Redo (Ctrl+Y)")}>
            <ActionIcon
              variant="default"
              size={26}
              aria-label={t("Redo")}
              disabled={history.future.length === 0}
              onClick={redo}
            >
              <IconArrowForwardUp size={15} />
            </ActionIcon>
          </Tooltip>
          {extra}
          <Button
            variant="default"
            leftSection={<IconSettings size={14} />}
            onClick={() => setOpened({ dialog: "board" })}
          >
            {t("Properties")}
          </Button>
          <Button variant="default" leftSection={<IconPlus size={14} />} onClick={add}>
            {t("Add widget")}
          </Button>
          <Button variant="default" onClick={onCancel}>
            {t("Cancel")}
          </Button>
          <Button
            loading={busy || meanwhile.checking}
            disabled={!isChanged}
            onClick={meanwhile.submit}
          >
            {t("Save")}
          </Button>
        </>
      }
      scroll
    >
      <UnsavedGuard draft={plain} base={meanwhile.base} />
      {meanwhile.note}
      <BoardProvider
        range={range}
        onRange={setRange}
        hostid={ownerid}
        isTemplated={ownerid !== undefined}
      >
        <PageTabs
          board={board}
          at={shownAt}
          onPage={setAt}
          more={
            <>
              <Tooltip label={t("Page properties")}>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={24}
                  aria-label={t("Page properties")}
                  onClick={() => setOpened({ dialog: "page" })}
                >
                  <IconSettings size={14} />
                </ActionIcon>
              </Tooltip>
              <Tooltip label={t("Add page")}>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={24}
                  aria-label={t("Add page")}
                  disabled={board.pages.length >= PAGES_MAX}
                  onClick={addPage}
                >
                  <IconPlus size={14} />
                </ActionIcon>
              </Tooltip>
            </>
          }
        />
        {page.widgets.length === 0 ? (
          <EmptyState title={t("There are no widgets on this page yet.")}>
            <Button variant="default" onClick={add}>
              {t("Add the first widget")}
            </Button>
          </EmptyState>
        ) : (
          <Suspense fallback={<LoadingState />}>
            <p className={classes["hint"]}>
              {t(
                "Drag the header of a widget to move it, its edges to resize it. Keys: arrows move, Shift with arrows resizes, Enter edits, D copies, Delete removes.",
              )}
            </p>
            <GridEditor
              key={page.key}
              page={page}
              onWidgets={(widgets, step) =>
                changeBoard(
                  withPage(board, page.key, (it) => ({ ...it, widgets })),
                  step,
                )
              }
              onFull={notifyPlace}
              onEdit={(key) => {
                const widget = page.widgets.find((it) => it.key === key);
                if (widget !== undefined) setOpened({ dialog: "widget", widget, isNew: false });
              }}
              onCopy={(key) => {
                const next = withCopy(board, page, key);
                if (next === undefined) notifyPlace();
                else changeBoard(next);
              }}
              onDelete={(key) => changeBoard(withoutWidget(board, key))}
            />
          </Suspense>
        )}
      </BoardProvider>
      {opened.dialog === "board" ? (
        <BoardDialog
          board={board}
          sharing={sharing}
          onClose={close}
          onSave={(nextBoard, nextSharing) => {
            change({ board: nextBoard, sharing: nextSharing });
            close();
          }}
        />
      ) : null}
      {opened.dialog === "page" ? (
        <PageDialog
          page={page}
          mayDelete={board.pages.length > 1}
          onClose={close}
          onSave={(next) => {
            changeBoard(withPage(board, page.key, () => next));
            close();
          }}
          onDelete={() => {
            changeBoard({ ...board, pages: board.pages.filter((it) => it.key !== page.key) });
            setAt(Math.max(0, shownAt - 1));
            close();
          }}
        />
      ) : null}
      {opened.dialog === "widget" ? (
        <WidgetDialog
          key={opened.widget.key}
          board={board}
          widget={opened.widget}
          isNew={opened.isNew}
          ownerid={ownerid}
          onClose={close}
          onSave={(widget) => {
            close();
            if (!opened.isNew) return changeBoard(withWidget(board, widget.key, () => widget));
            const placed = sized(widget, page.widgets);
            if (placed === undefined) return notifyPlace();
            changeBoard(
              withPage(board, page.key, (it) => ({ ...it, widgets: [...it.widgets, placed] })),
            );
          }}
        />
      ) : null}
    </Page>
  );
}

function notifyPlace(): void {
  notifyFailed(
    t("There is no room for the widget on this page."),
    new Error(t("A page has 64 rows: add another one.")),
  );
}

function newWidget(type: string, widgets: readonly WidgetDraft[]): WidgetDraft | undefined {
  const empty: WidgetDraft = {
    key: newKey(),
    id: undefined,
    type,
    name: "",
    hideHeader: false,
    fields: [],
    ...within({ x: 0, y: 0, width: 1, height: 1 }),
  };
  return sized(empty, widgets);
}

/** At a free place, with the size of its kind. */
function sized(widget: WidgetDraft, widgets: readonly WidgetDraft[]): WidgetDraft | undefined {
  const entry = entryOf(widget.type);
  const place = freePlace(widgets, entry?.width ?? 24, entry?.height ?? 4);
  return place === undefined ? undefined : { ...widget, ...place };
}
