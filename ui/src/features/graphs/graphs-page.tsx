// The graphs that hosts and templates come with, found by host, group or name: drawn as one scrolls to them,
// or as a list of names.

import { SegmentedControl } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import type { StoredGraph } from "@/api/graphs";
import type { Id } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import type { TimeRange } from "@/lib/time";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { Page } from "@/ui/page";
import { SearchBox } from "@/ui/search-box";
import { EmptyState, QueryGate } from "@/ui/states";
import { TimeRangePicker } from "@/ui/time-range-picker";
import classes from "@/widgets/graph/graph.module.css";
import { kindName } from "@/widgets/graph/kinds";
import { figureHeight, Lazy } from "@/widgets/graph/lazy";
import { ShareButton } from "@/widgets/graph/share";
import { StoredGraphFigure } from "@/widgets/graph/stored-graph";
import { type GraphView, readRange, readView, writeView } from "@/widgets/graph/view";
import { ViewBar, ZoomBackButton } from "@/widgets/graph/view-bar";
import { useZoom, type Zoom } from "@/widgets/graph/zoom";
import { GroupPicker, HostPicker } from "@/widgets/pickers";
import { useGraphs } from "./queries";
import {
  drawsGraphs,
  type GraphsFilter,
  type GraphsSearch,
  rangeOf,
  readGraphs,
  writeGraphs,
} from "./search";

export interface GraphsPageProps {
  readonly search: GraphsSearch;
  readonly onSearch: (search: GraphsSearch) => void;
  readonly onOpen: (graphid: Id) => void;
}

// more than anybody scrolls through; the note says when there are others
const GRAPHS_MAX = 1000;
const HEIGHT = 180;

export function GraphsPage({ search, onSearch, onOpen }: GraphsPageProps) {
  const filter = useMemo(() => readGraphs(search), [search]);
  const view = useMemo(() => readView(search), [search]);
  const range = readRange(search);
  const { hostids, groupids, text } = filter;
  const query = useGraphs({ hostids, groupids, text, limit: GRAPHS_MAX });
  const setRange = ({ from, to }: TimeRange) => onSearch({ ...search, from, to });
  const zoom = useZoom(range, setRange);
  const change = (next: Partial<GraphsFilter>) =>
    onSearch({ ...rangeOf(search), ...writeView(view), ...writeGraphs({ ...filter, ...next }) });
  const draws = drawsGraphs(filter);
  const graphs = query.data ?? [];
  const count = plural(graphs.length, "1 graph", "{n} graphs");
  return (
    <Page
      title={t("Graphs")}
      note={
        graphs.length === GRAPHS_MAX ? t("the first {count}; narrow the search", { count }) : count
      }
      actions={
        draws ? (
          <>
            <TimeRangePicker range={range} onChange={setRange} />
            <ZoomBackButton zoom={zoom} />
            <ShareButton range={range} />
          </>
        ) : undefined
      }
      filters={
        <>
          <SearchBox
            value={text}
            onChange={(next) => change({ text: next })}
            placeholder={t("Search graphs")}
            delayMs={250}
          />
          <HostPicker
            label={t("Hosts")}
            placeholder={t("All hosts")}
            value={hostids}
            onChange={(next) => change({ hostids: next })}
          />
          <GroupPicker
            kind="hostgroup"
            label=""
            placeholder={t("All host groups")}
            value={groupids}
            onChange={(next) => change({ groupids: next })}
          />
          <SegmentedControl
            aria-label={t("Show")}
            value={draws ? "graphs" : "list"}
            onChange={(show) => change({ show: show === "graphs" ? "graphs" : "list" })}
            data={[
              { value: "graphs", label: t("Graphs") },
              { value: "list", label: t("List") },
            ]}
          />
          {draws ? (
            <ViewBar
              isConfigured
              view={view}
              onChange={(next) =>
                onSearch({ ...rangeOf(search), ...writeGraphs(filter), ...writeView(next) })
              }
            />
          ) : null}
        </>
      }
      scroll={draws}
    >
      <QueryGate query={query}>
        {() =>
          draws && graphs.length > 0 ? (
            <GraphGrid
              graphs={graphs}
              range={range}
              zoom={zoom}
              view={view}
              withHost={hostids.length !== 1}
            />
          ) : (
            <GraphTable graphs={graphs} onOpen={onOpen} />
          )
        }
      </QueryGate>
    </Page>
  );
}

interface GraphGridProps {
  readonly graphs: readonly StoredGraph[];
  readonly range: TimeRange;
  readonly zoom: Zoom;
  readonly view: GraphView;
  readonly withHost: boolean;
}

function GraphGrid({ graphs, range, zoom, view, withHost }: GraphGridProps) {
  return (
    <div className={classes["grid"]}>
      {graphs.map((graph) => {
        const title = withHost ? `${hostsOf(graph)}: ${graph.name}` : graph.name;
        return (
          <Lazy key={graph.graphid} minHeight={figureHeight(HEIGHT, graph.gitems.length)}>
            {() => (
              <StoredGraphFigure
                graph={graph}
                title={title}
                caption={
                  <Link to="/graphs/$graphid" params={{ graphid: graph.graphid }}>
                    {title}
                  </Link>
                }
                range={range}
                zoom={zoom}
                view={view}
                height={HEIGHT}
                sync="graphs"
              />
            )}
          </Lazy>
        );
      })}
    </div>
  );
}

const HOSTS_NAMED = 2;

function hostsOf({ hosts }: StoredGraph): string {
  const names = hosts.map((it) => it.name);
  if (names.length <= HOSTS_NAMED) return names.join(", ");
  return t("{name} and {n} others", { name: names[0] ?? "", n: names.length - 1 });
}

interface GraphTableProps {
  readonly graphs: readonly StoredGraph[];
  readonly onOpen: (graphid: Id) => void;
}

function GraphTable({ graphs, onOpen }: GraphTableProps) {
  const open = useCallback((graph: StoredGraph) => onOpen(graph.graphid), [onOpen]);
  return (
    <DataTable
      label={t("Graphs")}
      rows={graphs}
      columns={COLUMNS}
      rowKey={(graph) => graph.graphid}
      initialSort={BY_HOST}
      onOpen={open}
      empty={
        <EmptyState title={t("No graphs here")}>
          {t("Link a template that has graphs, or select items in Latest data to draw them.")}
        </EmptyState>
      }
    />
  );
}

const BY_HOST = { by: "host", descending: false } as const;

const COLUMNS: readonly DataColumn<StoredGraph>[] = [
  {
    id: "host",
    title: t("Host"),
    width: "minmax(120px, 1fr)",
    sortValue: hostsOf,
    cell: (graph) => (
      <span className="ellipsis" title={hostsOf(graph)}>
        {hostsOf(graph)}
      </span>
    ),
  },
  {
    id: "name",
    title: t("Name"),
    width: "minmax(180px, 2fr)",
    sortValue: (graph) => graph.name,
    cell: (graph) => (
      <Link
        className="ellipsis"
        to="/graphs/$graphid"
        params={{ graphid: graph.graphid }}
        title={graph.name}
        data-opens-row
      >
        {graph.name}
      </Link>
    ),
  },
  {
    id: "kind",
    wideOnly: true,
    title: t("Type"),
    width: "100px",
    sortValue: (graph) => graph.kind,
    cell: (graph) => kindName(graph.kind),
  },
  {
    id: "items",
    wideOnly: true,
    title: t("Items"),
    width: "70px",
    align: "right",
    sortValue: (graph) => graph.gitems.length,
    cell: (graph) => graph.gitems.length,
  },
];
