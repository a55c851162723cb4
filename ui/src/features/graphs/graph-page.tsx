// One configured graph, as large as the page.

import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import type { TimeRange } from "@/lib/time";
import { NotFound } from "@/ui/not-found";
import { Page } from "@/ui/page";
import { QueryGate } from "@/ui/states";
import { TimeRangePicker } from "@/ui/time-range-picker";
import { ShareButton } from "@/widgets/graph/share";
import { StoredGraphFigure } from "@/widgets/graph/stored-graph";
import { type GraphViewSearch, readRange, readView, writeView } from "@/widgets/graph/view";
import { ViewBar, ZoomBackButton } from "@/widgets/graph/view-bar";
import { useZoom } from "@/widgets/graph/zoom";
import { useGraph } from "./queries";
import { rangeOf } from "./search";

export interface GraphPageProps {
  readonly graphid: Id;
  readonly search: GraphViewSearch;
  readonly onSearch: (search: GraphViewSearch) => void;
}

const HEIGHT = 420;
const BUCKETS_WIDE = 600;

export function GraphPage({ graphid, search, onSearch }: GraphPageProps) {
  const query = useGraph(graphid);
  const range = readRange(search);
  const view = useMemo(() => readView(search), [search]);
  const setRange = ({ from, to }: TimeRange) => onSearch({ ...search, from, to });
  const zoom = useZoom(range, setRange);
  const graph = query.data;
  return (
    <Page
      title={graph?.name ?? t("Graph")}
      note={graph?.hosts.map(({ hostid, name }) => (
        <Link key={hostid} to="/hosts/$hostid" params={{ hostid }}>
          {name}
        </Link>
      ))}
      actions={
        <>
          <TimeRangePicker range={range} onChange={setRange} />
          <ZoomBackButton zoom={zoom} />
          <ShareButton range={range} />
        </>
      }
      filters={
        <ViewBar
          isConfigured
          view={view}
          onChange={(next) => onSearch({ ...rangeOf(search), ...writeView(next) })}
        />
      }
      scroll
    >
      <QueryGate query={query}>
        {(found) =>
          found === null ? (
            <NotFound
              title={t("There is no such graph.")}
              list={{ path: "/graphs", name: t("All graphs") }}
            />
          ) : (
            <StoredGraphFigure
              graph={found}
              range={range}
              zoom={zoom}
              view={view}
              height={HEIGHT}
              buckets={BUCKETS_WIDE}
            />
          )
        }
      </QueryGate>
    </Page>
  );
}
