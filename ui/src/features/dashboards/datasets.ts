// The data sets of graphs and pie charts: which items each has, and how it is drawn. Overrides change single lines.

import type { BoardItem } from "@/api/widgets";
import type { Draw } from "./board-chart";
import type { LineLook } from "./chart-view";
import { colorOf, type Fields } from "./fields";
import { lineColor, shade } from "./palette";

export interface DataSet {
  readonly fields: Fields;
  /** false: items by id */
  readonly byPattern: boolean;
  readonly itemids: readonly string[];
  /** references of widgets that items are picked in, by position in the list */
  readonly sources: readonly string[];
  readonly hosts: readonly string[];
  readonly items: readonly string[];
}

const BY_PATTERN = 1;

export function dataSets(fields: Fields): readonly DataSet[] {
  return fields.records("ds").map((own) => ({
    fields: own,
    byPattern:
      own.number("dataset_type", own.ids("itemids").length > 0 ? 0 : BY_PATTERN) === BY_PATTERN,
    itemids: own.ids("itemids"),
    sources: own.all
      .filter(({ name }) => /^itemids\.\d+\._reference$/.test(name))
      .map(({ value }) => value.split("._")[0] ?? ""),
    hosts: own.list("hosts"),
    items: own.list("items"),
  }));
}

/** Whether a name fits one of the patterns, in which `*` stands for any letters. */
export function fitsPattern(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    const parts = pattern.split("*").map((it) => it.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    return new RegExp(`^${parts.join(".*")}$`, "i").test(name);
  });
}

const DRAWS: readonly Draw[] = ["line", "points", "stairs", "bars"];
// codes of Zabbix; 7, all of them, is drawn as three lines
const ALL = 7;
const APPROXIMATIONS: Readonly<Record<number, LineLook["value"]>> = {
  1: "min",
  2: "avg",
  4: "max",
};
const SUFFIX: Readonly<Record<string, number>> = {
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 604_800,
  M: 2_592_000,
  y: 31_536_000,
};

export function shiftOf(text: string): number {
  const match = /^(-?\d+)([smhdwMy]?)$/.exec(text.trim());
  return match === null ? 0 : Number(match[1]) * (SUFFIX[match[2] || "s"] ?? 1);
}

/** How the items of a set are drawn; `at` counts the lines of all sets before. */
export function looksOf(
  set: DataSet,
  items: readonly BoardItem[],
  at: number,
): readonly LineLook[] {
  const { fields } = set;
  const list = fields.list("color");
  // 7.0 writes the colour of a set of patterns without a position, 7.4 may leave it to a palette
  const own = colorOf(fields.all.find(({ name }) => name === "color")?.value);
  return items.map((item, n) => {
    const color = set.byPattern
      ? shade(own ?? colorOf(list[0]) ?? lineColor(at), n)
      : (colorOf(list[n]) ?? lineColor(at + n));
    return lookOf(fields, item, color, `${item.itemid}:${at + n}`);
  });
}

function lookOf(fields: Fields, item: BoardItem, color: string, id: string): LineLook {
  const draw = DRAWS[fields.number("type", 0)] ?? "line";
  const stack = fields.flag("stacked", false) && draw !== "points";
  const shift = shiftOf(fields.text("timeshift"));
  return {
    id,
    itemid: item.itemid,
    name: nameOf(fields, item, shift),
    color,
    draw,
    width: fields.number("width", 1) + 0.4,
    // tenths, as Zabbix counts them
    fill: draw === "bars" ? 1 : fields.number("fill", 3) / 10,
    opacity: 1 - (fields.number("transparency", 5) / 10) * 0.5,
    right: fields.number("axisy", 0) === 1,
    stack,
    pointSize: fields.number("pointsize", 3) + 1,
    shift: -shift,
    value: APPROXIMATIONS[fields.number("approximation", 2)] ?? "avg",
    band: fields.number("approximation", 2) === ALL,
    missing: fields.number("missingdatafunc", 0),
  };
}

// minimum and maximum are less prominent than the average
const BAND_OPACITY = 0.45;

/** Lines of which all is shown get two more, of the least and the greatest values; the legend does not name them. */
export function bandsOf(looks: readonly LineLook[]): readonly LineLook[] {
  return looks.flatMap((look): readonly LineLook[] => {
    if (look.band !== true || look.stack) return [look];
    const edge = (value: "min" | "max"): LineLook => ({
      ...look,
      id: `${look.id} ${value}`,
      value,
      unnamed: true,
      width: 1,
      fill: 0,
      opacity: look.opacity * BAND_OPACITY,
    });
    return [edge("max"), edge("min"), look];
  });
}

function nameOf(fields: Fields, item: BoardItem, shift: number): string {
  const label = fields.text("data_set_label");
  const own = label === item.name ? label : `${label}: ${item.name}`;
  const name = label === "" ? `${item.host}: ${item.name}` : own;
  return shift === 0 ? name : `${name} (${fields.text("timeshift")})`;
}

/** Single lines drawn in another way: by host and item patterns. */
export function overridden(
  looks: readonly LineLook[],
  items: ReadonlyMap<string, BoardItem>,
  overrides: readonly Fields[],
): readonly LineLook[] {
  return looks.map((look) => {
    const item = items.get(look.itemid);
    if (item === undefined) return look;
    const found = overrides.filter(
      (it) =>
        fitsPattern(item.name, it.list("items")) &&
        (it.list("hosts").length === 0 || fitsPattern(item.host, it.list("hosts"))),
    );
    return found.reduce((before, it) => applied(before, it), look);
  });
}

function applied(look: LineLook, fields: Fields): LineLook {
  const has = (name: string) => fields.all.some((it) => it.name === name);
  return {
    ...look,
    ...(has("color") ? { color: fields.color("color") ?? look.color } : {}),
    ...(has("type") ? { draw: DRAWS[fields.number("type", 0)] ?? look.draw } : {}),
    ...(has("width") ? { width: fields.number("width", 1) + 0.4 } : {}),
    ...(has("fill") ? { fill: fields.number("fill", 3) / 10 } : {}),
    ...(has("transparency") ? { opacity: 1 - (fields.number("transparency", 5) / 10) * 0.5 } : {}),
    ...(has("pointsize") ? { pointSize: fields.number("pointsize", 3) + 1 } : {}),
    ...(has("missingdatafunc") ? { missing: fields.number("missingdatafunc", 0) } : {}),
    ...(has("axisy") ? { right: fields.number("axisy", 0) === 1 } : {}),
    ...(has("timeshift") ? { shift: -shiftOf(fields.text("timeshift")) } : {}),
  };
}
