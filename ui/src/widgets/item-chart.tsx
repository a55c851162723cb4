// A chart of items as they are: one color each, their values below.

import { useMemo } from "react";
import type { TimeRange } from "@/lib/time";
import type { ChartSpan } from "@/ui/charts/plot-draw";
import { GraphFigure } from "./graph/graph-figure";
import type { DrawnItem, GraphSpec } from "./graph/spec";
import { plainSpec } from "./graph/spec";
import { type GraphView, PLAIN_VIEW } from "./graph/view";
import { useZoom } from "./graph/zoom";

export interface ChartItem extends Omit<DrawnItem, "units"> {}

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

// the page that places it says what is marked
const VIEW: GraphView = { ...PLAIN_VIEW, hasMarks: false };

export function ItemChart(props: ItemChartProps) {
  const { title, items, units, range, onRange, height = 150, sync, legend = true, spans } = props;
  const spec = useMemo(
    (): GraphSpec =>
      plainSpec(
        title,
        items.map(({ itemid, name }) => ({ itemid, name, units })),
      ),
    [title, items, units],
  );
  const zoom = useZoom(range, onRange);
  return (
    <GraphFigure
      spec={spec}
      view={VIEW}
      range={range}
      zoom={zoom}
      height={height}
      sync={sync}
      legend={legend}
      spans={spans}
    />
  );
}
