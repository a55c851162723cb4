// One value, large: with its name, time, and whether it went up or down.

import { IconArrowDown, IconArrowsUpDown, IconArrowUp } from "@tabler/icons-react";
import type { CSSProperties } from "react";
import type { BoardItem } from "@/api/widgets";
import { t } from "@/lib/i18n";
import { formatDateTime } from "@/lib/time";
import { EmptyState, QueryGate } from "@/ui/states";
import { AGGREGATES, aggregated } from "../aggregate";
import { useHostOf, useIds, useRange, useTitle, useWaits } from "../context";
import { onColor } from "../contrast";
import { useBoardSeries, useItems } from "../data";
import { type Fields, reached, thresholdsOf } from "../fields";
import type { FieldSpec, WidgetKind, WidgetProps } from "../kind";
import { labelText } from "../labels";
import { LEFT_RIGHT, OVERRIDE, TIME, TOP_BOTTOM } from "../specs";
import { numberOf, valueParts } from "../value";
import classes from "../widgets.module.css";

const DESCRIPTION = 1;
const VALUE = 2;
const WHEN = 3;
const CHANGE = 4;
const SPARKLINE = 5;
const BEFORE = 0;
const ABOVE = 1;
const BELOW = 3;
const BUCKETS = 100;

function ItemWidget({ fields, label }: WidgetProps) {
  const itemids = useIds(fields, "itemid");
  const hostid = useHostOf(fields);
  const waits = useWaits(fields, "itemid");
  const query = useItems(itemids, hostid);
  useTitle(query.data?.[0]);
  if (waits) return <EmptyState title={t("Select an item in the linked widget.")} />;
  return (
    <QueryGate query={query}>
      {([item]) =>
        item === undefined ? (
          <EmptyState title={t("There is no such item here.")} />
        ) : (
          <ItemValue item={item} fields={fields} label={label} />
        )
      }
    </QueryGate>
  );
}

interface ItemValueProps extends WidgetProps {
  readonly item: BoardItem;
}

/** The item with the value over the widget's time in place of its newest, if that is asked for. */
function useAggregated(item: BoardItem, fields: Fields): BoardItem {
  const how = fields.number("aggregate_function", 0);
  const range = useRange(fields);
  const query = useBoardSeries(how === 0 ? [] : [item.itemid], range, BUCKETS);
  if (how === 0) return item;
  const value = aggregated(query.data?.series[0], how);
  return value === undefined
    ? { ...item, clock: 0 }
    : { ...item, value: String(value), clock: query.data?.to ?? 0 };
}

function ItemValue({ item: newest, fields }: ItemValueProps) {
  const item = useAggregated(newest, fields);
  const shown = fields.choices("show", [DESCRIPTION, VALUE, WHEN, CHANGE]);
  const value = numberOf(item);
  const background = reached(thresholdsOf(fields), value)?.color ?? fields.color("bg_color");
  const style: CSSProperties =
    background === undefined ? {} : { background, color: onColor(background) };
  return (
    <div
      className={classes["itemValue"]}
      style={style}
      data-colored={background !== undefined || undefined}
    >
      {shown.has(DESCRIPTION) ? (
        <span
          style={partStyle(fields, "desc", { size: 15, h: 1, v: 2 })}
          data-v={fields.number("desc_v_pos", 2)}
        >
          {labelText(fields.text("description", "{ITEM.NAME}"), item)}
        </span>
      ) : null}
      {shown.has(VALUE) || shown.has(CHANGE) ? (
        <div
          className={classes["itemNumber"]}
          style={{ justifyContent: PLACES[fields.number("value_h_pos", 1)] }}
          data-v={fields.number("value_v_pos", 1)}
        >
          {shown.has(VALUE) ? <Value item={item} fields={fields} /> : null}
          {shown.has(CHANGE) && fields.number("aggregate_function", 0) === 0 ? (
            <Change item={item} fields={fields} />
          ) : null}
        </div>
      ) : null}
      {shown.has(WHEN) && item.clock > 0 ? (
        <time
          style={partStyle(fields, "time", { size: 15, h: 1, v: 0 })}
          data-v={fields.number("time_v_pos", 0)}
        >
          {formatDateTime(item.clock)}
        </time>
      ) : null}
      {shown.has(SPARKLINE) ? <Spark item={item} /> : null}
    </div>
  );
}

const PLACES: readonly string[] = ["flex-start", "center", "flex-end"];

interface Usual {
  readonly size: number;
  readonly h: number;
  readonly v: number;
}

/** Sizes are percents of the widget's height. */
function partStyle(fields: Fields, name: string, usual: Usual): CSSProperties {
  const color = fields.color(`${name}_color`);
  return {
    "--size": fields.number(`${name}_size`, usual.size),
    textAlign: (["left", "center", "right"] as const)[fields.number(`${name}_h_pos`, usual.h)],
    fontWeight: fields.flag(`${name}_bold`, false) ? 700 : 400,
    ...(color === undefined ? {} : { color }),
  } as CSSProperties;
}

/** How a part looks by its fields: `value_size`, `value_bold`, `value_color` and the like. */
function boldStyle(fields: Fields, name: string, size: number): CSSProperties {
  const color = fields.color(`${name}_color`);
  return {
    "--size": fields.number(`${name}_size`, size),
    fontWeight: fields.flag(`${name}_bold`, true) ? 700 : 400,
    ...(color === undefined ? {} : { color }),
  } as CSSProperties;
}

const CHARACTER = 1;
const TEXT = 4;

