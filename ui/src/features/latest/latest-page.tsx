// Latest data: the last value of each item, live; a line of the last hour next to it, a graph on click.

import { Button, SegmentedControl } from "@mantine/core";
import { IconChartLine, IconList, IconRefresh } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import type { LatestRow } from "@/api/latest-columns";
import { latestStore } from "@/api/latest-store";
import type { Id, Series } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import { isNumeric } from "@/lib/item-types";
import { nowSeconds, resolveRange } from "@/lib/time";
import { Sparkline } from "@/ui/charts/sparkline";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { HostLink } from "@/ui/host-link";
import { useNarrow } from "@/ui/narrow";
import { Page } from "@/ui/page";
import { SearchBox } from "@/ui/search-box";
import { EmptyState, QueryGate } from "@/ui/states";
import { TagList } from "@/ui/tags";
import { textTrack } from "@/ui/text-track";
import { MayExecute } from "@/widgets/editable";
import { useSeries } from "@/widgets/graph/series";
import { GroupPicker, HostPicker } from "@/widgets/pickers";
import { graphSearch } from "./graph";
import { historySearch } from "./history";
import { ItemPanel } from "./item-panel";
import classes from "./latest.module.css";
import { useExecuteNow, useLatestRows } from "./queries";
import { type LatestFilter, type LatestSearch, readLatest, writeLatest } from "./search";
import { ChangeCell, CheckedCell, StateCell, ValueCell } from "./value-cell";

export interface LatestPageProps {
  readonly search: LatestSearch;
  readonly onSearch: (search: LatestSearch) => void;
  /** items of one host, as a part of its page */
  readonly hostid?: Id;
}

// more rows than anybody reads; the server says when it left some out by sending exactly so many
const ROWS_MAX = 5000;
const SPARK_RANGE = { from: "now-1h", to: "now" };
const SPARK_BUCKETS = 48;
const SPARKS_MAX = 60;
const ROWS_MEASURED = 300;
// scrolling passes rows that are not read: their lines are not fetched
const SETTLE_MS = 100;

export function LatestPage({ search, onSearch, hostid }: LatestPageProps) {
  const filter = useMemo(() => readLatest(search), [search]);
  const query = useLatestRows({
    hostids: hostid === undefined ? filter.hostids : [hostid],
    groupids: hostid === undefined ? filter.groupids : [],
    search: filter.text,
    show: filter.show,
    limit: ROWS_MAX,
  });
  const [picked, setPicked] = useState<ReadonlySet<Id>>(new Set());
  const execute = useExecuteNow();
  const change = (next: Partial<LatestFilter>) => onSearch(writeLatest({ ...filter, ...next }));
  const open = useCallback(
    (itemid: Id | undefined) =>
      onSearch({ ...writeLatest(filter), ...(itemid === undefined ? {} : { item: itemid }) }),
    [filter, onSearch],
  );
  const rows = useMemo(() => selectRows(query.data ?? [], filter.show), [query.data, filter.show]);
  const shown = query.data?.find((row) => row.itemid === search.item);
  const count = plural(rows.length, "1 item", "{n} items");
  const cut = query.data?.length === ROWS_MAX;
  return (
    <Page
      title={t("Latest data")}
      note={cut ? t("the first {count}; narrow the search", { count }) : count}
      actions={
        picked.size === 0 ? undefined : (
          <>
            <Button
              leftSection={<IconChartLine size={14} />}
              renderRoot={(props) => (
                <Link to="/latest/graph" search={graphSearch(picked)} {...props} />
              )}
            >
              {t("Graph ({n})", { n: picked.size })}
            </Button>
            <Button
              variant="default"
              leftSection={<IconList size={14} />}
              renderRoot={(props) => (
                <Link to="/latest/history" search={historySearch(picked)} {...props} />
              )}
            >
              {t("Values ({n})", { n: picked.size })}
            </Button>
            <MayExecute hostids={hostsOf(rows, picked)}>
              <Button
                variant="default"
                leftSection={<IconRefresh size={14} />}
                loading={execute.isPending}
                onClick={() => execute.mutate([...picked])}
              >
                {t("Execute now ({n})", { n: picked.size })}
              </Button>
            </MayExecute>
          </>
        )
      }
      filters={<LatestFilters filter={filter} onChange={change} withHosts={hostid === undefined} />}
      aside={
        shown === undefined ? undefined : (
          <ItemPanel key={shown.itemid} row={shown} onClose={() => open(undefined)} />
        )
      }
    >
      <QueryGate query={query}>
        {() => (
          <LatestTable
            rows={rows}
            withHost={hostid === undefined}
            picked={picked}
            onPick={setPicked}
            onOpen={open}
            narrow={shown !== undefined}
          />
        )}
      </QueryGate>
    </Page>
  );
}

