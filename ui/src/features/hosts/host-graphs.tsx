// All numbers of a host as charts: one range, one crosshair, drawn when scrolled to.

import { Link } from "@tanstack/react-router";
import { useEffect, useMemo, useRef, useState } from "react";
import type { Id } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import type { TimeRange } from "@/lib/time";
import { Page } from "@/ui/page";
import { SearchBox } from "@/ui/search-box";
import { EmptyState, QueryGate } from "@/ui/states";
import { TimeRangePicker } from "@/ui/time-range-picker";
import { ItemChart } from "@/widgets/item-chart";
import { type ChartSpec, chartGroups } from "./chart-groups";
import classes from "./hosts.module.css";
import { useGraphItems } from "./queries";

export interface GraphsSearch {
  readonly from?: string;
  readonly to?: string;
  readonly q?: string;
}

export interface HostGraphsProps {
  readonly hostid: Id;
  readonly search: GraphsSearch;
  readonly onSearch: (search: GraphsSearch) => void;
}

const CHART_HEIGHT = 150;
const DEFAULT_RANGE: TimeRange = { from: "now-1h", to: "now" };

export function HostGraphs({ hostid, search, onSearch }: HostGraphsProps) {
  const query = useGraphItems(hostid);
  const range: TimeRange = {
    from: search.from ?? DEFAULT_RANGE.from,
    to: search.to ?? DEFAULT_RANGE.to,
  };
  const text = search.q ?? "";
  const groups = useMemo(() => chartGroups(query.data ?? [], text), [query.data, text]);
  const setRange = (next: TimeRange) => onSearch({ ...search, from: next.from, to: next.to });
  const count = groups.reduce((sum, group) => sum + group.charts.length, 0);
  return (
    <Page
      title={t("Graphs")}
      note={plural(count, "1 graph", "{n} graphs")}
      actions={
        <>
          <SearchBox
            value={text}
            onChange={(q) => onSearch({ ...search, q })}
            placeholder={t("Search graphs")}
          />
          <TimeRangePicker range={range} onChange={setRange} />
          <Link to="/graphs" search={{ hosts: hostid }}>
            {t("Configured graphs")}
          </Link>
          <Link to="/hosts/$hostid/graphs/list" params={{ hostid }}>
            {t("Configure")}
          </Link>
        </>
      }
      scroll
    >
      <QueryGate query={query}>
        {() =>
          groups.length === 0 ? (
            <EmptyState title={t("Nothing to draw yet")}>
              {t("Graphs appear when the host has numeric items: link a template to it.")}
            </EmptyState>
          ) : (
            groups.map((group) => (
              <section key={group.name} className={classes["group"]} aria-label={group.name}>
                <h2>{group.name}</h2>
                <div className={classes["charts"]}>
                  {group.charts.map((chart) => (
                    <LazyChart
                      key={chart.id}
                      chart={chart}
                      range={range}
                      onRange={setRange}
                      sync={hostid}
                    />
                  ))}
                </div>
              </section>
            ))
          )
        }
      </QueryGate>
    </Page>
  );
}

interface LazyChartProps {
  readonly chart: ChartSpec;
  readonly range: TimeRange;
  readonly onRange: (range: TimeRange) => void;
  readonly sync: string;
}

// legend head and lines, caption and padding around the plot
const LEGEND_LINE = 16.5;
const FRAME = 52;

/** A chart outside of the window costs nothing: its place is kept, its values are not asked for. */
function LazyChart({ chart, range, onRange, sync }: LazyChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const [near, setNear] = useState(false);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const observer = new IntersectionObserver(
      ([entry]) => setNear(entry?.isIntersecting === true),
      { rootMargin: "300px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const minHeight = CHART_HEIGHT + FRAME + chart.items.length * LEGEND_LINE;
  return (
    <div ref={place} style={{ minHeight }} className={near ? "" : classes["placeholder"]}>
      {near ? (
        <ItemChart
          title={chart.title}
          items={chart.items}
          units={chart.units}
          range={range}
          onRange={onRange}
          height={CHART_HEIGHT}
          sync={sync}
        />
      ) : null}
    </div>
  );
}