function Value({ item, fields }: { readonly item: BoardItem; readonly fields: Fields }) {
  if (item.clock === 0) return <span className={classes["noValue"]}>{t("no value yet")}</span>;
  const written = fields.text("units");
  const decimalPlaces = fields.number("decimal_places", 2);
  const parts = valueParts(item, written === "" ? undefined : written, decimalPlaces);
  const place = fields.number("units_pos", 2);
  const isFirst = place === BEFORE || place === ABOVE;
  const isText = item.valueType === CHARACTER || item.valueType === TEXT;
  const isWithUnits = fields.flag("units_show", true) && parts.units !== "";
  const units = isWithUnits ? (
    <span style={boldStyle(fields, "units", 35)}>{parts.units}</span>
  ) : null;
  return (
    <span
      className={classes["itemParts"]}
      data-stacked={place === ABOVE || place === BELOW || undefined}
      data-text={isText || undefined}
    >
      {isFirst ? units : null}
      <Digits text={parts.number} fields={fields} />
      {isFirst ? null : units}
    </span>
  );
}

function Digits({ text, fields }: { readonly text: string; readonly fields: Fields }) {
  const [whole, decimals] = splitDecimals(text);
  const small = { "--size": fields.number("decimal_size", 35) } as CSSProperties;
  return (
    <span style={boldStyle(fields, "value", 45)}>
      {whole}
      {decimals === undefined ? null : <span style={small}>{decimals}</span>}
    </span>
  );
}

function splitDecimals(text: string): readonly [string, string | undefined] {
  const match = /^(-?\d+)(\.\d+)$/.exec(text);
  return match === null ? [text, undefined] : [match[1] ?? "", match[2]];
}

function Change({ item, fields }: { readonly item: BoardItem; readonly fields: Fields }) {
  if (item.clock === 0 || item.previous === "" || item.previous === item.value) return null;
  const [now, before] = [Number(item.value), Number(item.previous)];
  const isNumber = Number.isFinite(now) && Number.isFinite(before) && numberOf(item) !== undefined;
  const name = isNumber ? (now > before ? "up_color" : "down_color") : "updown_color";
  const Icon = isNumber ? (now > before ? IconArrowUp : IconArrowDown) : IconArrowsUpDown;
  const color = fields.color(name);
  return (
    <span className={classes["itemChange"]} style={color === undefined ? {} : { color }}>
      <Icon
        size="1em"
        role="img"
        aria-label={isNumber ? (now > before ? t("went up") : t("went down")) : t("changed")}
      />
    </span>
  );
}

function Spark({ item }: { readonly item: BoardItem }) {
  const query = useBoardSeries([item.itemid], { from: "now-1h", to: "now" }, BUCKETS);
  const series = query.data?.series[0];
  if (series === undefined || query.data === undefined) return null;
  const { from, to } = query.data;
  const known = series.t.flatMap((at, n) => {
    const value = series.avg[n];
    return value === null || value === undefined ? [] : [[at, value] as const];
  });
  const low = Math.min(...known.map(([, value]) => value));
  const high = Math.max(...known.map(([, value]) => value));
  const points = known.map(([at, value]) => {
    const x = ((at - from) / (to - from)) * 100;
    const y = high === low ? 10 : 19 - ((value - low) / (high - low)) * 18;
    return `${x.toFixed(2)},${y.toFixed(2)}`;
  });
  return (
    <svg className={classes["spark"]} viewBox="0 0 100 20" preserveAspectRatio="none" aria-hidden>
      <polyline points={points.join(" ")} fill="none" vectorEffect="non-scaling-stroke" />
    </svg>
  );
}

const FIELDS: readonly FieldSpec[] = [
  { kind: "item", name: "itemid", label: t("Item") },
  { kind: "source", name: "itemid", label: t("Item from widget"), signal: "itemid" },
  {
    kind: "checks",
    name: "show",
    label: t("Show"),
    usual: [DESCRIPTION, VALUE, WHEN, CHANGE],
    options: [
      [DESCRIPTION, t("Description")],
      [VALUE, t("Value")],
      [WHEN, t("Time")],
      [CHANGE, t("Change indicator")],
      [SPARKLINE, t("Sparkline")],
    ],
  },
  { kind: "text", name: "description", label: t("Description"), usual: "{ITEM.NAME}" },
  {
    kind: "number",
    name: "desc_size",
    label: t("Description size, %"),
    usual: 15,
    min: 1,
    max: 100,
  },
  {
    kind: "choice",
    name: "desc_h_pos",
    label: t("Description: horizontal"),
    usual: 1,
    options: LEFT_RIGHT,
  },
  {
    kind: "choice",
    name: "desc_v_pos",
    label: t("Description: vertical"),
    usual: 2,
    options: TOP_BOTTOM,
  },
  { kind: "color", name: "desc_color", label: t("Description color") },
  { kind: "number", name: "decimal_places", label: t("Decimal places"), usual: 2, min: 0, max: 10 },
  { kind: "number", name: "value_size", label: t("Value size, %"), usual: 45, min: 1, max: 100 },
  {
    kind: "choice",
    name: "value_h_pos",
    label: t("Value: horizontal"),
    usual: 1,
    options: LEFT_RIGHT,
  },
  { kind: "color", name: "value_color", label: t("Value color") },
  { kind: "flag", name: "units_show", label: t("Show units"), usual: true },
  { kind: "text", name: "units", label: t("Units (overrides the item's)") },
  {
    kind: "choice",
    name: "aggregate_function",
    label: t("Aggregation function"),
    usual: 0,
    options: AGGREGATES,
  },
  ...TIME,
  { kind: "color", name: "up_color", label: t("Color of ↑") },
  { kind: "color", name: "down_color", label: t("Color of ↓") },
  { kind: "color", name: "bg_color", label: t("Background color") },
  { kind: "thresholds", name: "thresholds", label: t("Thresholds") },
  OVERRIDE,
];

export const KIND: WidgetKind = { Widget: ItemWidget, fields: FIELDS, refresh: 60 };
