// A graph as it is kept on hosts (`graph.*`), or one item, drawn in a widget.

import { useMemo } from "react";
import type { BoardGraph, BoardItem } from "@/api/widgets";
import { t } from "@/lib/i18n";
import { isNumeric } from "@/lib/item-types";
import { EmptyState, QueryGate } from "@/ui/states";
import type { Draw } from "./board-chart";
import { ChartView, type LineLook } from "./chart-view";
import { ClassicPie, isPie } from "./classic-pie";
import { useFrame, useRange } from "./context";
import { useBoardSeries, useItems } from "./data";
import type { Fields } from "./fields";
import { lineColor } from "./palette";

const FILLED = 1;
const BOLD = 2;
const DOT = 3;
const DASHED = 4;
const GRADIENT = 5;
const STACKED = 1;
const LEGEND_LINES_MAX = 6;
// a smaller chart has no room for a legend
const LEGEND_FROM_PX = 140;

const BASE = {
  draw: "line" as Draw,
  width: 1.4,
  fill: 0,
  opacity: 1,
  right: false,
  stack: false,
  shift: 0,
  value: "avg",
  missing: 0,
} as const;

function graphLook(
  graph: BoardGraph,
  line: BoardGraph["lines"][number],
  item: BoardItem,
): LineLook {
  const isStacked = graph.graphtype === STACKED;
  const isFilled = isStacked || line.draw === FILLED || line.draw === GRADIENT;
  return {
    ...BASE,
    id: item.itemid,
    itemid: item.itemid,
    name: item.host === graph.host ? item.name : `${item.host}: ${item.name}`,
    color: line.color.length === 7 ? line.color : lineColor(0),
    draw: line.draw === DOT ? "points" : "line",
    width: line.draw === BOLD ? 2.6 : 1.4,
    fill: isFilled ? (isStacked ? 0.7 : 0.35) : 0,
    dashed: line.draw === DASHED,
    right: line.right,
    stack: isStacked,
  };
}

export interface ClassicChartProps {
  readonly graph: BoardGraph;
  readonly fields: Fields;
  readonly width: number;
  readonly height: number;
}

export function ClassicChart({ graph, fields, width, height }: ClassicChartProps) {
  const itemids = useMemo(() => graph.lines.map((it) => it.itemid), [graph]);
  const query = useItems(itemids, undefined);
  return (
    <QueryGate query={query}>
      {(items) => {
        const props = { graph, items, fields, width, height };
        return isPie(graph) ? <ClassicPie {...props} /> : <GraphLines {...props} />;
      }}
    </QueryGate>
  );
}

interface GraphLinesProps extends ClassicChartProps {
  readonly items: readonly BoardItem[];
}

function GraphLines({ graph, items, fields, width, height }: GraphLinesProps) {
  const looks = useMemo(() => {
    const byId = new Map(items.map((it) => [it.itemid, it]));
    return graph.lines.flatMap((line) => {
      const item = byId.get(line.itemid);
      return item === undefined ? [] : [graphLook(graph, line, item)];
    });
  }, [graph, items]);
  return (
    <Lines
      label={graph.name}
      looks={looks}
      items={items}
      fields={fields}
      width={width}
      height={height}
      ends={{ min: graph.min, max: graph.max }}
      legend={graph.legend}
    />
  );
}

interface LinesProps {
  readonly label: string;
  readonly looks: readonly LineLook[];
  readonly items: readonly BoardItem[];
  readonly fields: Fields;
  readonly width: number;
  readonly height: number;
  readonly ends?: { readonly min: number | undefined; readonly max: number | undefined };
  readonly legend: boolean;
}

function Lines({ label, looks, items, fields, width, height, ends, legend }: LinesProps) {
  const range = useRange(fields);
  const itemids = useMemo(() => looks.map((it) => it.itemid), [looks]);
  const query = useBoardSeries(itemids, range, width > 500 ? 300 : 150);
  const isLegend = legend && fields.flag("show_legend", true) && height >= LEGEND_FROM_PX;
  return (
    <QueryGate query={query}>
      {({ series, from, to }) => (
        <ChartView
          label={label}
          looks={looks}
          items={items}
          series={series}
          from={from}
          to={to}
          width={width}
          height={height}
          {...(ends === undefined ? {} : { left: ends, right: ends })}
          legendLines={isLegend ? Math.min(LEGEND_LINES_MAX, looks.length) : 0}
          statistic
        />
      )}
    </QueryGate>
  );
}

export interface SimpleChartProps {
  readonly item: BoardItem;
  readonly fields: Fields;
  readonly width: number;
  readonly height: number;
}

/** One item. */
export function SimpleChart({ item, fields, width, height }: SimpleChartProps) {
  const looks = useMemo(
    () => [
      {
        ...BASE,
        id: item.itemid,
        itemid: item.itemid,
        name: item.name,
        color: lineColor(0),
        fill: 0.2,
      },
    ],
    [item],
  );
  const items = useMemo(() => [item], [item]);
  if (!isNumeric(item.valueType)) return <EmptyState title={t("No numbers to draw")} />;
  return (
    <Lines
      label={item.name}
      looks={looks}
      items={items}
      fields={fields}
      width={width}
      height={height}
      legend
    />
  );
}

/** The size of the widget's content, for those that fill it. */
export function useChartSize() {
  const { width, height } = useFrame();
  return { width, height };
}
