// Options of uPlot for a chart: how its lines, bands and axes look. Values are not among them.

import type uPlot from "uplot";
import { wallAt, zoneShown } from "@/lib/time";
import { formatValue, isBinaryUnit } from "@/lib/units";
import { type Axis, axisOf, bandsOf, basesOf, type ChartLine } from "./plot-data";
import {
  type ChartLevel,
  type ChartSpan,
  canvasColor,
  drawLevels,
  drawSpans,
  scaleOf,
  token,
} from "./plot-draw";
import {
  type AxisEnds,
  axisWidth,
  BINARY_STEPS,
  logRange,
  timeTicks,
  valueRange,
  valueTicks,
} from "./plot-scale";
import type { StackMode } from "./stack";

const CHART_COLORS = 8;

export function chartColor(at: number): string {
  return `var(--chart-${at % CHART_COLORS})`;
}

/** What a plot is made of; it is rebuilt when one of them changes. */
export interface PlotShape {
  readonly lines: readonly ChartLine[];
  readonly units: string;
  readonly unitsRight: string;
  readonly fill: boolean;
  readonly stack: StackMode;
  readonly isLogarithmic: boolean;
  readonly height: number;
  readonly sync: string | undefined;
}

/** What it reads each time that it draws or is touched. */
export interface PlotLive {
  readonly spans: readonly ChartSpan[];
  readonly levels: readonly ChartLevel[];
  readonly ends: Readonly<Partial<Record<Axis, AxisEnds>>>;
  readonly onZoom: ((from: number, to: number) => void) | undefined;
  readonly onZoomBack: (() => void) | undefined;
  readonly onHover: ((seconds: number | undefined) => void) | undefined;
}

export function shapeKey(shape: PlotShape): string {
  const lines = shape.lines.map((it) => [
    it.id,
    it.name,
    it.color,
    it.draw,
    it.axis,
    it.isEarlier,
    it.low !== undefined,
  ]);
  return JSON.stringify({ ...shape, lines });
}

export function plotOptions(shape: PlotShape, width: number, live: () => PlotLive): uPlot.Options {
  const { lines, stack, height, sync } = shape;
  const bands = bandsOf(lines, stack);
  const colors = lines.map((line, at) => canvasColor(line.color ?? chartColor(at)));
  const bases = basesOf(lines, stack);
  const series = lines.map((line, at) =>
    lineSeries(shape, line, colors[at] ?? "#888888", bases[at]),
  );
  for (const { line } of bands) {
    const scale = scaleOf(axisOf(lines[line] ?? {}));
    const edge = { scale, stroke: "transparent", width: 0, points: { show: false } };
    series.push({ ...edge, label: "min" }, { ...edge, label: "max" });
  }
  return {
    width,
    height,
    legend: { show: false },
    // half of the last clock time stands right of its tick
    padding: [8, lines.some((it) => axisOf(it) === "right") ? 0 : 24, 0, 0],
    series: [{}, ...series],
    bands: [
      ...bands.map(
        ({ line, low, high }): uPlot.Band => ({
          series: [high, low],
          fill: `${colors[line] ?? "#888888"}33`,
        }),
      ),
      ...bases.flatMap((base, at): uPlot.Band[] =>
        base === undefined || lines[at]?.isEarlier === true
          ? []
          : [{ series: [at + 1, base + 1], fill: `${colors[at] ?? "#888888"}${STACK_ALPHA}` }],
      ),
    ],
    axes: axesOf(shape),
    // a date whose clock shows the wall of the zone: by it the plot finds where hours and days begin
    tzDate: (seconds) => {
      if (zoneShown() === undefined) return new Date(seconds * 1000);
      const { year, month, day, hour, minute, second } = wallAt(seconds);
      return new Date(year, month - 1, day, hour, minute, second);
    },
    scales: {
      x: { time: true },
      y: valueScale(shape, "left", live),
      y2: valueScale(shape, "right", live),
    },
    focus: { alpha: 0.2 },
    cursor: cursorOf(sync, live),
    hooks: hooksOf(live),
  };
}

const STACK_ALPHA = "8c";

function lineSeries(
  { units, unitsRight, fill, stack }: PlotShape,
  line: ChartLine,
  color: string,
  base: number | undefined,
): uPlot.Series {
  const unitsOf = axisOf(line) === "left" ? units : unitsRight;
  const look = lookOf(line, color, fill);
  const isPile = stack !== "none" && line.isEarlier !== true;
  return {
    label: line.name,
    scale: scaleOf(axisOf(line)),
    stroke: color,
    // a value without neighbours makes no line
    points: { show: true, size: 4, fill: color, filter: loneValues },
    ...look,
    ...(isPile ? { width: 1, fill: `${color}${STACK_ALPHA}`, dash: [] } : {}),
    ...(isPile && base !== undefined ? { fill: `${color}${STACK_ALPHA}` } : {}),
    value: (_: uPlot, value: number | null) => (value === null ? "" : formatValue(value, unitsOf)),
  };
}

