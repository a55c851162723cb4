// Maintenances: their state, when each is in effect next, and a calendar.

import { Select } from "@mantine/core";
import { useCallback, useMemo } from "react";
import type { Maintenance } from "@/api/maintenance";
import { plural, t } from "@/lib/i18n";
import { formatDateTime, nowSeconds } from "@/lib/time";
import type { Matcher } from "@/lib/words";
import type { DataColumn } from "@/ui/data-table";
import { nameColumn, useOpen } from "@/widgets/objects/columns";
import { ObjectList } from "@/widgets/objects/object-list";
import { Calendar } from "./calendar";
import classes from "./maintenance.module.css";
import { MAINTENANCES, useMaintenanceCalendar, useMaintenances } from "./queries";
import { hostsText, midnights, nearest, occurrencesOf, STATE_NAMES, stateOf } from "./state";

const DAYS = 28;
const PATH = "/maintenance/$maintenanceid";

export interface MaintenancesPageProps {
  readonly text: string;
  readonly state: string;
  readonly onSearch: (text: string, state: string) => void;
}

export function MaintenancesPage({ text, state, onSearch }: MaintenancesPageProps) {
  const [from = 0] = midnights(nowSeconds(), 0, 0);
  const until = midnights(nowSeconds(), DAYS, 0)[0] ?? 0;
  const calendar = useMaintenanceCalendar(from, until);
  const columns = useMemo(() => {
    const occurrences = occurrencesOf(calendar.data?.maintenances);
    return columnsOf((id) => nearest(occurrences.get(id), nowSeconds()));
  }, [calendar.data]);
  const select = useCallback(
    (all: readonly Maintenance[], finds: Matcher) =>
      all.filter(
        (it) => finds(() => [it.name]) && (state === "" || stateOf(it, nowSeconds()) === state),
      ),
    [state],
  );
  const open = useOpen(PATH);
  return (
    <ObjectList
      title={t("Maintenance")}
      note={(rows) => plural(rows.length, "1 maintenance", "{n} maintenances")}
      calls={MAINTENANCES}
      query={useMaintenances()}
      select={select}
      columns={columns}
      rowKey={idOf}
      isDimmed={(it) => stateOf(it, nowSeconds()) === "expired"}
      onOpen={(it) => open(idOf(it))}
      onNew={() => open("new")}
      search={{
        text,
        onText: (next) => onSearch(next, state),
        placeholder: t("Search names"),
      }}
      filters={
        <Select
          aria-label={t("State")}
          data={[
            { value: "", label: t("All states") },
            ...Object.entries(STATE_NAMES).map(([value, name]) => ({ value, label: name })),
          ]}
          value={state}
          onChange={(next) => onSearch(text, next ?? "")}
        />
      }
      none={t("There is no maintenance yet.")}
      around={(table, rows) => (
        <div className={classes["page"]}>
          <Calendar maintenances={rows} />
          {table}
        </div>
      )}
    />
  );
}

const idOf = ({ maintenanceid }: Maintenance) => maintenanceid;

function columnsOf(
  nearestOf: (id: string) => ReturnType<typeof nearest>,
): readonly DataColumn<Maintenance>[] {
  const minute = (seconds: number | string) => formatDateTime(Number(seconds)).slice(0, 16);
  return [
    nameColumn(PATH, idOf, ({ name }) => name, { width: "minmax(140px, 2fr)" }),
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
