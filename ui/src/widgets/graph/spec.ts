// What a graph shows, whatever it comes from: one that is configured, items that were picked, parts of a page.

import type { GraphKind, StoredGraph } from "@/api/graphs";
import type { Id, ValuedItem } from "@/api/types";
import { t } from "@/lib/i18n";
import { isNumeric } from "@/lib/item-types";
import type { Axis, LineDraw } from "@/ui/charts/plot-data";
import { chartColor } from "@/ui/charts/plot-options";

/** Which number of a bucket is the line; `all` draws the range as well. */
export type CalcFunction = "min" | "avg" | "max" | "all" | "last";

export interface GraphLine {
  readonly itemid: Id;
  readonly name: string;
  readonly units: string;
  /** `#rrggbb` or `var(--name)` */
  readonly color: string;
  readonly draw: LineDraw;
  readonly axis: Axis;
  readonly calc: CalcFunction;
  /** of a pie: it is the whole that the others are parts of */
  readonly isWhole: boolean;
}

/** An end of an axis: where it is, or whose newest value says it; undefined follows the lines. */
export type EndSpec = { readonly value: number } | { readonly itemid: Id } | undefined;

export interface GraphSpec {
  /** different for each graph of a page */
  readonly id: string;
  readonly title: string;
  readonly kind: GraphKind;
  readonly lines: readonly GraphLine[];
  readonly min: EndSpec;
  readonly max: EndSpec;
  /** per cent; 0: no line */
  readonly percentLeft: number;
  readonly percentRight: number;
  readonly hasLegend: boolean;
  readonly hasThresholds: boolean;
}

export interface DrawnItem {
  readonly itemid: Id;
  readonly name: string;
  readonly units: string;
}

/** Lines of items as they are, for graphs that nobody configured. */
export function plainSpec(title: string, items: readonly DrawnItem[]): GraphSpec {
  // two units have an axis each; what a third one shows is read by its line's legend
  const units = [...new Set(items.map((it) => it.units))];
  return {
    id: items.map((it) => it.itemid).join(),
    title,
    kind: "normal",
    lines: items.map(
      ({ itemid, name, units: of }, at): GraphLine => ({
        itemid,
        name,
        units: of,
        color: chartColor(at),
        draw: at < DISTINCT_COLORS ? "line" : "dashed",
        axis: units.indexOf(of) === 1 ? "right" : "left",
        calc: items.length === 1 ? "all" : "avg",
        isWhole: false,
      }),
    ),
    min: undefined,
    max: undefined,
    percentLeft: 0,
    percentRight: 0,
    hasLegend: true,
    hasThresholds: true,
  };
}

// behind them colors come again, on lines that look otherwise
const DISTINCT_COLORS = 8;

const DRAWS: Readonly<Record<string, LineDraw>> = {
  "0": "line",
  "1": "area",
  "2": "bold",
  "3": "points",
  "4": "dashed",
  "5": "gradient",
};
/** By Zabbix's code. */
export function calcOf(code: string): CalcFunction {
  return CALCS[code] ?? "avg";
}

const CALCS: Readonly<Record<string, CalcFunction>> = {
  "1": "min",
  "2": "avg",
  "4": "max",
  "7": "all",
  "9": "last",
};

const AXIS_CALCULATED = "0";
const AXIS_FIXED = "1";
const RIGHT = "1";
const WHOLE = "2";

/** A configured graph with its items; those that are gone, are not visible or have no numbers are left out. */
export function specOf(graph: StoredGraph, items: readonly ValuedItem[]): GraphSpec {
  const byId = new Map(items.map((it) => [it.itemid, it]));
  const hosts = new Set(items.map((it) => it.hostid));
  const drawn = [...graph.gitems].sort((a, b) => Number(a.sortorder) - Number(b.sortorder));
  const end = (type: string, value: string, itemid: Id): EndSpec => {
    if (type === AXIS_CALCULATED) return undefined;
    return type === AXIS_FIXED ? { value: Number(value) } : { itemid };
  };
  return {
    id: graph.graphid,
    title: graph.name,
    kind: graph.kind,
    lines: drawn.flatMap((it): GraphLine[] => {
      const item = byId.get(it.itemid);
      if (item === undefined || !isNumeric(item.valueType)) return [];
      return [
        {
          itemid: it.itemid,
          name: hosts.size > 1 ? `${item.host}: ${item.name}` : item.name,
          units: item.units,
          color: `#${it.color}`,
          draw: DRAWS[it.drawtype] ?? "line",
          axis: it.yaxisside === RIGHT ? "right" : "left",
          calc: calcOf(it.calc_fnc),
          isWhole: it.type === WHOLE,
        },
      ];
    }),
    min: end(graph.ymin_type, graph.yaxismin, graph.ymin_itemid),
    max: end(graph.ymax_type, graph.yaxismax, graph.ymax_itemid),
    percentLeft: Number(graph.percent_left),
    percentRight: Number(graph.percent_right),
    hasLegend: graph.show_legend === "1",
    hasThresholds: graph.show_triggers === "1",
  };
}

/** Units of an axis: those of its first line. */
export function unitsOf(spec: GraphSpec, axis: Axis): string {
  return spec.lines.find((it) => it.axis === axis)?.units ?? "";
}

export function calcName(calc: CalcFunction): string {
  switch (calc) {
    case "min":
      return t("min");
    case "max":
      return t("max");
    case "all":
      return t("all");
    case "last":
      return t("last");
    default:
      return t("avg");
  }
}