function hostsOf(rows: readonly LatestRow[], picked: ReadonlySet<Id>): readonly Id[] {
  return [...new Set(rows.filter((row) => picked.has(row.itemid)).map((row) => row.hostid))];
}

/** The server has chosen the rows; some of them have become others since. */
function selectRows(rows: readonly LatestRow[], show: LatestFilter["show"]): readonly LatestRow[] {
  if (show === "all") return rows;
  return rows.filter((row) => {
    const live = latestStore.get(row.itemid) ?? row.live;
    return show === "unsupported" ? live.state !== 0 : live.clock > 0;
  });
}

interface LatestFiltersProps {
  readonly filter: LatestFilter;
  readonly onChange: (change: Partial<LatestFilter>) => void;
  readonly withHosts: boolean;
}

function LatestFilters({ filter, onChange, withHosts }: LatestFiltersProps) {
  return (
    <>
      <SearchBox
        value={filter.text}
        onChange={(text) => onChange({ text })}
        placeholder={withHosts ? t("Search hosts, names and keys") : t("Search names and keys")}
        delayMs={250}
      />
      {withHosts ? <HostFilter filter={filter} onChange={onChange} /> : null}
      <SegmentedControl
        aria-label={t("Show")}
        value={filter.show}
        onChange={(show) => onChange({ show: show as LatestFilter["show"] })}
        data={[
          { value: "all", label: t("All") },
          { value: "values", label: t("With values") },
          { value: "unsupported", label: t("Not supported") },
        ]}
      />
    </>
  );
}

function HostFilter({ filter, onChange }: Omit<LatestFiltersProps, "withHosts">) {
  return (
    <>
      <HostPicker
        label={t("Hosts")}
        placeholder={t("All hosts")}
        value={filter.hostids}
        onChange={(hostids) => onChange({ hostids })}
      />
      <GroupPicker
        kind="hostgroup"
        label=""
        placeholder={t("All host groups")}
        value={filter.groupids}
        onChange={(groupids) => onChange({ groupids })}
      />
    </>
  );
}

interface LatestTableProps {
  readonly rows: readonly LatestRow[];
  readonly withHost: boolean;
  readonly picked: ReadonlySet<Id>;
  readonly onPick: (picked: ReadonlySet<Id>) => void;
  readonly onOpen: (itemid: Id) => void;
  readonly narrow: boolean;
}

