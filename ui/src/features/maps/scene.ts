// Positions of the elements of a map, and the texts of their labels. No React: pages and the editor draw by it.

import type { DrawnElement, DrawnMap, ElementState } from "@/api/maps";
import { plural, t } from "@/lib/i18n";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

/** Of icons that are gone or not loaded yet. */
export const ICON_SIZE: readonly [number, number] = [48, 48];

export const LABEL_PX = 11;
const LINE_PX = 14;
const GAP_PX = 6;

export function iconBox(
  { x, y, centered }: { readonly x: number; readonly y: number; readonly centered: boolean },
  size: readonly [number, number] | undefined,
): Box {
  const [width, height] = size ?? ICON_SIZE;
  return centered
    ? { x: x - width / 2, y: y - height / 2, width, height }
    : { x, y, width, height };
}

export function middle({ x, y, width, height }: Box): Point {
  return { x: x + width / 2, y: y + height / 2 };
}

/** What a line of a label says, and how. */
export interface LabelLine {
  readonly text: string;
  readonly tone: "name" | "ok" | "bad" | "dim";
}

export interface StatusOptions {
  readonly expandproblem: string;
  readonly show_unack: string;
}

/** What stands under the label: problems, or that there are none. */
export function statusLines(state: ElementState, options: StatusOptions): readonly LabelLine[] {
  if (state.objects === 0) return [];
  const lines: LabelLine[] = [];
  const bad = (text: string) => lines.push({ text, tone: "bad" });
  const { problems: n, unacknowledged } = state;
  if (n > 0 && options.show_unack !== "1") {
    if (n === 1 && options.expandproblem === "1" && state.problem !== null) bad(state.problem);
    else {
      bad(plural(n, "1 problem", "{n} problems"));
      if (options.expandproblem === "2" && state.problem !== null) bad(state.problem);
    }
  }
  if (options.show_unack !== "0" && unacknowledged > 0) {
    bad(plural(unacknowledged, "1 unacknowledged", "{n} unacknowledged"));
  }
  const some = (n: number, one: string, many: string) => {
    if (n > 0) lines.push({ text: state.objects === 1 ? one : many, tone: "dim" });
  };
  const { maintenance, disabled } = state;
  some(maintenance, t("In maintenance"), t("{n} in maintenance", { n: maintenance }));
  some(disabled, t("Disabled"), t("{n} disabled", { n: disabled }));
  return lines.length === 0 ? [{ text: t("OK"), tone: "ok" }] : lines;
}

export function labelLines(
  element: Pick<DrawnElement, "label" | "state">,
  options: StatusOptions,
): readonly LabelLine[] {
  if (element.label === null) return [];
  const named = element.label.split("\n").filter((it) => it.trim() !== "");
  const name = named.map((text): LabelLine => ({ text, tone: "name" }));
  return [...name, ...statusLines(element.state, options)];
}

export interface PlacedLabel {
  readonly anchor: "start" | "middle" | "end";
  readonly x: number;
  /** base lines of the lines */
  readonly ys: readonly number[];
}

/** Next to an icon: 0 below, 1 to the left, 2 to the right, 3 above. */
export function placeLabel(box: Box, location: number, n: number): PlacedLabel {
  const down = (first: number) => Array.from({ length: n }, (_, at) => first + at * LINE_PX);
  const centre = middle(box);
  const sideways = centre.y - ((n - 1) * LINE_PX) / 2 + LABEL_PX / 3;
  switch (location) {
    case 1:
      return { anchor: "end", x: box.x - GAP_PX, ys: down(sideways) };
    case 2:
      return { anchor: "start", x: box.x + box.width + GAP_PX, ys: down(sideways) };
    case 3:
      return {
        anchor: "middle",
        x: centre.x,
        ys: down(box.y - GAP_PX - (n - 1) * LINE_PX),
      };
    default:
      return { anchor: "middle", x: centre.x, ys: down(box.y + box.height + GAP_PX + LABEL_PX) };
  }
}

export interface PlacedElement {
  readonly box: Box;
  readonly lines: readonly LabelLine[];
  /** the label in full, if it is shortened */
  readonly whole: string | undefined;
}

