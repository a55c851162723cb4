// Maintenances: their state, when each is in effect next, and a calendar.

import { Select } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Maintenance } from "@/api/maintenance";
import { plural, t } from "@/lib/i18n";
import { formatDateTime, nowSeconds } from "@/lib/time";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { NewButton } from "@/ui/new-button";
import { Page } from "@/ui/page";
import { SearchBox } from "@/ui/search-box";
import { EmptyState, QueryGate } from "@/ui/states";
import { Calendar } from "./calendar";
import classes from "./maintenance.module.css";
import { useMaintenanceCalendar, useMaintenances } from "./queries";
import { hostsText, midnights, nearest, occurrencesOf, STATE_NAMES, stateOf } from "./state";

const DAYS = 28;

export interface MaintenancesPageProps {
  readonly text: string;
  readonly state: string;
  readonly onSearch: (text: string, state: string) => void;
}

export function MaintenancesPage(props: MaintenancesPageProps) {
  const { text, state, onSearch } = props;
  const query = useMaintenances();
  const navigate = useNavigate();
  const [from = 0] = midnights(nowSeconds(), 0, 0);
  const until = midnights(nowSeconds(), DAYS, 0)[0] ?? 0;
  const calendar = useMaintenanceCalendar(from, until);
  const columns = useMemo(() => {
    const occurrences = occurrencesOf(calendar.data?.maintenances);
    return columnsOf((id) => nearest(occurrences.get(id), nowSeconds()));
  }, [calendar.data]);
  const rows = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return (query.data ?? []).filter(
      (it) =>
        words.every((word) => it.name.toLowerCase().includes(word)) &&
        (state === "" || stateOf(it, nowSeconds()) === state),
    );
  }, [query.data, text, state]);
  const open = (maintenanceid: string) =>
    void navigate({ to: "/maintenance/$maintenanceid", params: { maintenanceid } });
  return (
    <Page
      title={t("Maintenance")}
      note={plural(rows.length, "1 maintenance", "{n} maintenances")}
      actions={
        <NewButton call="maintenance.create" onClick={() => open("new")}>
          {t("New maintenance")}
        </NewButton>
      }
      filters={
        <>
          <SearchBox
            value={text}
            onChange={(next) => onSearch(next, state)}
            placeholder={t("Search names")}
            width={280}
          />
          <Select
            aria-label={t("State")}
            data={[
              { value: "", label: t("All states") },
              ...Object.entries(STATE_NAMES).map(([value, name]) => ({ value, label: name })),
            ]}
            value={state}
            onChange={(next) => onSearch(text, next ?? "")}
          />
        </>
      }
    >
      <QueryGate query={query}>
        {(all) => (
          <div className={classes["page"]}>
            <Calendar maintenances={rows} />
            <DataTable
              label={t("Maintenance")}
              rows={rows}
              columns={columns}
              rowKey={({ maintenanceid }) => maintenanceid}
              onOpen={({ maintenanceid }) => open(maintenanceid)}
              isDimmed={(it) => stateOf(it, nowSeconds()) === "expired"}
              empty={
                <EmptyState
                  title={
                    all.length === 0
                      ? t("There is no maintenance yet.")
                      : t("No maintenance matches.")
                  }
                />
              }
            />
          </div>
        )}
      </QueryGate>
    </Page>
  );
}

function columnsOf(
  nearestOf: (id: string) => ReturnType<typeof nearest>,
): readonly DataColumn<Maintenance>[] {
  const minute = (seconds: number | string) => formatDateTime(Number(seconds)).slice(0, 16);
  return [
    {
      id: "name",
      title: t("Name"),
      width: "minmax(140px, 2fr)",
      sortValue: ({ name }) => name,
      cell: ({ maintenanceid, name }) => (
        <Link
          className="ellipsis"
          to="/maintenance/$maintenanceid"
          params={{ maintenanceid }}
          data-opens-row
        >
          {name}
        </Link>
      ),
    },
    {
      id: "state",
      title: t("State"),
      width: "90px",
      sortValue: (it) => stateOf(it, nowSeconds()),
      cell: (it) => {
        const state = stateOf(it, nowSeconds());
        return <span className={state === "active" ? "ok" : "dim"}>{STATE_NAMES[state]}</span>;
      },
    },
    {
      id: "effect",
      title: t("In effect"),
      width: "minmax(184px, 1.2fr)",
      sortValue: ({ maintenanceid }) => nearestOf(maintenanceid)?.since ?? Number.MAX_SAFE_INTEGER,
      cell: ({ maintenanceid }) => {
        const found = nearestOf(maintenanceid);
        if (found === undefined) return <span className="dim">–</span>;
        return found.since <= nowSeconds() ? (
          <span className="ok">{t("now, until {when}", { when: minute(found.until) })}</span>
        ) : (
          t("from {when}", { when: minute(found.since) })
        );
      },
    },
    {
      id: "data",
      title: t("Data collection"),
      width: "120px",
      wideOnly: true,
      sortValue: (it) => it.maintenance_type,
      cell: (it) =>
        it.maintenance_type === "1" ? t("no") : <span className="dim">{t("yes")}</span>,
    },
    {
      id: "of",
      title: t("Hosts and groups"),
      width: "minmax(140px, 2fr)",
      wideOnly: true,
      cell: (it) => <span className="ellipsis">{hostsText(it)}</span>,
    },
    {
      id: "since",
      title: t("Active since"),
      width: "140px",
      wideOnly: true,
      sortValue: ({ active_since }) => Number(active_since),
      cell: ({ active_since }) => minute(active_since),
    },
    {
      id: "till",
      title: t("Active till"),
      width: "140px",
      wideOnly: true,
      sortValue: ({ active_till }) => Number(active_till),
      cell: ({ active_till }) => minute(active_till),
    },
  ];
}
