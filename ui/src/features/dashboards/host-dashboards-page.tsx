// The dashboards that a host has of its templates, with what the host has in them.

import { Select } from "@mantine/core";
import { useCallback, useMemo } from "react";
import type { TemplateDashboard } from "@/api/dashboards";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import type { TimeRange } from "@/lib/time";
import { useKeys } from "@/ui/keys";
import { Page } from "@/ui/page";
import { EmptyState, QueryGate } from "@/ui/states";
import { TimeRangePicker } from "@/ui/time-range-picker";
import { BoardProvider, BoardView } from "./board-view";
import { FullScreenButton, useFullScreen } from "./dashboard-page";
import classes from "./dashboards.module.css";
import { boardOf } from "./draft";
import { useHostDashboard, useHostDashboards } from "./queries";
import { type BoardSearch, pageOf, rangeOf, withPage } from "./search";

export interface HostBoardSearch extends BoardSearch {
  readonly dashboard?: string;
}

export interface HostDashboardsProps {
  readonly hostid: Id;
  readonly search: HostBoardSearch;
  readonly onSearch: (search: HostBoardSearch) => void;
}

export function HostDashboardsPage({ hostid, search, onSearch }: HostDashboardsProps) {
  const list = useHostDashboards(hostid);
  const known = list.data ?? [];
  const chosen = known.find((it) => it.dashboardid === search.dashboard) ?? known[0];
  const query = useHostDashboard(hostid, chosen?.dashboardid);
  const full = useFullScreen(search, (next) =>
    onSearch(search.dashboard === undefined ? next : { ...next, dashboard: search.dashboard }),
  );
  useKeys({ f: full.toggle });
  const range = rangeOf(search);
  const setRange = ({ from, to }: TimeRange) => onSearch({ ...search, from, to });
  return (
    <div className={full.isOn ? classes["full"] : classes["normal"]}>
      <Page
        title={chosen === undefined ? t("Dashboards") : chosen.name}
        actions={
          <>
            {known.length > 1 ? (
              <Select
                aria-label={t("Dashboard")}
                data={known.map((it) => ({ value: it.dashboardid, label: it.name }))}
                value={chosen?.dashboardid ?? null}
                allowDeselect={false}
                searchable
                onChange={(dashboard) =>
                  onSearch({
                    ...(search.from === undefined ? {} : { from: search.from }),
                    ...(search.to === undefined ? {} : { to: search.to }),
                    ...(dashboard === null ? {} : { dashboard }),
                  })
                }
              />
            ) : null}
            <TimeRangePicker range={range} onChange={setRange} />
            <FullScreenButton full={full} />
          </>
        }
        scroll
      >
        <QueryGate query={list}>
          {(all) =>
            all.length === 0 ? (
              <EmptyState title={t("This host has no dashboards.")}>
                {t("Host dashboards come from templates: link a template that has dashboards.")}
              </EmptyState>
            ) : (
              <QueryGate query={query}>
                {(dashboard) => (
                  <BoardProvider range={range} onRange={setRange} hostid={hostid} isTemplated>
                    <HostBoard
                      key={dashboard.dashboardid}
                      dashboard={dashboard}
                      search={search}
                      onSearch={onSearch}
                    />
                  </BoardProvider>
                )}
              </QueryGate>
            )
          }
        </QueryGate>
      </Page>
    </div>
  );
}

interface HostBoardProps extends Omit<HostDashboardsProps, "hostid"> {
  readonly dashboard: TemplateDashboard;
}

function HostBoard({ dashboard, search, onSearch }: HostBoardProps) {
  const board = useMemo(() => boardOf(dashboard), [dashboard]);
  const onPage = useCallback(
    (at: number) =>
      onSearch({
        ...withPage(search, at),
        ...(search.dashboard === undefined ? {} : { dashboard: search.dashboard }),
      }),
    [search, onSearch],
  );
  return <BoardView board={board} at={pageOf(search, board.pages.length)} onPage={onPage} />;
}
