// Lines over time as widgets draw them: what the chart of other pages has, and for each line its own thickness, density,
// staircases, bars, and whether it takes part in the stack.

import { useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { isBinaryUnit } from "@/lib/units";
import { alignLines, type Line } from "@/ui/charts/align";
import {
  type ChartLevel,
  type ChartSpan,
  drawLevels,
  drawSpans,
  scaleOf,
  token,
} from "@/ui/charts/plot-draw";
import { loneValues } from "@/ui/charts/plot-options";
import {
  axisWidth,
  BINARY_STEPS,
  logRange,
  timeTicks,
  valueRange,
  valueTicks,
} from "@/ui/charts/plot-scale";
import { stackLines } from "@/ui/charts/stack";
import classes from "./widgets.module.css";

export type Draw = "line" | "points" | "stairs" | "bars";

export interface BoardLine extends Line {
  readonly id: string;
  readonly name: string;
  readonly color: string;
  readonly draw: Draw;
  readonly width: number;
  /** 0 to 1: how dense the area below is */
  readonly fill: number;
  /** 0 to 1 */
  readonly opacity: number;
  readonly dashed?: boolean;
  readonly right: boolean;
  /** in a stack with the others that are */
  readonly stack: boolean;
  readonly pointSize?: number;
}

export interface Axis {
  readonly shown: boolean;
  readonly units: string;
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly isLogarithmic?: boolean;
}

export interface BoardChartProps {
  readonly label: string;
  readonly lines: readonly BoardLine[];
  readonly left: Axis;
  readonly right: Axis;
  readonly showTime: boolean;
  readonly from: number;
  readonly to: number;
  readonly width: number;
  readonly height: number;
  readonly spans: readonly ChartSpan[];
  /** values of triggers, as lines across */
  readonly levels: readonly ChartLevel[];
  readonly onZoom: (from: number, to: number) => void;
  readonly onHover: (seconds: number | undefined) => void;
}

const SYNC = "dashboard";

export function BoardChart(props: BoardChartProps) {
  const { label, lines, left, right, from, to, width, height, showTime, spans, levels } = props;
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const callbacks = useRef(props);
  useEffect(() => {
    callbacks.current = props;
  });
  const scheme = useComputedColorScheme("dark");
  const shape = JSON.stringify([
    lines.map(({ t: _, values: __, joints: ___, ...look }) => look),
    left,
    right,
    showTime,
  ]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `shape` and `scheme` stand for what the plot is made of; data and size follow in the next effects
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const made = new uPlot(optionsOf(props, callbacks), dataOf(lines), element);
    made.setScale("x", { min: callbacks.current.from, max: callbacks.current.to });
    plot.current = made;
    return () => {
      made.destroy();
      plot.current = undefined;
    };
  }, [shape, scheme]);

  useEffect(() => {
    const made = plot.current;
    if (made === undefined) return;
    made.batch(() => {
      made.setData(dataOf(lines), false);
      made.setScale("x", { min: from, max: to });
    });
  }, [lines, from, to]);

  useEffect(() => plot.current?.setSize({ width, height }), [width, height]);

  useEffect(() => {
    // the hooks that draw them read the newest props
    if (spans !== undefined && levels !== undefined) plot.current?.redraw(false);
  }, [spans, levels]);

  return (
    <div ref={box} role="img" aria-label={label} className={classes["plot"]} style={{ height }} />
  );
}

function dataOf(lines: readonly BoardLine[]): uPlot.AlignedData {
  const { t, lines: values } = alignLines(lines);
  const stack = lines.flatMap((line, at) => (line.stack ? [at] : []));
  if (stack.length > 0) {
    const sums = stackLines(
      stack.map((at) => values[at] ?? []),
      t,
      "stacked",
    );
    for (const [order, at] of stack.entries()) values[at] = sums[order] ?? [];
  }
  return [t, ...values] as uPlot.AlignedData;
}

const alpha = (color: string, share: number): string => {
  const byte = Math.round(Math.min(1, Math.max(0, share)) * 255);
  return `${color}${byte.toString(16).padStart(2, "0")}`;
};

