// uPlot in React: lines over time with an optional min–max band, drag to zoom, a crosshair shared by all
// charts of the same `sync` group. The chart is made anew when its lines or the theme change, and only fed
// when values do.

import { useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { formatTicks, formatValue, isBinaryUnit } from "@/lib/units";
import { alignLines, type Line } from "./align";
import classes from "./time-chart.module.css";

const CHART_COLORS = 8;

export interface ChartLine extends Line {
  readonly id: string;
  readonly name: string;
  /** lowest and highest value per bucket, drawn as a band when the chart has one line */
  readonly low?: readonly (number | null)[];
  readonly high?: readonly (number | null)[];
}

/** A stretch of time marked behind the lines; those of one tone come in order of time. */
export interface ChartSpan {
  readonly from: number;
  readonly to: number;
  readonly tone: "problem" | "unknown";
}

export interface TimeChartProps {
  readonly label: string;
  readonly lines: readonly ChartLine[];
  readonly units: string;
  readonly height: number;
  readonly from: number;
  readonly to: number;
  readonly sync?: string;
  readonly onZoom?: (from: number, to: number) => void;
  /** position under the crosshair, undefined when it left */
  readonly onHover?: (seconds: number | undefined) => void;
  readonly fill?: boolean;
  readonly spans?: readonly ChartSpan[];
}

function token(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export function chartColor(at: number): string {
  return `var(--chart-${at % CHART_COLORS})`;
}

export function TimeChart(props: TimeChartProps) {
  const { label, lines, units, height, from, to, sync, fill = false, spans } = props;
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const callbacks = useRef(props);
  useEffect(() => {
    callbacks.current = props;
  });
  const scheme = useComputedColorScheme("dark");
  const band = lines.length === 1 && lines[0]?.low !== undefined;
  const shape = JSON.stringify([lines.map((line) => [line.id, line.name]), band, units, fill]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `shape` and `scheme` stand for what the plot is made of; data follow in the next effect
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const options = chartOptions({ props, band, width: element.clientWidth, callbacks });
    const made = new uPlot(options, chartData(lines, band), element);
    // also if only the colours are others, and nothing new to draw follows
    made.setScale("x", { min: callbacks.current.from, max: callbacks.current.to });
    plot.current = made;
    const observer = new ResizeObserver(() =>
      made.setSize({ width: element.clientWidth, height: callbacks.current.height }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = undefined;
    };
  }, [shape, scheme, sync, height]);

  useEffect(() => {
    const made = plot.current;
    if (made === undefined) return;
    made.batch(() => {
      made.setData(chartData(lines, band), false);
      made.setScale("x", { min: from, max: to });
    });
  }, [lines, band, from, to]);

  useEffect(() => {
    // the hook that draws them reads the newest props
    if (spans !== undefined) plot.current?.redraw(false);
  }, [spans]);

  return (
    <div ref={box} role="img" aria-label={label} className={classes["chart"]} style={{ height }} />
  );
}

function chartData(lines: readonly ChartLine[], band: boolean): uPlot.AlignedData {
  const [only] = lines;
  const all: Line[] = [...lines];
  if (band && only?.low !== undefined && only.high !== undefined) {
    all.push({ ...only, values: only.low }, { ...only, values: only.high });
  }
  const { t, lines: values } = alignLines(all);
  return [t, ...values] as uPlot.AlignedData;
}

interface OptionsInput {
  readonly props: TimeChartProps;
  readonly band: boolean;
  readonly width: number;
  readonly callbacks: { readonly current: TimeChartProps };
}

function chartOptions({ props, band, width, callbacks }: OptionsInput): uPlot.Options {
  const { lines, units, height, sync, fill } = props;
  const colors = Array.from({ length: CHART_COLORS }, (_, at) => token(`--chart-${at}`));
  const color = (at: number) => colors[at % CHART_COLORS] ?? "gray";
  const axis = {
    stroke: token("--fg-dim"),
    font: `11px ${token("--mantine-font-family")}`,
    grid: { stroke: token("--grid-line"), width: 1 },
    ticks: { show: false },
  };
  const series: uPlot.Series[] = lines.map((line, at) => ({
    label: line.name,
    stroke: color(at),
    width: 1.4,
    // a value without neighbours makes no line
    points: { show: true, size: 4, fill: color(at), filter: loneValues },
    ...(fill ? { fill: `${color(at)}26` } : {}),
    value: (_: uPlot, value: number | null) => (value === null ? "" : formatValue(value, units)),
  }));
  if (band) {
    const edge = { stroke: "transparent", width: 0, points: { show: false } };
    series.push({ ...edge, label: "min" }, { ...edge, label: "max" });
  }
  return {
    width,
    height,
    legend: { show: false },
    // half of the last clock time stands right of its tick
    padding: [8, 24, 0, 0],
    series: [{}, ...series],
    ...(band ? { bands: [{ series: [3, 2], fill: `${color(0)}33` }] } : {}),
    axes: [
      { ...axis, size: 26, gap: 4, space: 70, values: timeTicks },
      {
        ...axis,
        size: (_, ticks) => axisWidth(ticks),
        gap: 6,
        space: 26,
        values: (_, ticks) => formatTicks(ticks, units),
        ...(isBinaryUnit(units) ? { incrs: BINARY_STEPS } : {}),
      },
    ],
    scales: { x: { time: true }, y: { range: valueRange } },
    cursor: {
      y: false,
      points: { size: 6 },
      drag: { x: true, y: false, setScale: false },
      ...(sync === undefined ? {} : { sync: { key: sync, setSeries: false } }),
    },
    hooks: {
      drawClear: [(chart) => drawSpans(chart, callbacks.current.spans ?? [])],
      setSelect: [
        (chart) => {
          if (chart.select.width < 4) return;
          const start = chart.posToVal(chart.select.left, "x");
          const end = chart.posToVal(chart.select.left + chart.select.width, "x");
          chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          callbacks.current.onZoom?.(start, end);
        },
      ],
      setCursor: [
        (chart) => {
          const { idx } = chart.cursor;
          const at = idx === null || idx === undefined ? undefined : chart.data[0][idx];
          callbacks.current.onHover?.(at);
        },
      ],
    },
  };
}

// wide enough to be seen, in device pixels
const SPAN_PX_MIN = 2;

function drawSpans(chart: uPlot, spans: readonly ChartSpan[]): void {
  if (spans.length === 0) return;
  const { ctx, bbox } = chart;
  const fills = { problem: token("--span-problem"), unknown: token("--span-unknown") };
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  // what is drawn wider than it is must not be drawn twice: shades would add up
  const drawn = { problem: Number.NEGATIVE_INFINITY, unknown: Number.NEGATIVE_INFINITY };
  for (const { from, to, tone } of spans) {
    const start = chart.valToPos(from, "x", true);
    const end = Math.max(start + SPAN_PX_MIN, chart.valToPos(to, "x", true));
    const left = Math.max(start, drawn[tone]);
    if (end <= left) continue;
    drawn[tone] = end;
    ctx.fillStyle = fills[tone];
    ctx.fillRect(left, bbox.top, end - left, bbox.height);
  }
  ctx.restore();
}

/** Positions of values that stand between breaks of the line; undefined ones are bridged. */
function loneValues(chart: uPlot, at: number): number[] {
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

// steps between ticks of bytes, so that they read 2, 4, 6 GB and not 1.86, 3.73
const BINARY_STEPS = Array.from({ length: 60 }, (_, power) => 2 ** power);

// about the width of a digit at 11 px, plus the gap to the axis
const DIGIT_PX = 6.4;
const AXIS_PX_MIN = 44;

function axisWidth(ticks: readonly string[] | null): number {
  const longest = Math.max(0, ...(ticks ?? []).map((tick) => tick.length));
  return Math.max(AXIS_PX_MIN, Math.ceil(longest * DIGIT_PX) + 12);
}

/** 24-hour clock; the date where a new day begins. */
function timeTicks(_: uPlot, ticks: number[], __: number, ___: number, step: number): string[] {
  const two = (n: number) => String(n).padStart(2, "0");
  return ticks.map((tick) => {
    const d = new Date(tick * 1000);
    const date = `${two(d.getMonth() + 1)}-${two(d.getDate())}`;
    if (step >= 86_400) return date;
    const midnight = d.getHours() === 0 && d.getMinutes() === 0 && d.getSeconds() === 0;
    if (midnight) return date;
    const clock = `${two(d.getHours())}:${two(d.getMinutes())}`;
    return step < 60 ? `${clock}:${two(d.getSeconds())}` : clock;
  });
}

/** Zero belongs to the picture of small and positive values; flat lines get room above and below. */
function valueRange(_: uPlot, min: number | null, max: number | null): [number, number] {
  if (min === null || max === null) return [0, 1];
  if (min === max) {
    const pad = min === 0 ? 1 : Math.abs(min) * 0.25;
    return min >= 0 ? [0, max + pad] : [min - pad, max + pad];
  }
  const room = (max - min) * 0.06;
  const low = min >= 0 && min < max * 0.6 ? 0 : min - room;
  return [min >= 0 ? Math.max(0, low) : low, max + room];
}
