// What was picked in latest data, drawn together: a chart for each kind of units, one range, one crosshair.

import { Switch } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { plural, t } from "@/lib/i18n";
import { isNumeric } from "@/lib/item-types";
import type { TimeRange } from "@/lib/time";
import { Page } from "@/ui/page";
import { EmptyState, QueryGate } from "@/ui/states";
import { TimeRangePicker } from "@/ui/time-range-picker";
import { GraphFigure } from "@/widgets/graph/graph-figure";
import { ShareButton } from "@/widgets/graph/share";
import { readRange, readView, writeView } from "@/widgets/graph/view";
import { ViewBar, ZoomBackButton } from "@/widgets/graph/view-bar";
import { useZoom } from "@/widgets/graph/zoom";
import { canJoin, type GraphSearch, graphItems, graphSpecs } from "./graph";
import { historySearch } from "./history";
import classes from "./latest.module.css";
import { usePickedItems } from "./queries";

export interface GraphPageProps {
  readonly search: GraphSearch;
  readonly onSearch: (search: GraphSearch) => void;
}

const HEIGHT_ALONE = 420;
const HEIGHT = 240;
// as wide as the page: about a bucket for each two pixels
const BUCKETS_WIDE = 600;

export function GraphPage({ search, onSearch }: GraphPageProps) {
  const itemids = useMemo(() => graphItems(search), [search]);
  const query = usePickedItems(itemids);
  const range = readRange(search);
  const view = useMemo(() => readView(search), [search]);
  const setRange = ({ from, to }: TimeRange) => onSearch({ ...search, from, to });
  const zoom = useZoom(range, setRange);
  const isJoined = search.join === "1";
  const specs = useMemo(() => graphSpecs(query.data ?? [], isJoined), [query.data, isJoined]);
  const drawn = specs.reduce((sum, { lines }) => sum + lines.length, 0);
  const texts = (query.data ?? []).filter(({ valueType }) => !isNumeric(valueType)).length;
  const { items, from, to, join } = search;
  const kept = {
    ...(items === undefined ? {} : { items }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
  return (
    <Page
      title={t("Graph")}
      note={
        <>
          {plural(drawn, "1 item", "{n} items")}
          {texts === 0
            ? null
            : `; ${plural(texts, "1 item is not numeric", "{n} items are not numeric")}`}
        </>
      }
      actions={
        <>
          <TimeRangePicker range={range} onChange={setRange} />
          <ZoomBackButton zoom={zoom} />
          <ShareButton range={range} />
          <Link to="/latest/history" search={{ ...historySearch(itemids), ...range }}>
            {t("Values")}
          </Link>
        </>
      }
      filters={
        <>
          <ViewBar
            view={view}
            onChange={(next) =>
              onSearch({ ...kept, ...(join === undefined ? {} : { join }), ...writeView(next) })
            }
          />
          {canJoin(query.data ?? []) ? (
            <Switch
              label={t("Two axes")}
              checked={isJoined}
              onChange={(event) =>
                onSearch({
                  ...kept,
                  ...writeView(view),
                  ...(event.currentTarget.checked ? { join: "1" } : {}),
                })
              }
            />
          ) : null}
        </>
      }
      scroll
    >
      <QueryGate query={query}>
        {() =>
          specs.length === 0 ? (
            <EmptyState title={t("Nothing to draw")}>
              {t("Select numeric items in Latest data.")}
            </EmptyState>
          ) : (
            <div className={classes["graphs"]}>
              {specs.map((spec) => (
                <GraphFigure
                  key={spec.id}
                  spec={spec}
                  view={view}
                  range={range}
                  zoom={zoom}
                  height={specs.length === 1 ? HEIGHT_ALONE : HEIGHT}
                  buckets={BUCKETS_WIDE}
                  sync="picked"
                />
              ))}
            </div>
          )
        }
      </QueryGate>
    </Page>
  );
}