function seriesOf(line: BoardLine): uPlot.Series {
  const color = alpha(line.color, line.opacity);
  const area = alpha(line.color, line.opacity * line.fill);
  const look: uPlot.Series = {
    label: line.name,
    scale: scaleOf(line.right ? "right" : "left"),
    stroke: color,
    width: line.draw === "points" ? 0 : line.width,
    points: {
      show: true,
      size: line.pointSize ?? 4,
      fill: color,
      ...(line.draw === "points" ? {} : { filter: loneValues }),
    },
    ...(line.fill > 0 && line.draw !== "points" ? { fill: area } : {}),
    ...(line.dashed === true ? { dash: [6, 4] } : {}),
  };
  const { stepped, bars } = uPlot.paths;
  if (line.draw === "stairs" && stepped !== undefined)
    return { ...look, paths: stepped({ align: 1 }) };
  if (line.draw === "bars" && bars !== undefined) {
    return { ...look, paths: bars({ size: [0.8, 24] }), points: { show: false } };
  }
  return look;
}

function optionsOf(
  props: BoardChartProps,
  callbacks: { readonly current: BoardChartProps },
): uPlot.Options {
  const { lines, width, height, left, right, showTime } = props;
  const stack = lines.flatMap((line, at) => (line.stack ? [at] : []));
  const bands = stack.slice(1).map((at, order): uPlot.Band => {
    const line = lines[at];
    const fill = line === undefined ? "transparent" : alpha(line.color, line.opacity * line.fill);
    return { series: [at + 1, (stack[order] ?? 0) + 1], fill };
  });
  return {
    width,
    height,
    legend: { show: false },
    // half of the last clock time stands right of its tick
    padding: [8, right.shown ? 4 : 20, 0, 0],
    series: [{}, ...lines.map(seriesOf)],
    bands,
    axes: [timeAxis(showTime), valueAxis(left, "left"), valueAxis(right, "right")],
    scales: {
      x: { time: true },
      [scaleOf("left")]: scaleOfAxis(left),
      [scaleOf("right")]: scaleOfAxis(right),
    },
    cursor: {
      y: false,
      points: { size: 6 },
      drag: { x: true, y: false, setScale: false },
      sync: { key: SYNC, setSeries: false, scales: ["x", null] },
    },
    hooks: {
      drawClear: [(chart) => drawSpans(chart, callbacks.current.spans)],
      draw: [(chart) => drawLevels(chart, callbacks.current.levels)],
      setSelect: [
        (chart) => {
          if (chart.select.width < 4) return;
          const start = chart.posToVal(chart.select.left, "x");
          const end = chart.posToVal(chart.select.left + chart.select.width, "x");
          chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          callbacks.current.onZoom(start, end);
        },
      ],
      setCursor: [
        (chart) => {
          const { left: position } = chart.cursor;
          const isOver = position !== undefined && position >= 0;
          callbacks.current.onHover(isOver ? chart.posToVal(position, "x") : undefined);
        },
      ],
    },
  };
}

/** Zero and what is below it has no place on a logarithmic axis. */
function scaleOfAxis(axis: Axis): uPlot.Scale {
  if (axis.isLogarithmic !== true) return { range: (_, min, max) => valueRange(min, max, axis) };
  const end = (value: number | undefined) => (value !== undefined && value > 0 ? value : undefined);
  return {
    distr: 3,
    log: 10,
    range: (_, min, max) => logRange(end(axis.min) ?? min, end(axis.max) ?? max),
  };
}

function axisLook(): uPlot.Axis {
  return {
    stroke: token("--fg-dim"),
    font: `11px ${token("--mantine-font-family")}`,
    grid: { stroke: token("--grid-line"), width: 1 },
    ticks: { show: false },
  };
}

function timeAxis(show: boolean): uPlot.Axis {
  return {
    ...axisLook(),
    show,
    size: 24,
    gap: 4,
    space: 70,
    values: (_, ticks, __, ___, step) => timeTicks(ticks, step),
  };
}

function valueAxis(axis: Axis, side: "left" | "right"): uPlot.Axis {
  return {
    ...axisLook(),
    show: axis.shown,
    scale: scaleOf(side),
    side: side === "left" ? 3 : 1,
    size: (_, ticks) => axisWidth(ticks),
    gap: 6,
    space: 26,
    values: (_, ticks) => valueTicks(ticks, axis.units, axis.isLogarithmic === true),
    ...(side === "right" ? { grid: { show: false } } : {}),
    ...(isBinaryUnit(axis.units) && axis.isLogarithmic !== true ? { incrs: BINARY_STEPS } : {}),
  };
}
