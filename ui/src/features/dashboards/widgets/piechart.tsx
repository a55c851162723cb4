// Shares of a whole: the items of data sets, with one of them as the total if one says so.

import { useMemo } from "react";
import type { Series } from "@/api/types";
import type { BoardItem } from "@/api/widgets";
import { t } from "@/lib/i18n";
import { formatValue } from "@/lib/units";
import { EmptyState, QueryGate } from "@/ui/states";
import { AGGREGATES, aggregated } from "../aggregate";
import { ring, shares } from "../arc";
import { useRange } from "../context";
import { useBoardSeries } from "../data";
import { dataSets, looksOf } from "../datasets";
import type { Fields } from "../fields";
import type { FieldSpec, WidgetKind, WidgetProps } from "../kind";
import { type SetItems, useSetItems } from "../sets-data";
import { OVERRIDE, TIME } from "../specs";
import { numberOf } from "../value";
import classes from "../widgets.module.css";

const LAST = 7;
const DOUGHNUT = 1;
const TOTAL = 1;
const BUCKETS = 100;

interface Slice {
  readonly id: string;
  readonly name: string;
  readonly color: string;
  readonly value: number;
  readonly units: string;
}

function PieWidget({ fields, label }: WidgetProps) {
  const sets = useMemo(() => dataSets(fields), [fields]);
  const query = useSetItems(fields, sets);
  return (
    <QueryGate query={query}>
      {(found) => <Sets found={found} fields={fields} label={label} />}
    </QueryGate>
  );
}

interface SetsProps extends WidgetProps {
  readonly found: readonly SetItems[];
}

function Sets({ found, fields, label }: SetsProps) {
  const range = useRange(fields);
  const overTime = found
    .filter(({ set }) => set.fields.number("aggregate_function", LAST) !== LAST)
    .flatMap(({ items }) => items.map((it) => it.itemid));
  const query = useBoardSeries(overTime, range, BUCKETS);
  return (
    <QueryGate query={query}>
      {({ series }) => {
        const all = slicesOf(found, series);
        return all.length === 0 ? (
          <EmptyState title={t("No data")} />
        ) : (
          <Pie slices={merged(all, fields)} fields={fields} label={label} />
        );
      }}
    </QueryGate>
  );
}

/** The value of each item; where one is the total, what the others leave of it is a slice of its own. */
function slicesOf(found: readonly SetItems[], series: readonly Series[]): readonly Slice[] {
  const byId = new Map(series.map((it) => [it.itemid, it]));
  const all: (Slice & { readonly isTotal: boolean })[] = [];
  for (const one of found) all.push(...setSlices(one, byId, all.length));
  const parts = all.filter(({ isTotal }) => !isTotal);
  const total = all.findLast(({ isTotal }) => isTotal);
  if (total === undefined) return parts;
  const rest = total.value - parts.reduce((sum, it) => sum + it.value, 0);
  return rest > 0 ? [...parts, { ...total, value: rest }] : parts;
}

function setSlices({ set, items }: SetItems, series: ReadonlyMap<string, Series>, at: number) {
  const how = set.fields.number("aggregate_function", LAST);
  const looks = looksOf(set, items, at);
  const types = set.fields.list("type");
  return items.flatMap((item, n) => {
    const value = how === LAST ? numberOf(item) : aggregated(series.get(item.itemid), how);
    if (value === undefined) return [];
    const isTotal = !set.byPattern && Number(types[n] ?? 0) === TOTAL;
    return [{ ...sliceOf(item, value, looks[n]?.color ?? "#888888"), isTotal }];
  });
}

function sliceOf(item: BoardItem, value: number, color: string): Slice {
  return { id: item.itemid, name: item.name, color, value, units: item.units };
}

/** Slices below a percent as one. */
function merged(slices: readonly Slice[], fields: Fields): readonly Slice[] {
  if (!fields.flag("merge", false)) return slices;
  const sum = slices.reduce((all, it) => all + Math.max(0, it.value), 0);
  const least = (fields.number("merge_percent", 1) / 100) * sum;
  const small = slices.filter((it) => it.value < least);
  if (small.length < 2) return slices;
  const other: Slice = {
    id: "other",
    name: t("Other"),
    color: fields.color("merge_color") ?? "#b0af07",
    value: small.reduce((all, it) => all + it.value, 0),
    units: small[0]?.units ?? "",
  };
  return [...slices.filter((it) => it.value >= least), other];
}

interface PieProps extends WidgetProps {
  readonly slices: readonly Slice[];
}

