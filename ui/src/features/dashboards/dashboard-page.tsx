// A dashboard as it is looked at.

import { ActionIcon, Button, Menu, Tooltip } from "@mantine/core";
import {
  IconCopy,
  IconDots,
  IconMaximize,
  IconMinimize,
  IconPencil,
  IconTrash,
} from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useCallback, useMemo, useState } from "react";
import type { Dashboard } from "@/api/dashboards";
import { t } from "@/lib/i18n";
import type { TimeRange } from "@/lib/time";
import { Confirm } from "@/ui/confirm";
import { useKeys } from "@/ui/keys";
import { NotFound } from "@/ui/not-found";
import { Page } from "@/ui/page";
import { QueryGate } from "@/ui/states";
import { TimeRangePicker } from "@/ui/time-range-picker";
import { HostPicker } from "@/widgets/pickers";
import { BoardProvider, BoardView } from "./board-view";
import classes from "./dashboards.module.css";
import { type BoardDraft, boardOf } from "./draft";
import { DASHBOARD, Fields, followsHost, sourceOf } from "./fields";
import { useDashboard, useDeleteDashboards, useMayChange } from "./queries";
import { type BoardSearch, pageOf, rangeOf, withFull, withHost, withPage } from "./search";

export interface DashboardPageProps {
  readonly dashboardid: string;
  readonly search: BoardSearch;
  readonly onSearch: (search: BoardSearch) => void;
}

export function DashboardPage({ dashboardid, search, onSearch }: DashboardPageProps) {
  const query = useDashboard(dashboardid);
  return (
    <QueryGate query={query}>
      {(dashboard) =>
        dashboard === null ? (
          <NotFound
            title={t("There is no such dashboard.")}
            list={{ path: "/dashboards", name: t("All dashboards") }}
          />
        ) : (
          <Shown key={dashboardid} dashboard={dashboard} search={search} onSearch={onSearch} />
        )
      }
    </QueryGate>
  );
}

interface ShownProps extends Omit<DashboardPageProps, "dashboardid"> {
  readonly dashboard: Dashboard;
}

function Shown({ dashboard, search, onSearch }: ShownProps) {
  const board = useMemo(() => boardOf(dashboard), [dashboard]);
  const mayChange = useMayChange(dashboard.dashboardid);
  const navigate = useNavigate();
  const edit = () =>
    void navigate({
      to: "/dashboards/$dashboardid/edit",
      params: { dashboardid: dashboard.dashboardid },
      search: search.page === undefined ? {} : { page: search.page },
    });
  const full = useFullScreen(search, onSearch);
  useKeys({
    f: full.toggle,
    ...(mayChange.data === true ? { e: edit } : {}),
  });
  const setPage = useCallback((at: number) => onSearch(withPage(search, at)), [search, onSearch]);
  const at = pageOf(search, board.pages.length);
  const range = rangeOf(search);
  const setRange = ({ from, to }: TimeRange) => onSearch({ ...search, from, to });
  return (
    <div className={full.isOn ? classes["full"] : classes["normal"]}>
      <Page
        title={board.name}
        actions={
          <>
            {asksForHost(board) ? (
              <HostPicker
                label={t("Host")}
                placeholder={t("Host")}
                value={search.host === undefined ? [] : [search.host]}
                onChange={(ids) => onSearch(withHost(search, ids.at(-1)))}
              />
            ) : null}
            <TimeRangePicker range={range} onChange={setRange} />
            <FullScreenButton full={full} />
            {mayChange.data === true ? (
              <Button variant="default" leftSection={<IconPencil size={14} />} onClick={edit}>
                {t("Edit")}
              </Button>
            ) : null}
            <MoreMenu dashboard={dashboard} mayChange={mayChange.data === true} />
          </>
        }
        scroll
      >
        <BoardProvider range={range} onRange={setRange} hostid={search.host} isTemplated={false}>
          <BoardView
            board={board}
            at={at}
            onPage={setPage}
            onEdit={mayChange.data === true ? edit : undefined}
          />
        </BoardProvider>
      </Page>
    </div>
  );
}

/** Whether a widget shows what the dashboard's host has. */
function asksForHost(board: BoardDraft): boolean {
  const all = board.pages.flatMap((page) => page.widgets).map((it) => new Fields(it.fields));
  return all.some((it) => followsHost(it) || sourceOf(it, "hostids")?.reference === DASHBOARD);
}

export interface FullScreen {
  readonly isOn: boolean;
  readonly toggle: () => void;
}

/** Without navigation, for screens on walls: a parameter of the address, and the browser's own full screen. */
export function useFullScreen(
  search: BoardSearch,
  onSearch: (search: BoardSearch) => void,
): FullScreen {
  const isOn = search.full === "1";
  const toggle = () => {
    onSearch(withFull(search, !isOn));
    // refused without a user's gesture, and in frames: the page fills the window in any case
    if (isOn) void document.exitFullscreen?.().catch(() => undefined);
    else void document.documentElement.requestFullscreen?.().catch(() => undefined);
  };
  return { isOn, toggle };
}

export function FullScreenButton({ full }: { readonly full: FullScreen }) {
  const name = full.isOn ? t("Leave full screen") : t("Full screen");
  return (
    <Tooltip label={name}>
      <ActionIcon variant="default" size={26} aria-label={name} onClick={full.toggle}>
        {full.isOn ? <IconMinimize size={15} /> : <IconMaximize size={15} />}
      </ActionIcon>
    </Tooltip>
  );
}

interface MoreMenuProps {
  readonly dashboard: Dashboard;
  readonly mayChange: boolean;
}

function MoreMenu({ dashboard, mayChange }: MoreMenuProps) {
  const navigate = useNavigate();
  const [asked, setAsked] = useState(false);
  const remove = useDeleteDashboards("users", () => void navigate({ to: "/dashboards" }));
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={26} aria-label={t("More")}>
            <IconDots size={15} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconCopy size={14} />}
            onClick={() =>
              void navigate({
                to: "/dashboards/$dashboardid/edit",
                params: { dashboardid: "new" },
                search: { copy: dashboard.dashboardid },
              })
            }
          >
            {t("Clone")}
          </Menu.Item>
          {mayChange ? (
            <Menu.Item leftSection={<IconTrash size={14} />} onClick={() => setAsked(true)}>
              {t("Delete")}
            </Menu.Item>
          ) : null}
        </Menu.Dropdown>
      </Menu>
      <Confirm
        opened={asked}
        title={t("Delete {name}?", { name: dashboard.name })}
        action={t("Delete")}
        busy={remove.isPending}
        onConfirm={() => remove.mutate([dashboard.dashboardid])}
        onClose={() => setAsked(false)}
      >
        {t("The dashboard and its widgets are deleted for all users.")}
      </Confirm>
    </>
  );
}
