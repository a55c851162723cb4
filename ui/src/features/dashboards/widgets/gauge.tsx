// One value on an arc from a least to a greatest, with thresholds.

import type { BoardItem } from "@/api/widgets";
import { t } from "@/lib/i18n";
import { formatNumber, formatValue } from "@/lib/units";
import { EmptyState, QueryGate } from "@/ui/states";
import { ring } from "../arc";
import { useHostOf, useIds, useTitle, useWaits } from "../context";
import { useItems } from "../data";
import { type Fields, reached, suffixed, thresholdsOf } from "../fields";
import type { FieldSpec, WidgetKind, WidgetProps } from "../kind";
import { labelText } from "../labels";
import { OVERRIDE } from "../specs";
import { numberOf, valueParts } from "../value";
import classes from "../widgets.module.css";

const DESCRIPTION = 1;
const VALUE = 2;
const NEEDLE = 3;
const SCALE = 4;
const ARC = 5;
const TOP = 0;
const BEFORE = 0;

function GaugeWidget({ fields }: WidgetProps) {
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
          <Gauge item={item} fields={fields} />
        )
      }
    </QueryGate>
  );
}

const RADIUS = 90;
const SIZE = 200;

/** Positions within the picture. */
interface Geometry {
  readonly isHalf: boolean;
  readonly min: number;
  readonly max: number;
  /** of a turn */
  readonly span: number;
  /** the value's arc */
  readonly inner: number;
  readonly outer: number;
  /** the arc of thresholds outside of it; 0: there is none */
  readonly thresholds: number;
  readonly place: (value: number) => number;
}

const CENTER = [SIZE / 2, SIZE / 2] as const;

function geometryOf(fields: Fields): Geometry {
  const min = suffixed(fields.text("min", "0"));
  const max = suffixed(fields.text("max", "100"));
  const isHalf = fields.number("angle", 180) === 180;
  const span = isHalf ? 0.5 : 0.75;
  const percent = (name: string, usual: number) => (fields.number(name, usual) / 100) * RADIUS;
  const thresholds = fields.flag("th_show_arc", false) ? percent("th_arc_size", 5) : 0;
  const outer = RADIUS - (thresholds > 0 ? thresholds + 2 : 0);
  return {
    isHalf,
    min,
    max,
    span,
    inner: outer - percent("value_arc_size", 20),
    outer,
    thresholds,
    place: (n) => -span / 2 + span * Math.min(1, Math.max(0, (n - min) / (max - min))),
  };
}

function Gauge({ item, fields }: { readonly item: BoardItem; readonly fields: Fields }) {
  const value = numberOf(item);
  const geometry = geometryOf(fields);
  const { isHalf, min, max } = geometry;
  const shown = fields.choices("show", [DESCRIPTION, VALUE, SCALE, ARC]);
  const description = labelText(fields.text("description", "{ITEM.NAME}"), item);
  const isTop = fields.number("desc_v_pos", 1) === TOP;
  const units = fields.flag("units_show", true) ? fields.text("units") || item.units : "";
  const label = shown.has(DESCRIPTION) ? (
    <span className={classes["gaugeLabel"]} style={labelStyle(fields)} title={description}>
      {description}
    </span>
  ) : null;
  const background = fields.color("bg_color");
  return (
    <div className={classes["gauge"]} style={background === undefined ? {} : { background }}>
      {isTop ? label : null}
      <svg
        viewBox={`0 0 ${SIZE} ${isHalf ? SIZE / 2 + 18 : SIZE * 0.9}`}
        role="img"
        aria-label={`${description}: ${value === undefined ? t("no value yet") : formatValue(value, units)}`}
      >
        <title>{description}</title>
        {shown.has(ARC) ? <ValueArc value={value} fields={fields} geometry={geometry} /> : null}
        <ThresholdArcs fields={fields} geometry={geometry} />
        {shown.has(NEEDLE) && value !== undefined ? (
          <Needle value={value} fields={fields} geometry={geometry} />
        ) : null}
        {shown.has(VALUE) ? <GaugeValue item={item} fields={fields} isHalf={isHalf} /> : null}
        {shown.has(SCALE) ? (
          <Scale min={min} max={max} fields={fields} isHalf={isHalf} units={units} />
        ) : null}
      </svg>
      {isTop ? null : label}
    </div>
  );
}

interface ArcProps {
  readonly fields: Fields;
  readonly geometry: Geometry;
}

interface ValueArcProps extends ArcProps {
  readonly value: number | undefined;
}

function ValueArc({ value, fields, geometry }: ValueArcProps) {
  const { inner, outer, span, place } = geometry;
  const color =
    reached(thresholdsOf(fields), value)?.color ??
    fields.color("value_arc_color") ??
    "var(--accent)";
  const empty = fields.color("empty_color") ?? "var(--line)";
  return (
    <>
      <path d={ring(CENTER, [inner, outer], -span / 2, span / 2)} fill={empty} />
      {value === undefined ? null : (
        <path d={ring(CENTER, [inner, outer], -span / 2, place(value))} fill={color} />
      )}
    </>
  );
}

function ThresholdArcs({ fields, geometry }: ArcProps) {
  const { thresholds: size, max, place } = geometry;
  if (size === 0) return null;
  const thresholds = thresholdsOf(fields);
  return thresholds.map((it, at) => {
    const end = place(thresholds[at + 1]?.from ?? max);
    const d = ring(CENTER, [RADIUS - size, RADIUS], place(it.from), end);
    return <path key={it.from} d={d} fill={it.color} />;
  });
}