/** As the widget says, as far as it fits into the ring. */
function totalSize(text: string, inner: number, percent: number): number {
  const wanted = (percent / 100) * 150;
  // a letter is about 0.6 of its height wide
  return Math.max(8, Math.min(wanted, (inner * 1.7) / (text.length * 0.6)));
}

const CENTER = [100, 100] as const;
const RADIUS = 96;

function Pie({ slices, fields, label }: PieProps) {
  const isRing = fields.number("draw_type", 0) === DOUGHNUT;
  const inner = isRing ? RADIUS * (1 - fields.number("width", 50) / 100) : 0;
  const parts = shares(slices.map((it) => it.value));
  const sum = slices.reduce((all, it) => all + Math.max(0, it.value), 0);
  const units =
    fields.flag("units_show", false) && fields.text("units") !== ""
      ? fields.text("units")
      : (slices[0]?.units ?? "");
  const places = fields.number("decimal_places", 2);
  const total = formatValue(sum, units, places);
  const isLegend = fields.flag("legend", true);
  // a gap between slices, in units of the picture
  const gap =
    slices.length > 1 ? Math.max(fields.number("space", 1), fields.number("stroke", 0)) : 0;
  return (
    <div className={classes["pie"]}>
      <svg viewBox="0 0 200 200" role="img" aria-label={t("Chart of {title}", { title: label })}>
        <title>{label}</title>
        {slices.map((it, at) => {
          const [from, to] = parts[at] ?? [0, 0];
          return to > from ? (
            <path
              key={it.id}
              d={ring(CENTER, [inner, RADIUS], from, to)}
              fill={it.color}
              stroke="var(--panel)"
              strokeWidth={gap}
            >
              <title>{`${it.name}: ${formatValue(it.value, it.units)} (${((to - from) * 100).toFixed(1)} %)`}</title>
            </path>
          ) : null;
        })}
        {isRing && fields.flag("total_show", false) ? (
          <text
            x="100"
            y="100"
            className={classes["pieTotal"]}
            fontSize={totalSize(total, inner, fields.number("value_size", 20))}
          >
            {total}
          </text>
        ) : null}
      </svg>
      {isLegend ? (
        <ul
          className={classes["pieLegend"]}
          aria-label={t("Legend")}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
          tabIndex={0}
        >
          {slices.map((it) => (
            <li key={it.id} title={it.name}>
              <i style={{ background: it.color }} />
              <span className="ellipsis">{it.name}</span>
              {fields.flag("legend_value", false) ? <b>{formatValue(it.value, it.units)}</b> : null}
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}

const FIELDS: readonly FieldSpec[] = [
  {
    kind: "records",
    name: "ds",
    label: t("Data sets"),
    one: t("data set"),
    begun: true,
    fields: [
      {
        kind: "choice",
        name: "dataset_type",
        label: t("Items by"),
        usual: 1,
        options: [
          [0, t("List")],
          [1, t("Patterns")],
        ],
      },
      { kind: "items", name: "itemids", label: t("Items (list)") },
      { kind: "patterns", name: "hosts", label: t("Host patterns") },
      { kind: "patterns", name: "items", label: t("Item patterns") },
      { kind: "color", name: "color", label: t("Base color") },
      {
        kind: "choice",
        name: "aggregate_function",
        label: t("Aggregation function"),
        usual: LAST,
        options: AGGREGATES.slice(1),
      },
    ],
  },
  ...TIME,
  {
    kind: "choice",
    name: "draw_type",
    label: t("Draw"),
    usual: 0,
    options: [
      [0, t("Pie")],
      [DOUGHNUT, t("Doughnut")],
    ],
  },
  { kind: "number", name: "width", label: t("Width of the ring, %"), usual: 50, min: 20, max: 50 },
  { kind: "number", name: "space", label: t("Space between sectors"), usual: 1, min: 0, max: 10 },
  { kind: "flag", name: "merge", label: t("Merge sectors smaller than"), usual: false },
  { kind: "number", name: "merge_percent", label: t("… percent"), usual: 1, min: 1, max: 10 },
  { kind: "flag", name: "total_show", label: t("Show total value"), usual: false },
  { kind: "flag", name: "legend", label: t("Show legend"), usual: true },
  { kind: "flag", name: "legend_value", label: t("Show values in the legend"), usual: false },
  OVERRIDE,
];

export const KIND: WidgetKind = { Widget: PieWidget, fields: FIELDS, refresh: 60 };
