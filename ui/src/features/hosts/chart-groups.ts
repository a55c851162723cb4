// Which items of a host share a chart: those of one component (tag `component`, else the first word of the
// name), with the same units and the same kind of key. Text items have none.

import type { LatestRow } from "@/api/latest-columns";
import { locale } from "@/lib/i18n";
import { isNumeric } from "@/lib/item-types";
import { wordMatcher } from "@/lib/words";

export interface ChartSpec {
  readonly id: string;
  readonly title: string;
  readonly units: string;
  readonly items: readonly { readonly itemid: string; readonly name: string }[];
}

export interface ChartGroup {
  readonly name: string;
  readonly charts: readonly ChartSpec[];
}

// more lines than colors cannot be distinguished
const LINES_MAX = 8;

export function componentOf(row: Pick<LatestRow, "tags" | "name">): string {
  const tag = row.tags.find(([name]) => name === "component")?.[1];
  if (tag !== undefined && tag !== "") return tag;
  return /^[^\s:,(/]+/.exec(row.name)?.[0] ?? row.name;
}

function keyName(key: string): string {
  const bracket = key.indexOf("[");
  return bracket < 0 ? key : key.slice(0, bracket);
}

export function chartGroups(rows: readonly LatestRow[], search: string): ChartGroup[] {
  const matches = wordMatcher(search);
  const groups = new Map<string, Map<string, LatestRow[]>>();
  for (const row of rows) {
    if (!isNumeric(row.valueType) || row.units === "unixtime") continue;
    const component = componentOf(row);
    if (!matches(() => [component, row.name, row.key])) continue;
    const charts = groups.get(component) ?? new Map<string, LatestRow[]>();
    groups.set(component, charts);
    const kind = `${keyName(row.key)} ${row.units}`;
    charts.set(kind, [...(charts.get(kind) ?? []), row]);
  }
  return [...groups]
    .sort(([a], [b]) => a.localeCompare(b, locale()))
    .map(([name, charts]) => ({ name, charts: distinguished([...charts].flatMap(toCharts)) }));
}

function toCharts([kind, rows]: [string, LatestRow[]]): ChartSpec[] {
  const sorted = [...rows].sort((a, b) =>
    a.name.localeCompare(b.name, locale(), { numeric: true }),
  );
  const specs: ChartSpec[] = [];
  for (let at = 0; at < sorted.length; at += LINES_MAX) {
    const part = sorted.slice(at, at + LINES_MAX);
    const names = part.map((row) => row.name);
    specs.push({
      id: `${kind} ${part[0]?.itemid ?? ""}`,
      title: commonTitle(names),
      units: part[0]?.units ?? "",
      items: part.map(({ itemid, name }) => ({ itemid, name })),
    });
  }
  return specs;
}

/** Charts with the same title are distinguished by their units, and if these are equal, by their first item. */
function distinguished(charts: readonly ChartSpec[]): readonly ChartSpec[] {
  const times = new Map<string, number>();
  for (const { title } of charts) times.set(title, (times.get(title) ?? 0) + 1);
  const alike = charts.filter(({ title }) => (times.get(title) ?? 0) > 1);
  return charts.map((chart) => {
    const { title, units, items } = chart;
    const others = alike.filter((it) => it.title === title && it !== chart);
    if (others.length === 0) return chart;
    const byUnits = units !== "" && others.every((it) => it.units !== units);
    return { ...chart, title: byUnits ? `${title}, ${units}` : firstOf(items) };
  });
}

function firstOf(items: ChartSpec["items"]): string {
  const name = items[0]?.name ?? "";
  return items.length > 1 ? `${name} …` : name;
}

/** The words that all names begin or end with; the first name where they share none. */
export function commonTitle(names: readonly string[]): string {
  const [first = "", ...others] = names;
  if (others.length === 0) return first;
  const split = names.map((name) => name.split(" "));
  const words = split[0] ?? [];
  let head = 0;
  while (head < words.length && split.every((it) => it[head] === words[head])) head += 1;
  let tail = 0;
  while (
    tail < words.length - head &&
    split.every((it) => it[it.length - 1 - tail] === words[words.length - 1 - tail])
  ) {
    tail += 1;
  }
  const parts = [...words.slice(0, head), ...words.slice(words.length - tail)];
  const title = parts
    .join(" ")
    .replace(/[\s:,(\-–]+$/, "")
    .replace(/^[\s:,)\-–]+/, "");
  if (title === "") return `${first} …`;
  return (title[0] ?? "").toUpperCase() + title.slice(1);
}
