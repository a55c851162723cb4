// uPlot in React: lines over time with min–max bands or on top of each other, drag to zoom, a crosshair shared
// by all charts of the same `sync` group. The chart is rebuilt when its lines or the theme change, and only
// fed when values do.

import { useComputedColorScheme } from "@mantine/core";
import { type RefObject, useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { zoneName } from "@/lib/time";
import { offsetName } from "@/lib/zone";
import { type Axis, type ChartLine, plotColumns } from "./plot-data";
import type { ChartLevel, ChartSpan } from "./plot-draw";
import { type PlotLive, type PlotShape, plotOptions, shapeKey } from "./plot-options";
import type { AxisEnds } from "./plot-scale";
import type { StackMode } from "./stack";
import classes from "./time-chart.module.css";

export interface TimeChartProps {
  readonly label: string;
  readonly lines: readonly ChartLine[];
  readonly units: string;
  /** of lines of the right axis */
  readonly unitsRight?: string;
  readonly height: number;
  readonly from: number;
  readonly to: number;
  readonly sync?: string | undefined;
  readonly onZoom?: (from: number, to: number) => void;
  /** a double click */
  readonly onZoomBack?: (() => void) | undefined;
  /** position under the crosshair, undefined when it left */
  readonly onHover?: (seconds: number | undefined) => void;
  readonly fill?: boolean;
  readonly stack?: StackMode;
  readonly isLogarithmic?: boolean;
  readonly ends?: Readonly<Partial<Record<Axis, AxisEnds>>>;
  readonly spans?: readonly ChartSpan[] | undefined;
  readonly levels?: readonly ChartLevel[] | undefined;
  /** id of the line that stands out */
  readonly focus?: string | undefined;
  /** gets what is drawn on, for pictures of it */
  readonly canvas?: RefObject<HTMLCanvasElement | null>;
}

const NO_SPANS: readonly ChartSpan[] = [];
const NO_LEVELS: readonly ChartLevel[] = [];
const NO_ENDS = {};

function shapeOf(props: TimeChartProps): PlotShape {
  const { lines, units, unitsRight = "", height, fill = false, sync } = props;
  const { stack = "none", isLogarithmic = false } = props;
  return {
    lines,
    // shares have no other units
    units: stack === "percent" ? "%" : units,
    unitsRight: stack === "percent" ? "%" : unitsRight,
    fill,
    stack,
    // edges of layers are sums: their logarithms say nothing
    isLogarithmic: isLogarithmic && stack === "none",
    height,
    sync,
  };
}

function liveOf(props: TimeChartProps): PlotLive {
  const { spans = NO_SPANS, levels = NO_LEVELS, ends = NO_ENDS } = props;
  const { onZoom, onZoomBack, onHover } = props;
  return { spans, levels, ends, onZoom, onZoomBack, onHover };
}

function columnsOf({ lines, stack, isLogarithmic }: PlotShape): uPlot.AlignedData {
  return plotColumns(lines, stack, isLogarithmic) as unknown as uPlot.AlignedData;
}

export function TimeChart(props: TimeChartProps) {
  const { label, lines, height, from, to, spans, levels, ends, focus, canvas } = props;
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  const scheme = useComputedColorScheme("dark");
  const shape = shapeOf(props);
  const key = shapeKey(shape);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` and `scheme` stand for what the plot is made of; data follow in the next effect
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const options = plotOptions(shape, element.clientWidth, () => liveOf(latest.current));
    const made = new uPlot(options, columnsOf(shape), element);
    // also if only the colours are others, and nothing new to draw follows
    made.setScale("x", { min: latest.current.from, max: latest.current.to });
    plot.current = made;
    if (canvas !== undefined) canvas.current = made.ctx.canvas;
    const observer = new ResizeObserver(() =>
      made.setSize({ width: element.clientWidth, height: latest.current.height }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = undefined;
      if (canvas !== undefined) canvas.current = null;
    };
  }, [key, scheme]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for the rest of the shape
  useEffect(() => {
    const made = plot.current;
    if (made === undefined) return;
    made.batch(() => {
      made.setData(columnsOf(shape), false);
      made.setScale("x", { min: from, max: to });
    });
  }, [lines, key, from, to, ends]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the hooks that draw them read the newest props
  useEffect(() => {
    plot.current?.redraw(false);
  }, [spans, levels]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a plot that is rebuilt has no focus yet
  useEffect(() => {
    const at = focus === undefined ? -1 : lines.findIndex((it) => it.id === focus);
    plot.current?.setSeries(at < 0 ? null : at + 1, { focus: at >= 0 });
  }, [focus, key]);

  return (
    <div ref={box} role="img" aria-label={label} className={classes["chart"]} style={{ height }}>
      {/* next to the axis, below the labels of the values */}
      <span className={classes["zone"]} title={zoneName()} data-zone>
        {offsetName(to, zoneName())}
      </span>
    </div>
  );
}
