// What is drawn besides the lines: stretches of time behind them, levels across them.

import type uPlot from "uplot";
import type { Axis } from "./plot-data";

/** A stretch of time marked behind the lines; those of one tone come in order of time. */
export interface ChartSpan {
  readonly from: number;
  readonly to: number;
  /** `rest`: nobody works then */
  readonly tone: "problem" | "unknown" | "rest";
}

/** A level that a line is held against. */
export interface ChartLevel {
  readonly value: number;
  readonly axis: Axis;
  readonly text: string;
  /** `#rrggbb` or `var(--name)` */
  readonly color: string;
  readonly dash: readonly number[];
  /** where its text stands; the other end of the line is for levels of another kind */
  readonly textAt: "start" | "end";
}

export function token(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** A color as the canvas takes it. */
export function canvasColor(color: string): string {
  const name = /^var\((--[\w-]+)\)$/.exec(color)?.[1];
  return name === undefined ? color : token(name) || "#888888";
}

// wide enough to be seen, in device pixels
const SPAN_PX_MIN = 2;

export function drawSpans(chart: uPlot, spans: readonly ChartSpan[]): void {
  if (spans.length === 0) return;
  const { ctx, bbox } = chart;
  const fills = {
    problem: token("--span-problem"),
    unknown: token("--span-unknown"),
    rest: token("--span-rest"),
  };
  ctx.save();
  clip(chart);
  // what is drawn wider than it is must not be drawn twice: shades would add up
  const none = Number.NEGATIVE_INFINITY;
  const drawn = { problem: none, unknown: none, rest: none };
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

function clip({ ctx, bbox }: uPlot): void {
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
}

const LEVEL_FONT_PX = 10;

export function drawLevels(chart: uPlot, levels: readonly ChartLevel[]): void {
  if (levels.length === 0) return;
  const { ctx, bbox } = chart;
  const ratio = devicePixelRatio;
  const font = `${LEVEL_FONT_PX * ratio}px ${token("--mantine-font-family")}`;
  const [ink, paper] = [token("--fg"), token("--panel")];
  ctx.save();
  clip(chart);
  ctx.font = font;
  ctx.textBaseline = "bottom";
  for (const { value, axis, text, color, dash, textAt } of levels) {
    const y = Math.round(chart.valToPos(value, scaleOf(axis), true));
    if (!(y >= bbox.top && y <= bbox.top + bbox.height)) continue;
    ctx.strokeStyle = canvasColor(color);
    ctx.lineWidth = 1.2 * ratio;
    ctx.setLineDash(dash.map((part) => part * ratio));
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    // above the line, below it where there is no room
    const below = y - bbox.top < (LEVEL_FONT_PX + 4) * ratio;
    ctx.textBaseline = below ? "top" : "bottom";
    ctx.textAlign = textAt === "start" ? "left" : "right";
    const x = textAt === "start" ? bbox.left + 4 * ratio : bbox.left + bbox.width - 4 * ratio;
    ctx.setLineDash([]);
    ctx.lineWidth = 3 * ratio;
    ctx.strokeStyle = paper;
    ctx.lineJoin = "round";
    const place = below ? y + 2 * ratio : y - 2 * ratio;
    ctx.strokeText(text, x, place);
    ctx.fillStyle = ink;
    ctx.fillText(text, x, place);
  }
  ctx.restore();
}

/** The scale of uPlot that belongs to an axis. */
export function scaleOf(axis: Axis): string {
  return axis === "left" ? "y" : "y2";
}
