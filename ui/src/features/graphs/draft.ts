// A graph while it is edited, and the parameters that save it.

import { GRAPH } from "@/api/generated/graph";
import { type GraphPrototypeDraft, kindCode, type StoredGraph } from "@/api/graphs";
import type { Id } from "@/api/types";
import { bad, type Check, OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import { type Keyed, keyed } from "@/widgets/keyed";

export interface LineFields {
  readonly itemid: Id;
  readonly drawtype: string;
  readonly color: string;
  readonly yaxisside: string;
  readonly calc_fnc: string;
  readonly type: string;
}

/** An end of the axis: 0 calculated, 1 fixed, 2 of an item. */
export interface EndFields {
  readonly type: string;
  readonly value: string;
  readonly itemid: Id;
}

export interface GraphFields {
  readonly name: string;
  readonly kind: StoredGraph["kind"];
  readonly width: string;
  readonly height: string;
  readonly hasLegend: boolean;
  readonly hasThresholds: boolean;
  readonly hasWorkTime: boolean;
  readonly isSolid: boolean;
  readonly percentLeft: string;
  readonly percentRight: string;
  readonly min: EndFields;
  readonly max: EndFields;
  readonly lines: readonly Keyed<LineFields>[];
  /** of a prototype: rows make graphs of it */
  readonly isDiscovered: boolean;
}

export const { FIXED, ITEM: OF_ITEM } = GRAPH.fields.ymin_type.names;
const { AVG: AVERAGE, LAST } = GRAPH.fields.gitems.fields.calc_fnc.names;

// distinguishable in both color schemes, and for people with color blindness
const COLORS = ["0072B2", "D55E00", "009E73", "B5579B", "B08900", "3AA0D8", "7A5FD0", "6B7785"];

export function isPie(kind: StoredGraph["kind"]): boolean {
  return kind === "pie" || kind === "exploded";
}

/** A new line in a color that no other line has, as long as there are some. */
export function newLine(
  itemid: Id,
  kind: StoredGraph["kind"],
  lines: readonly LineFields[],
): Keyed<LineFields> {
  const free = COLORS.find((color) => !lines.some((it) => it.color.toUpperCase() === color));
  return keyed({
    itemid,
    drawtype: "0",
    color: free ?? COLORS[lines.length % COLORS.length] ?? "0072B2",
    yaxisside: "0",
    calc_fnc: isPie(kind) ? LAST : AVERAGE,
    type: "0",
  });
}

export function fieldsOfGraph(graph: StoredGraph | undefined): GraphFields {
  const lines = [...(graph?.gitems ?? [])].sort(
    (a, b) => Number(a.sortorder) - Number(b.sortorder),
  );
  return {
    name: graph?.name ?? "",
    kind: graph?.kind ?? "normal",
    width: graph?.width ?? "900",
    height: graph?.height ?? "200",
    hasLegend: graph?.show_legend !== "0",
    hasThresholds: graph?.show_triggers !== "0",
    hasWorkTime: graph?.show_work_period !== "0",
    isSolid: graph?.show_3d === "1",
    percentLeft: graph?.percent_left ?? "0",
    percentRight: graph?.percent_right ?? "0",
    min: endOf(graph?.ymin_type, graph?.yaxismin ?? "0", graph?.ymin_itemid),
    max: endOf(graph?.ymax_type, graph?.yaxismax ?? "100", graph?.ymax_itemid),
    lines: lines.map(({ itemid, drawtype, color, yaxisside, calc_fnc, type }) =>
      keyed({ itemid, drawtype, color, yaxisside, calc_fnc, type }),
    ),
    isDiscovered: graph?.discover !== "1",
  };
}

function endOf(type = "0", value: string, itemid = "0"): EndFields {
  return { type, value, itemid: itemid === "0" ? "" : itemid };
}

const flag = (is: boolean): string => (is ? "1" : "0");

export function draftOfGraph(fields: GraphFields, isPrototype: boolean): GraphPrototypeDraft {
  const { min, max, kind } = fields;
  const normal = kind === "normal";
  return {
    name: fields.name.trim(),
    graphtype: kindCode(kind),
    width: fields.width,
    height: fields.height,
    show_legend: flag(fields.hasLegend),
    show_triggers: flag(fields.hasThresholds),
    show_work_period: flag(fields.hasWorkTime),
    show_3d: flag(isPie(kind) && fields.isSolid),
    percent_left: normal ? fields.percentLeft : "0",
    percent_right: normal ? fields.percentRight : "0",
    ymin_type: min.type,
    ymax_type: max.type,
    ...(min.type === FIXED ? { yaxismin: min.value } : {}),
    ...(max.type === FIXED ? { yaxismax: max.value } : {}),
    ...(min.type === OF_ITEM ? { ymin_itemid: min.itemid } : {}),
    ...(max.type === OF_ITEM ? { ymax_itemid: max.itemid } : {}),
    gitems: fields.lines.map(({ key: _, ...line }, at) => ({ ...line, sortorder: String(at) })),
    ...(isPrototype ? { discover: flag(!fields.isDiscovered) } : {}),
  };
}

/** As it would be drawn, saved or not. */
export function previewOf(fields: GraphFields): StoredGraph {
  return {
    graphid: "preview",
    name: fields.name === "" ? t("Preview") : fields.name,
    kind: fields.kind,
    width: fields.width,
    height: fields.height,
    yaxismin: fields.min.value,
    yaxismax: fields.max.value,
    templateid: "0",
    show_work_period: flag(fields.hasWorkTime),
    show_triggers: flag(fields.hasThresholds),
    show_legend: flag(fields.hasLegend),
    show_3d: flag(fields.isSolid),
    percent_left: fields.kind === "normal" ? fields.percentLeft : "0",
    percent_right: fields.kind === "normal" ? fields.percentRight : "0",
    ymin_type: fields.min.type,
    ymax_type: fields.max.type,
    ymin_itemid: fields.min.itemid,
    ymax_itemid: fields.max.itemid,
    flags: "0",
    discover: "0",
    hosts: [],
    gitems: fields.lines.map(({ key: _, ...line }, at) => ({ ...line, sortorder: String(at) })),
  };
}

export function checkNumber(text: string): Check {
  return text.trim() !== "" && Number.isFinite(Number(text))
    ? OK
    : bad(t("a number is expected"), 0);
}

export function checkPercent(text: string): Check {
  const n = Number(text);
  return text.trim() !== "" && n >= 0 && n <= 100 ? OK : bad(t("0 to 100 is expected"), 0);
}

const PIXELS_MIN = 20;
const PIXELS_MAX = 65_535;

export function checkPixels(text: string): Check {
  const n = Number(text);
  return Number.isInteger(n) && n >= PIXELS_MIN && n <= PIXELS_MAX
    ? OK
    : bad(t("20 to 65535 is expected"), 0);
}

export function checkColor(text: string): Check {
  return /^[0-9a-f]{6}$/i.test(text) ? OK : bad(t("six hexadecimal digits are expected"), 0);
}

function endIsComplete({ type, value, itemid }: EndFields): boolean {
  if (type === FIXED) return checkNumber(value).ok;
  return type === OF_ITEM ? itemid !== "" : true;
}

export function isGraphComplete(fields: GraphFields): boolean {
  return (
    fields.name.trim() !== "" &&
    fields.lines.length > 0 &&
    fields.lines.every(({ color }) => checkColor(color).ok) &&
    checkPixels(fields.width).ok &&
    checkPixels(fields.height).ok &&
    checkPercent(fields.percentLeft).ok &&
    checkPercent(fields.percentRight).ok &&
    (isPie(fields.kind) || (endIsComplete(fields.min) && endIsComplete(fields.max)))
  );
}