function lookOf(line: ChartLine, color: string, fill: boolean): Partial<uPlot.Series> {
  const filled = fill && line.isEarlier !== true ? { fill: `${color}26` } : {};
  if (line.isEarlier === true) return { width: 1.2, dash: [3, 4] };
  switch (line.draw) {
    case "bold":
      return { width: 2.8, ...filled };
    case "area":
      return { width: 1.2, fill: `${color}66` };
    case "points":
      return {
        width: 0,
        paths: () => null,
        points: { show: true, size: 4, fill: color, stroke: color },
      };
    case "dashed":
      return { width: 1.4, dash: [6, 4], ...filled };
    case "gradient":
      return { width: 1.4, fill: (chart) => gradient(chart, color) };
    default:
      return { width: 1.4, ...filled };
  }
}

function gradient({ ctx, bbox }: uPlot, color: string): CanvasGradient | string {
  // not yet laid out
  if (!Number.isFinite(bbox.top) || bbox.height <= 0) return `${color}40`;
  const shades = ctx.createLinearGradient(0, bbox.top, 0, bbox.top + bbox.height);
  shades.addColorStop(0, `${color}99`);
  shades.addColorStop(1, `${color}08`);
  return shades;
}

function axesOf({ lines, units, unitsRight, isLogarithmic }: PlotShape): uPlot.Axis[] {
  const axis = {
    stroke: token("--fg-dim"),
    font: `11px ${token("--mantine-font-family")}`,
    grid: { stroke: token("--grid-line"), width: 1 },
    ticks: { show: false },
  };
  const value = (of: string, side: Axis): uPlot.Axis => ({
    ...axis,
    scale: scaleOf(side),
    side: side === "left" ? 3 : 1,
    size: (_, ticks) => axisWidth(ticks),
    gap: 6,
    space: 26,
    values: (_, ticks) => valueTicks(ticks, of, isLogarithmic),
    ...(isBinaryUnit(of) && !isLogarithmic ? { incrs: BINARY_STEPS } : {}),
  });
  const sides = new Set(lines.map(axisOf));
  return [
    {
      ...axis,
      size: 26,
      gap: 4,
      space: 70,
      values: (_, ticks, __, ___, step) => timeTicks(ticks, step),
    },
    ...(sides.has("left") || !sides.has("right") ? [value(units, "left")] : []),
    ...(sides.has("right")
      ? [{ ...value(unitsRight, "right"), grid: { ...axis.grid, show: !sides.has("left") } }]
      : []),
  ];
}

function valueScale(
  { stack, isLogarithmic }: PlotShape,
  axis: Axis,
  live: () => PlotLive,
): uPlot.Scale {
  if (isLogarithmic) return { distr: 3, log: 10, range: (_, min, max) => logRange(min, max) };
  if (stack === "percent") return { range: () => [0, 100] };
  return {
    range: (_, min, max) =>
      valueRange(
        stack === "stacked" && min !== null ? Math.min(0, min) : min,
        max,
        live().ends[axis],
      ),
  };
}

function cursorOf(sync: string | undefined, live: () => PlotLive): uPlot.Cursor {
  return {
    y: false,
    points: { size: 6 },
    drag: { x: true, y: false, setScale: false },
    bind: {
      dblclick: () => () => {
        live().onZoomBack?.();
        return null;
      },
    },
    ...(sync === undefined ? {} : { sync: { key: sync, setSeries: false } }),
  };
}

const DRAG_PX_MIN = 4;

function hooksOf(live: () => PlotLive): uPlot.Hooks.Arrays {
  return {
    drawClear: [(chart) => drawSpans(chart, live().spans)],
    draw: [(chart) => drawLevels(chart, live().levels)],
    setSelect: [
      (chart) => {
        if (chart.select.width < DRAG_PX_MIN) return;
        const start = chart.posToVal(chart.select.left, "x");
        const end = chart.posToVal(chart.select.left + chart.select.width, "x");
        chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        live().onZoom?.(start, end);
      },
    ],
    setCursor: [
      (chart) => {
        const { idx } = chart.cursor;
        const at = idx === null || idx === undefined ? undefined : chart.data[0][idx];
        live().onHover?.(at);
      },
    ],
  };
}

/** Positions of values that stand between breaks of the line; undefined ones are bridged. */
export function loneValues(chart: uPlot, at: number): number[] {
  const values = chart.data[at] ?? [];
  const lone: number[] = [];
  let run: number[] = [];
  const end = () => {
    if (run.length === 1) lone.push(...run);
    run = [];
  };
  for (const [position, value] of values.entries()) {
    if (value === null) end();
    else if (value !== undefined) run.push(position);
  }
  end();
  return lone;
}
