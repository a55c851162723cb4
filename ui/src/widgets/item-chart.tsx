// A chart of items: fetches their buckets for the range, follows new values while the range is live, and
// lists last, min, avg and max below.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { fetchSeries } from "@/api/native";
import { keys } from "@/api/query-keys";
import type { Id, Series } from "@/api/types";
import { t } from "@/lib/i18n";
import { formatDateTime, nowSeconds, resolveRange, type TimeRange } from "@/lib/time";
import { formatValue } from "@/lib/units";
import { lineStats } from "@/ui/charts/align";
import { type ChartLine, type ChartSpan, chartColor, TimeChart } from "@/ui/charts/time-chart";
import classes from "./item-chart.module.css";
import { sourcesOf } from "./series-sources";

export interface ChartItem {
  readonly itemid: Id;
  readonly name: string;
}

export interface ItemChartProps {
  readonly title: string;
  readonly items: readonly ChartItem[];
  readonly units: string;
  readonly range: TimeRange;
  readonly onRange: (range: TimeRange) => void;
  readonly height?: number;
  readonly sync?: string;
  readonly legend?: boolean;
  readonly spans?: readonly ChartSpan[];
}

export const BUCKETS = 300;
const LEGEND_DECIMALS = 2;
// a tenth of the range, but at least often enough to look alive and no more often than values come
const REFRESH_MS_MIN = 5000;
const REFRESH_MS_MAX = 60_000;

function refreshMs(seconds: number): number {
  return Math.min(REFRESH_MS_MAX, Math.max(REFRESH_MS_MIN, (seconds / BUCKETS) * 1000));
}

export function useSeries(itemids: readonly Id[], range: TimeRange, buckets = BUCKETS) {
  const { from, to, live } = resolveRange(range, nowSeconds());
  return useQuery({
    queryKey: keys.series(itemids, range.from, range.to, buckets),
    queryFn: async ({ signal }) => {
      const resolved = resolveRange(range, nowSeconds());
      const query = { itemids, from: resolved.from, to: resolved.to, buckets };
      return { ...resolved, series: await fetchSeries(query, signal) };
    },
    enabled: itemids.length > 0,
    refetchInterval: live ? refreshMs(to - from) : false,
    staleTime: live ? REFRESH_MS_MIN : 60_000,
    placeholderData: keepPreviousData,
  });
}

export function ItemChart(props: ItemChartProps) {
  const { title, items, units, range, onRange, height = 150, sync, legend = true } = props;
  const { spans } = props;
  const itemids = useMemo(() => items.map((item) => item.itemid), [items]);
  const query = useSeries(itemids, range);
  const [hover, setHover] = useState<number | undefined>(undefined);
  const byId = useMemo(
    () => new Map(query.data?.series.map((series) => [series.itemid, series])),
    [query.data],
  );
  const lines = useMemo(
    () => items.map((item): ChartLine => toLine(item, byId.get(item.itemid))),
    [items, byId],
  );
  const shown = query.data ?? resolveRange(range, nowSeconds());
  const failed = query.isError && query.data === undefined;
  const empty = query.data?.series.every((series) => series.t.length === 0) === true;
  return (
    <figure className={classes["figure"]} aria-label={title}>
      <figcaption className={classes["caption"]}>
        <span className="ellipsis" title={title}>
          {title}
        </span>
        <span className={classes["note"]}>
          {hover === undefined ? null : <time>{formatDateTime(hover)}</time>}
          <SourceNote series={query.data?.series ?? []} />
        </span>
      </figcaption>
      <TimeChart
        label={t("Chart of {title}", { title })}
        lines={lines}
        units={units}
        height={height}
        from={shown.from}
        to={shown.to}
        onZoom={(from, to) => onRange({ from: formatDateTime(from), to: formatDateTime(to) })}
        onHover={setHover}
        fill={items.length === 1}
        {...(sync === undefined ? {} : { sync })}
        {...(spans === undefined ? {} : { spans })}
      />
      {empty ? <p className={classes["empty"]}>{t("no values in this time")}</p> : null}
      {failed ? <p className={classes["failed"]}>{t("The values could not be loaded.")}</p> : null}
      {legend ? <Legend items={items} series={byId} units={units} hover={hover} /> : null}
    </figure>
  );
}

function toLine(item: ChartItem, series: Series | undefined): ChartLine {
  const base = { id: item.itemid, name: item.name };
  if (series === undefined) return { ...base, t: [], values: [] };
  const joints = series.parts.slice(1).map((part) => part.from);
  return { ...base, t: series.t, values: series.avg, low: series.min, high: series.max, joints };
}

/** Whether the lines are of values, of trends or of both. */
function SourceNote({ series }: { readonly series: readonly Series[] }) {
  const sources = sourcesOf(series);
  if (sources === undefined) return null;
  return <span title={sources.detail}>{sources.name}</span>;
}

interface LegendProps {
  readonly items: readonly ChartItem[];
  readonly series: ReadonlyMap<Id, Series>;
  readonly units: string;
  readonly hover: number | undefined;
}

function Legend({ items, series, units, hover }: LegendProps) {
  const text = (value: number | null | undefined) =>
    value === undefined || value === null ? "–" : formatValue(value, units, LEGEND_DECIMALS);
  return (
    <table className={classes["legend"]}>
      <thead>
        <tr>
          <th scope="col">{t("Item")}</th>
          <th scope="col">{hover === undefined ? t("last") : t("here")}</th>
          <th scope="col">{t("min")}</th>
          <th scope="col">{t("avg")}</th>
          <th scope="col">{t("max")}</th>
        </tr>
      </thead>
      <tbody>
        {items.map((item, at) => {
          const data = series.get(item.itemid);
          const stats = data === undefined ? undefined : lineStats(data);
          const here =
            hover === undefined || data === undefined ? stats?.last : valueAt(data, hover);
          return (
            <tr key={item.itemid}>
              <th scope="row" title={item.name}>
                <i style={{ background: chartColor(at) }} />
                {item.name}
              </th>
              <td>{text(here)}</td>
              <td>{text(stats?.min)}</td>
              <td>{text(stats?.avg)}</td>
              <td>{text(stats?.max)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** The newest value at or before the instant. */
function valueAt(series: Series, seconds: number): number | undefined {
  for (let at = series.t.length - 1; at >= 0; at -= 1) {
    const time = series.t[at];
    const value = series.avg[at];
    if (time !== undefined && time <= seconds && value !== null && value !== undefined)
      return value;
  }
  return undefined;
}