/** Room between neighbours in an area. */
const CELL_GAP_PX = 8;
/** Of a smaller icon nobody sees what it is. */
const ICON_MIN_PX = 16;

export type WidthOf = (line: LabelLine) => number;

/**
 * An element's icon and label. A host in an area keeps within its cell: the icon is smaller if it has to be, lines end
 * where the neighbour's begin.
 */
export function placedElement(
  element: DrawnElement,
  size: readonly [number, number] | undefined,
  options: StatusOptions,
  widthOf: WidthOf,
): PlacedElement {
  const lines = labelLines(element, options);
  if (element.cell === null) return { box: iconBox(element, size), lines, whole: undefined };
  const { cell, label_location: location } = element;
  const isBeside = location === 1 || location === 2;
  const width = Math.max(cell[0] - CELL_GAP_PX, ICON_MIN_PX);
  const height = Math.max(cell[1] - CELL_GAP_PX, ICON_MIN_PX);
  const n = linesThatFit(lines.length, height, isBeside);
  const labelHeight = heightOf(n, isBeside);
  const icon = isBeside
    ? scaled(size, n === 0 ? width : width / 2, height)
    : scaled(size, width, Math.max(height - labelHeight, ICON_MIN_PX));
  const room = isBeside ? width - icon.width - GAP_PX : width;
  const kept = lines.slice(0, n).map((it) => shortened(it, room, widthOf));
  // what is moved is half of the label, so that both stand in the middle together
  const labelWidth = n === 0 ? 0 : Math.max(...kept.map(widthOf)) + GAP_PX;
  const moved = {
    0: { x: 0, y: -labelHeight / 2 },
    1: { x: labelWidth / 2, y: 0 },
    2: { x: -labelWidth / 2, y: 0 },
    3: { x: 0, y: labelHeight / 2 },
  }[location] ?? { x: 0, y: 0 };
  const isWhole = n === lines.length && kept.every(({ text }, at) => text === lines[at]?.text);
  return {
    box: {
      x: element.x - icon.width / 2 + moved.x,
      y: element.y - icon.height / 2 + moved.y,
      ...icon,
    },
    lines: kept,
    whole: isWhole ? undefined : lines.map(({ text }) => text).join("\n"),
  };
}

function heightOf(n: number, isBeside: boolean): number {
  return n === 0 ? 0 : n * LINE_PX + (isBeside ? 0 : GAP_PX);
}

/** The name stays in any case. */
function linesThatFit(n: number, room: number, isBeside: boolean): number {
  const iconMin = isBeside ? 0 : ICON_MIN_PX;
  let fits = n;
  while (fits > 1 && room - heightOf(fits, isBeside) < iconMin) fits -= 1;
  return fits;
}

/** An icon that is no larger than its room. */
function scaled(size: readonly [number, number] | undefined, width: number, height: number) {
  const [iconWidth, iconHeight] = size ?? ICON_SIZE;
  const by = Math.min(1, width / iconWidth, height / iconHeight);
  return { width: iconWidth * by, height: iconHeight * by };
}

/** A line no wider than its room. Of a name the end stays as well: names of hosts often begin alike. */
function shortened(line: LabelLine, room: number, widthOf: WidthOf): LabelLine {
  if (widthOf(line) <= room) return line;
  const letters = [...line.text];
  const keeping = (n: number): LabelLine => {
    const tail = line.tone === "name" ? Math.floor(n / 2) : 0;
    const head = letters
      .slice(0, n - tail)
      .join("")
      .trimEnd();
    const end = tail === 0 ? "" : letters.slice(-tail).join("").trimStart();
    return { ...line, text: `${head}…${end}` };
  };
  let [fits, above] = [0, letters.length];
  while (above - fits > 1) {
    const half = Math.floor((fits + above) / 2);
    if (widthOf(keeping(half)) <= room) fits = half;
    else above = half;
  }
  return keeping(fits);
}

export interface Look {
  readonly width: number;
  readonly dashes: string | undefined;
}