interface NeedleProps extends ArcProps {
  readonly value: number;
}

function Needle({ value, fields, geometry }: NeedleProps) {
  const { inner, outer, place } = geometry;
  const length = (inner + outer) / 2;
  const angle = place(value) * 2 * Math.PI;
  return (
    <line
      x1={CENTER[0]}
      y1={CENTER[1]}
      x2={CENTER[0] + length * Math.sin(angle)}
      y2={CENTER[1] - length * Math.cos(angle)}
      stroke={fields.color("needle_color") ?? "var(--fg)"}
      strokeWidth="3"
      strokeLinecap="round"
    />
  );
}

function labelStyle(fields: Fields) {
  const color = fields.color("desc_color");
  return {
    fontWeight: fields.flag("desc_bold", false) ? 700 : 400,
    ...(color === undefined ? {} : { color }),
  };
}

interface GaugeValueProps {
  readonly item: BoardItem;
  readonly fields: Fields;
  readonly isHalf: boolean;
}

function GaugeValue({ item, fields, isHalf }: GaugeValueProps) {
  if (item.clock === 0) {
    return (
      <text x={SIZE / 2} y={SIZE / 2} className={classes["gaugeValue"]} fontSize="14">
        {t("no value yet")}
      </text>
    );
  }
  const written = fields.text("units");
  const parts = valueParts(
    item,
    written === "" ? undefined : written,
    fields.number("decimal_places", 2),
  );
  const units = fields.flag("units_show", true) && parts.units !== "" ? parts.units : "";
  // of the widget's height, which the picture is about
  const size = (fields.number("value_size", 25) / 100) * (isHalf ? 120 : 160);
  const unitsSize = (fields.number("units_size", 25) / 100) * (isHalf ? 120 : 160);
  const color = fields.color("value_color");
  const isBefore = fields.number("units_pos", 2) === BEFORE;
  const unitsPart =
    units === "" ? null : (
      <tspan fontSize={unitsSize}>{isBefore ? `${units} ` : ` ${units}`}</tspan>
    );
  return (
    <text
      x={SIZE / 2}
      y={SIZE / 2 - (isHalf ? 4 : -8)}
      className={classes["gaugeValue"]}
      fontSize={size}
      fontWeight={fields.flag("value_bold", false) ? 700 : 500}
      style={color === undefined ? {} : { fill: color }}
    >
      {isBefore ? unitsPart : null}
      {parts.number}
      {isBefore ? null : unitsPart}
    </text>
  );
}

interface ScaleProps {
  readonly min: number;
  readonly max: number;
  readonly fields: Fields;
  readonly isHalf: boolean;
  readonly units: string;
}

function Scale({ min, max, fields, isHalf, units }: ScaleProps) {
  const places = fields.number("scale_decimal_places", 0);
  const text = (n: number) =>
    fields.flag("scale_show_units", true) ? formatValue(n, units, places) : formatNumber(n, places);
  const size = Math.max(9, (fields.number("scale_size", 15) / 100) * 80);
  const y = isHalf ? SIZE / 2 + size + 2 : SIZE * 0.87;
  const inset = isHalf ? 8 : 34;
  return (
    <>
      <text x={inset} y={y} className={classes["gaugeScale"]} fontSize={size}>
        {text(min)}
      </text>
      <text
        x={SIZE - inset}
        y={y}
        className={classes["gaugeScale"]}
        fontSize={size}
        textAnchor="end"
      >
        {text(max)}
      </text>
    </>
  );
}

const FIELDS: readonly FieldSpec[] = [
  { kind: "item", name: "itemid", label: t("Item") },
  { kind: "source", name: "itemid", label: t("Item from widget"), signal: "itemid" },
  { kind: "text", name: "min", label: t("Min"), usual: "0" },
  { kind: "text", name: "max", label: t("Max"), usual: "100" },
  {
    kind: "choice",
    name: "angle",
    label: t("Angle"),
    usual: 180,
    options: [
      [180, "180°"],
      [270, "270°"],
    ],
  },
  {
    kind: "checks",
    name: "show",
    label: t("Show"),
    usual: [DESCRIPTION, VALUE, SCALE, ARC],
    options: [
      [DESCRIPTION, t("Description")],
      [VALUE, t("Value")],
      [NEEDLE, t("Needle")],
      [SCALE, t("Scale")],
      [ARC, t("Value arc")],
    ],
  },
  { kind: "text", name: "description", label: t("Description"), usual: "{ITEM.NAME}" },
  { kind: "number", name: "decimal_places", label: t("Decimal places"), usual: 2, min: 0, max: 10 },
  { kind: "number", name: "value_size", label: t("Value size, %"), usual: 25, min: 1, max: 100 },
  { kind: "text", name: "units", label: t("Units (overrides the item's)") },
  { kind: "color", name: "value_arc_color", label: t("Arc color") },
  { kind: "color", name: "empty_color", label: t("Arc background") },
  { kind: "color", name: "bg_color", label: t("Background color") },
  { kind: "thresholds", name: "thresholds", label: t("Thresholds") },
  { kind: "flag", name: "th_show_arc", label: t("Show arc of thresholds"), usual: false },
  OVERRIDE,
];

export const KIND: WidgetKind = { Widget: GaugeWidget, fields: FIELDS, refresh: 60 };
