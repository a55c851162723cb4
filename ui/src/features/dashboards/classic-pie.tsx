// A pie as it is kept on hosts (`graph.*`, Pie and Exploded), drawn in a widget.

import { useMemo } from "react";
import type { BoardGraph, BoardItem } from "@/api/widgets";
import { t } from "@/lib/i18n";
import { isNumeric } from "@/lib/item-types";
import { EmptyState, QueryGate } from "@/ui/states";
import { type Pie, pieOf } from "@/widgets/graph/pie";
import { PieDrawing, PieLegend } from "@/widgets/graph/pie-figure";
import { calcOf, type GraphLine } from "@/widgets/graph/spec";
import type { ClassicChartProps } from "./classic-chart";
import { useRange } from "./context";
import { useBoardSeries } from "./data";
import { lineColor } from "./palette";

const PIE = 2;
const EXPLODED = 3;
const BUCKETS = 60;
// a legend below takes a line of this each, and its head
const LEGEND_LINE_PX = 21;
// above and below the pie
const MARGIN_PX = 8;
// a smaller pie is not readable
const PIE_MIN_PX = 70;

export function isPie({ graphtype }: BoardGraph): boolean {
  return graphtype === PIE || graphtype === EXPLODED;
}

/** The graph's items that can be seen and have numbers, as slices. */
export function pieLines(graph: BoardGraph, items: readonly BoardItem[]): readonly GraphLine[] {
  const byId = new Map(items.map((it) => [it.itemid, it]));
  return graph.lines.flatMap((line): GraphLine[] => {
    const item = byId.get(line.itemid);
    if (item === undefined || !isNumeric(item.valueType)) return [];
    return [
      {
        itemid: item.itemid,
        name: item.host === graph.host ? item.name : `${item.host}: ${item.name}`,
        units: item.units,
        color: line.color.length === 7 ? line.color : lineColor(0),
        draw: "line",
        axis: "left",
        calc: calcOf(line.calc),
        isWhole: line.isWhole,
      },
    ];
  });
}

export interface ClassicPieProps extends ClassicChartProps {
  readonly items: readonly BoardItem[];
}

export function ClassicPie({ graph, items, fields, height }: ClassicPieProps) {
  const lines = useMemo(() => pieLines(graph, items), [graph, items]);
  const itemids = useMemo(() => [...new Set(lines.map((it) => it.itemid))], [lines]);
  const query = useBoardSeries(itemids, useRange(fields), BUCKETS);
  const wantsLegend = graph.legend && fields.flag("show_legend", true);
  return (
    <QueryGate query={query}>
      {({ series }) => (
        <Slices
          graph={graph}
          pie={pieOf(lines, new Map(series.map((it) => [it.itemid, it])))}
          height={height}
          wantsLegend={wantsLegend}
        />
      )}
    </QueryGate>
  );
}

interface SlicesProps {
  readonly graph: BoardGraph;
  readonly pie: Pie;
  readonly height: number;
  readonly wantsLegend: boolean;
}

function Slices({ graph, pie, height, wantsLegend }: SlicesProps) {
  if (pie.slices.length === 0) return <EmptyState title={t("No data")} />;
  const legendPx = (pie.slices.length + pie.absent.length + 1) * LEGEND_LINE_PX;
  const isLegend = wantsLegend && height - legendPx >= PIE_MIN_PX;
  return (
    <div>
      <PieDrawing
        slices={pie.slices}
        title={graph.name}
        isExploded={graph.graphtype === EXPLODED}
        height={(isLegend ? height - legendPx : height) - MARGIN_PX}
      />
      {isLegend ? <PieLegend pie={pie} /> : null}
    </div>
  );
}