/** Of links: 0 line, 2 bold, 3 dotted, 4 dashed. */
export function linkLook(drawtype: number): Look {
  if (drawtype === 2) return { width: 4, dashes: undefined };
  if (drawtype === 3) return { width: 2, dashes: "2 4" };
  if (drawtype === 4) return { width: 2, dashes: "8 5" };
  return { width: 2, dashes: undefined };
}

/** Of borders and lines: 0 none, 1 line, 2 dotted, 3 dashed. */
export function lineLook(type: string, width: string): Look {
  const drawn = type === "0" ? 0 : Number(width);
  const dashes = type === "2" ? `${drawn} ${drawn * 2}` : `${drawn * 4} ${drawn * 2}`;
  return { width: drawn, dashes: type === "2" || type === "3" ? dashes : undefined };
}

/** Black is what Zabbix takes where nothing is said: on a dark page it would not be seen. */
export function ink(color: string): string {
  return /^0{6}$/.test(color) ? "var(--fg)" : `#${color}`;
}

export function fontFamily(font: string): string {
  const n = Number(font);
  if (n === 12) return "var(--mantine-font-family-monospace)";
  return n >= 9 ? "var(--mantine-font-family)" : "serif";
}

/** Several links between the same two elements stand next to each other, bent. */
export function bends(
  links: readonly { readonly from: string; readonly to: string }[],
): readonly number[] {
  const pair = (it: { readonly from: string; readonly to: string }) =>
    it.from < it.to ? `${it.from} ${it.to}` : `${it.to} ${it.from}`;
  const totals = new Map<string, number>();
  for (const it of links) totals.set(pair(it), (totals.get(pair(it)) ?? 0) + 1);
  const seen = new Map<string, number>();
  return links.map((it) => {
    const key = pair(it);
    const [n, at] = [totals.get(key) ?? 1, seen.get(key) ?? 0];
    seen.set(key, at + 1);
    const side = at - (n - 1) / 2;
    // the same side whichever way a link runs
    return it.from < it.to ? side : -side;
  });
}

export interface LinkPath {
  readonly d: string;
  /** where its label stands */
  readonly at: Point;
}

const BEND_PX = 26;

export function linkPath(from: Point, to: Point, bend: number): LinkPath {
  const centre = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const place = ({ x, y }: Point) => `${round(x)} ${round(y)}`;
  if (bend === 0 || length === 0) return { d: `M${place(from)}L${place(to)}`, at: centre };
  const [nx, ny] = [(from.y - to.y) / length, (to.x - from.x) / length];
  const away = (by: number) => ({ x: centre.x + nx * by, y: centre.y + ny * by });
  const control = away(bend * BEND_PX * 2);
  return { d: `M${place(from)}Q${place(control)} ${place(to)}`, at: away(bend * BEND_PX) };
}

function round(it: number): number {
  return Math.round(it * 10) / 10;
}

/** The map with a margin: labels may stand over its edge. */
export function wholeView(map: Pick<DrawnMap, "width" | "height">): Box {
  return { x: 0, y: 0, width: Number(map.width), height: Number(map.height) };
}

const ZOOM_MAX = 8;
const ZOOM_MIN = 0.25;

/** A part of the map that is `factor` times nearer, with the point where it was. */
export function zoomed(view: Box, whole: Box, factor: number, at: Point): Box {
  const now = whole.width / view.width;
  const wanted = Math.min(Math.max(now * factor, ZOOM_MIN), ZOOM_MAX);
  const by = now / wanted;
  return {
    x: at.x - (at.x - view.x) * by,
    y: at.y - (at.y - view.y) * by,
    width: view.width * by,
    height: view.height * by,
  };
}

/** What a screen reader says of an element. */
export function elementTitle(element: DrawnElement, options: StatusOptions): string {
  if (!element.readable) return t("Hidden element");
  const name = element.name === "" ? (element.label ?? "") : element.name;
  const status = statusLines(element.state, options).map(({ text }) => text);
  return [name.replaceAll("\n", " ").trim(), ...status].filter((it) => it !== "").join(", ");
}
