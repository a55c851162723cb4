// Values of items as a table: numbers, texts and log lines of a time, searched, opened, taken away as CSV.

import { Button } from "@mantine/core";
import { IconChartLine, IconDownload } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { ValuedItem } from "@/api/types";
import { saveCsv } from "@/lib/csv";
import { plural, t } from "@/lib/i18n";
import { isNumeric } from "@/lib/item-types";
import { fileName } from "@/lib/save-file";
import { formatDateTime, nowSeconds, type TimeRange } from "@/lib/time";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { Page } from "@/ui/page";
import { SearchBox } from "@/ui/search-box";
import { SidePanel } from "@/ui/side-panel";
import { EmptyState, QueryGate } from "@/ui/states";
import { TimeRangePicker } from "@/ui/time-range-picker";
import { graphSearch } from "./graph";
import {
  type HistorySearch,
  historyCsv,
  historyItems,
  instantText,
  LOG,
  logSeverity,
  type ValueRow,
  valueRows,
} from "./history";
import classes from "./latest.module.css";
import { usePickedItems, useValues, VALUES_MAX } from "./queries";

export interface HistoryPageProps {
  readonly search: HistorySearch;
  readonly onSearch: (search: HistorySearch) => void;
}

const DEFAULT_RANGE: TimeRange = { from: "now-1d", to: "now" };

export function HistoryPage({ search, onSearch }: HistoryPageProps) {
  const itemids = useMemo(() => historyItems(search), [search]);
  const picked = usePickedItems(itemids);
  const items = picked.data ?? NO_ITEMS;
  const { from = DEFAULT_RANGE.from, to = DEFAULT_RANGE.to, q: text = "" } = search;
  const range = useMemo((): TimeRange => ({ from, to }), [from, to]);
  const query = useValues(items, range, text);
  const rows = useMemo(() => valueRows(query.data ?? [], items, text), [query.data, items, text]);
  const [opened, setOpened] = useState<ValueRow | undefined>(undefined);
  const isLog = items.some((it) => it.valueType === LOG);
  const columns = useMemo(() => columnsOf(items, isLog), [items, isLog]);
  const isCut = query.data?.length === VALUES_MAX;
  const title = items.length === 1 ? (items[0]?.name ?? "") : t("Values");
  const count = plural(rows.length, "1 value", "{n} values");
  return (
    <Page
      title={title}
      note={
        <>
          {items.length === 1 ? <HostLink item={items[0]} /> : null}{" "}
          {isCut ? t("the newest {count}; select a shorter period", { count }) : count}
        </>
      }
      actions={
        <TimeRangePicker range={range} onChange={(next) => onSearch({ ...search, ...next })} />
      }
      filters={
        <>
          <SearchBox
            value={text}
            onChange={(q) => onSearch({ ...search, q })}
            placeholder={t("Search values")}
            delayMs={250}
          />
          <Button
            variant="default"
            leftSection={<IconDownload size={14} />}
            disabled={rows.length === 0}
            onClick={() =>
              saveCsv(
                fileName(`${title} ${formatDateTime(nowSeconds())}`, "csv"),
                historyCsv(rows, isLog),
              )
            }
          >
            {t("CSV")}
          </Button>
          {items.some((it) => isNumeric(it.valueType)) ? (
            <Button
              variant="default"
              leftSection={<IconChartLine size={14} />}
              renderRoot={(props) => (
                <Link
                  to="/latest/graph"
                  search={{ ...graphSearch(itemids), from, to }}
                  {...props}
                />
              )}
            >
              {t("Graph")}
            </Button>
          ) : null}
        </>
      }
      aside={
        opened === undefined ? undefined : (
          <SidePanel title={instantText(opened)} onClose={() => setOpened(undefined)}>
            <p className="dim">
              {opened.host}: {opened.name}
            </p>
            <pre className={classes["whole"]}>{opened.value}</pre>
          </SidePanel>
        )
      }
    >
      <QueryGate query={picked}>
        {(known) =>
          known.length === 0 ? (
            <EmptyState title={t("No such items")}>{t("Select items in Latest data.")}</EmptyState>
          ) : (
            <QueryGate query={query}>
              {() => (
                <DataTable
                  label={t("Values")}
                  rows={rows}
                  columns={columns}
                  rowKey={(row) => row.key}
                  onOpen={setOpened}
                  empty={
                    <EmptyState title={t("No values")}>
                      {t("There are no values in this period, or none with this text.")}
                    </EmptyState>
                  }
                />
              )}
            </QueryGate>
          )
        }
      </QueryGate>
    </Page>
  );
}

const NO_ITEMS: readonly ValuedItem[] = [];

function HostLink({ item }: { readonly item: ValuedItem | undefined }) {
  if (item === undefined) return null;
  return (
    <Link to="/hosts/$hostid" params={{ hostid: item.hostid }}>
      {item.host}
    </Link>
  );
}

function columnsOf(items: readonly ValuedItem[], isLog: boolean): readonly DataColumn<ValueRow>[] {
  const isOne = items.length === 1;
  const isNumber = isOne && items.every((it) => isNumeric(it.valueType));
  const all: (DataColumn<ValueRow> & { readonly skip?: boolean })[] = [
    {
      id: "time",
      title: t("Time"),
      width: "176px",
      sortValue: (row) => row.clock + row.ns * 1e-9,
      cell: (row) => <time>{instantText(row)}</time>,
    },
    {
      id: "host",
      skip: isOne,
      wideOnly: true,
      title: t("Host"),
      width: "minmax(100px, 0.6fr)",
      sortValue: (row) => row.host,
      cell: (row) => <span className="ellipsis">{row.host}</span>,
    },
    {
      id: "item",
      skip: isOne,
      title: t("Item"),
      width: "minmax(120px, 0.8fr)",
      sortValue: (row) => row.name,
      cell: (row) => (
        <span className="ellipsis" title={row.name}>
          {row.name}
        </span>
      ),
    },
    {
      id: "severity",
      skip: !isLog,
      wideOnly: true,
      title: t("Severity"),
      width: "96px",
      sortValue: (row) => Number(row.severity),
      cell: (row) => logSeverity(row.severity),
    },
    {
      id: "source",
      skip: !isLog,
      wideOnly: true,
      title: t("Source"),
      width: "120px",
      sortValue: (row) => row.source,
      cell: (row) => <span className="ellipsis">{row.source}</span>,
    },
    {
      id: "value",
      title: t("Value"),
      width: "minmax(160px, 3fr)",
      sortValue: (row) => (isNumber ? Number(row.value) : row.value),
      cell: (row) => (
        <span className="ellipsis mono" title={row.text.slice(0, TITLE_MAX)}>
          {row.text}
        </span>
      ),
    },
  ];
  return all.filter(({ skip }) => skip !== true);
}

// a tooltip is no page
const TITLE_MAX = 500;