function LatestTable({ rows, withHost, picked, onPick, onOpen, narrow }: LatestTableProps) {
  const [visible, setVisible] = useState<readonly Id[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const onVisible = useCallback((shown: readonly LatestRow[]) => {
    clearTimeout(timer.current);
    const ids = shown
      .filter((row) => isNumeric(row.valueType))
      .map((row) => row.itemid)
      .slice(0, SPARKS_MAX);
    timer.current = setTimeout(
      () => setVisible((before) => (before.join() === ids.join() ? before : ids)),
      SETTLE_MS,
    );
  }, []);
  const sparks = useSeries(visible, SPARK_RANGE, SPARK_BUCKETS);
  const byId = useMemo(
    () => new Map(sparks.data?.series.map((series) => [series.itemid, series])),
    [sparks.data],
  );
  const phone = useNarrow();
  const hostTrack = useMemo(
    () =>
      textTrack(
        rows.slice(0, ROWS_MEASURED).map((row) => row.host),
        90,
        narrow ? 150 : 240,
      ),
    [rows, narrow],
  );
  const troubled = useMemo(
    () => rows.some(({ live }) => live.state !== 0 || live.error !== ""),
    [rows],
  );
  const columns = useMemo(
    () => latestColumns({ withHost, narrow, phone, hostTrack, troubled }),
    [withHost, narrow, phone, hostTrack, troubled],
  );
  return (
    <Sparks value={byId}>
      <DataTable
        label={t("Latest data")}
        hasTallRows={withHost}
        rows={rows}
        columns={columns}
        rowKey={(row) => row.itemid}
        picking={{ picked, onChange: onPick }}
        onOpen={(row) => onOpen(row.itemid)}
        isDimmed={(row) => (latestStore.get(row.itemid) ?? row.live).state !== 0}
        onVisible={onVisible}
        empty={
          <EmptyState title={t("No items here")}>
            {t("No items match, or the hosts have no items yet: link a template to a host.")}
          </EmptyState>
        }
      />
    </Sparks>
  );
}

// a cell looks for its own line: lines of the next rows render no other cell again
const Sparks = createContext<ReadonlyMap<Id, Series>>(new Map());

interface LatestColumnsInput {
  readonly withHost: boolean;
  readonly narrow: boolean;
  /** the screen is narrow: names stand above their hosts */
  readonly phone: boolean;
  readonly hostTrack: string;
  /** some item has a state to show */
  readonly troubled: boolean;
}

function latestColumns(input: LatestColumnsInput): DataColumn<LatestRow>[] {
  const { withHost, narrow, phone, hostTrack, troubled } = input;
  const all: (DataColumn<LatestRow> & { readonly skip?: boolean })[] = [
    {
      id: "host",
      skip: !withHost || phone,
      title: t("Host"),
      width: hostTrack,
      sortValue: (row) => row.host,
      cell: (row) => <HostLink hostid={row.hostid} host={row.host} />,
    },
    {
      id: "name",
      title: t("Name"),
      width: phone
        ? "minmax(110px, 1.5fr)"
        : narrow
          ? "minmax(140px, 2.4fr)"
          : "minmax(200px, 2.4fr)",
      sortValue: (row) => row.name,
      cell: (row) => (
        <span className={phone ? classes["twoLines"] : "ellipsis"} title={row.key}>
          <span className={phone ? "ellipsis" : ""}>{row.name}</span>
          {phone && withHost ? <HostLink hostid={row.hostid} host={row.host} /> : null}
        </span>
      ),
    },
    {
      id: "state",
      wideOnly: true,
      // with the details open, names need the room
      skip: narrow && !troubled,
      title: t("State"),
      width: troubled ? "118px" : "58px",
      sortValue: (row) => (latestStore.get(row.itemid) ?? row.live).state,
      cell: (row) => <StateCell row={row} />,
    },
    {
      id: "checked",
      wideOnly: true,
      title: t("Last check"),
      width: "84px",
      align: "right",
      sortValue: (row) => (latestStore.get(row.itemid) ?? row.live).clock,
      cell: (row) => <CheckedCell row={row} />,
    },
    {
      id: "value",
      title: t("Last value"),
      width: phone ? "minmax(96px, 1fr)" : narrow ? "minmax(130px, 1.1fr)" : "minmax(166px, 1.1fr)",
      align: "right",
      cell: (row) => <ValueCell row={row} />,
    },
    {
      id: "change",
      wideOnly: true,
      skip: narrow,
      title: t("Change"),
      width: "104px",
      align: "right",
      cell: (row) => <ChangeCell row={row} />,
    },
    {
      id: "spark",
      wideOnly: true,
      skip: narrow,
      title: t("Last hour"),
      width: "112px",
      cell: (row) => <SparkCell itemid={row.itemid} />,
    },
    {
      id: "tags",
      wideOnly: true,
      skip: narrow,
      title: t("Tags"),
      width: "minmax(110px, 1.2fr)",
      cell: (row) => <TagList tags={row.tags} max={3} />,
    },
  ];
  return all.filter((column) => column.skip !== true);
}

function SparkCell({ itemid }: { readonly itemid: Id }) {
  const series = useContext(Sparks).get(itemid);
  if (series === undefined) return null;
  const { from, to } = resolveRange(SPARK_RANGE, nowSeconds());
  return <Sparkline t={series.t} values={series.avg} from={from} to={to} />;
}
