// A cell for each item, colored by its value; a selected item is published to listening widgets.

import type { BoardItem } from "@/api/widgets";
import { searchBoardItems } from "@/api/widgets";
import { t } from "@/lib/i18n";
import { EmptyState, QueryGate } from "@/ui/states";
import { useBoard, useFrame, useIds } from "../context";
import { onColor } from "../contrast";
import { useWidgetQuery } from "../data";
import { type Fields, reached, type Threshold, tagsOf, thresholdsOf } from "../fields";
import type { FieldSpec, WidgetKind, WidgetProps } from "../kind";
import { labelText } from "../labels";
import { GROUPS, HOSTS } from "../specs";
import { numberOf, valueParts } from "../value";
import classes from "./honeycomb.module.css";

const PRIMARY = 1;
const SECONDARY = 2;
const TEXT = 0;
const VALUE = 1;
// as many cells as Zabbix draws
const ITEMS_MAX = 1000;
// of a hexagon that stands on a point: width to height
const RATIO = Math.sqrt(3) / 2;
const GAP_PX = 3;
const TEXT_PX_MIN = 34;

function HoneycombWidget({ fields }: WidgetProps) {
  const hostids = useIds(fields, "hostids");
  const groupids = useIds(fields, "groupids");
  const patterns = fields.list("items");
  const tags = tagsOf(fields, "item_tags");
  const evaltype = fields.number("evaltype_item", 0);
  const query = useWidgetQuery(
    "honeycomb",
    [hostids, groupids, patterns, tags, evaltype],
    (signal) =>
      patterns.length === 0
        ? Promise.resolve([])
        : searchBoardItems(
            { hostids, groupids, patterns, tags, evaltype, limit: ITEMS_MAX },
            signal,
          ),
  );
  return (
    <QueryGate query={query}>
      {(items) =>
        items.length === 0 ? (
          <EmptyState title={t("No items")} />
        ) : (
          <Cells items={items} fields={fields} />
        )
      }
    </QueryGate>
  );
}

/** How wide cells may be, and how many stand in a row, for all to fit. */
export function cellSize(
  count: number,
  width: number,
  height: number,
): { readonly columns: number; readonly size: number } {
  let best = { columns: 1, size: 0 };
  for (let columns = 1; columns <= count; columns += 1) {
    const rows = Math.ceil(count / columns);
    // every second row stands half a cell to the right, and rows lie in each other by a quarter
    const byWidth = width / (columns + (rows > 1 ? 0.5 : 0));
    const byHeight = (height * RATIO) / (1 + (rows - 1) * 0.75);
    const size = Math.min(byWidth, byHeight);
    if (size > best.size) best = { columns, size };
  }
  return best;
}

function Cells({
  items,
  fields,
}: {
  readonly items: readonly BoardItem[];
  readonly fields: Fields;
}) {
  const { width, height } = useFrame();
  const { signals, emit } = useBoard();
  const reference = fields.text("reference");
  const picked = signals[reference]?.["itemid"]?.[0];
  const { columns, size } = cellSize(items.length, width - 4, height - 4);
  const cellHeight = size / RATIO;
  const thresholds = thresholdsOf(fields);
  const shown = fields.choices("show", [PRIMARY, SECONDARY]);
  const names: readonly LabelName[] = [
    ...(shown.has(PRIMARY) ? (["primary_label"] as const) : []),
    ...(shown.has(SECONDARY) ? (["secondary_label"] as const) : []),
  ];
  return (
    <div className={classes["honeycomb"]}>
      {items.map((item, at) => {
        const row = Math.floor(at / columns);
        const left = (at % columns) * size + (row % 2 === 1 ? size / 2 : 0);
        const color = cellColor(item, fields, thresholds);
        const visible = names.map((name) => cellText(item, fields, name));
        const title = `${item.host}: ${item.name}: ${valueParts(item, undefined, 2).number}`;
        return (
          <button
            key={item.itemid}
            type="button"
            className={classes["cell"]}
            title={title}
            // where it says nothing by itself
            aria-label={size < TEXT_PX_MIN || names.length === 0 ? title : undefined}
            aria-pressed={picked === item.itemid}
            onClick={() => {
              emit(reference, "itemid", [item.itemid]);
              emit(reference, "hostid", [item.hostid]);
              emit(reference, "hostids", [item.hostid]);
            }}
            style={{
              left,
              top: row * cellHeight * 0.75,
              width: size - GAP_PX,
              height: cellHeight - GAP_PX,
              background: color,
              color: onColor(color),
            }}
          >
            {size < TEXT_PX_MIN ? null : (
              <span>
                {names.map((name, n) => (
                  <CellLabel
                    key={name}
                    text={visible[n] ?? ""}
                    fields={fields}
                    name={name}
                    size={size}
                  />
                ))}
              </span>
            )}
          </button>
        );
      })}
    </div>
  );
}

const CELL = "#7a92a8";

function cellColor(item: BoardItem, fields: Fields, thresholds: readonly Threshold[]): string {
  const value = numberOf(item);
  const usual = fields.color("bg_color") ?? CELL;
  const at = reached(thresholds, value);
  if (at === undefined || value === undefined) return usual;
  const next = thresholds[thresholds.indexOf(at) + 1];
  if (!fields.flag("interpolation", false) || next === undefined) return at.color;
  return mixed(at.color, next.color, (value - at.from) / (next.from - at.from));
}

export function mixed(from: string, to: string, share: number): string {
  const part = (at: number) => {
    const a = Number.parseInt(from.slice(at, at + 2), 16);
    const b = Number.parseInt(to.slice(at, at + 2), 16);
    return Math.round(a + (b - a) * share)
      .toString(16)
      .padStart(2, "0");
  };
  return `#${part(1)}${part(3)}${part(5)}`;
}

type LabelName = "primary_label" | "secondary_label";

/** What a label of the cell says. */
function cellText(item: BoardItem, fields: Fields, name: LabelName): string {
  const isPrimary = name === "primary_label";
  if (fields.number(`${name}_type`, isPrimary ? TEXT : VALUE) !== VALUE) {
    const usual = isPrimary ? "{HOST.NAME}" : "{{ITEM.LASTVALUE}.fmtnum(2)}";
    return labelText(fields.text(name, usual), item);
  }
  if (item.clock === 0) return "–";
  const written = fields.text(`${name}_units`);
  const decimals = fields.number(`${name}_decimal_places`, 2);
  const parts = valueParts(item, written === "" ? undefined : written, decimals);
  const isWithUnits = fields.flag(`${name}_units_show`, true) && parts.units !== "";
  return isWithUnits ? `${parts.number} ${parts.units}` : parts.number;
}

interface CellLabelProps {
  readonly text: string;
  readonly fields: Fields;
  readonly name: LabelName;
  readonly size: number;
}

function CellLabel({ text, fields, name, size }: CellLabelProps) {
  const isPrimary = name === "primary_label";
  const isSized = fields.number(`${name}_size_type`, 0) === 1;
  // as large as the text fits into the middle of the cell
  const fit = Math.min(size * (isPrimary ? 0.18 : 0.24), (size * 1.15) / Math.max(4, text.length));
  const px = isSized
    ? (fields.number(`${name}_size`, isPrimary ? 20 : 30) / 100) * size * 0.6
    : fit;
  const color = fields.color(`${name}_color`);
  return (
    <span
      className="ellipsis"
      style={{
        fontSize: Math.max(8, px),
        fontWeight: fields.flag(`${name}_bold`, !isPrimary) ? 700 : 400,
        ...(color === undefined ? {} : { color }),
      }}
    >
      {text}
    </span>
  );
}

const FIELDS: readonly FieldSpec[] = [
  GROUPS,
  HOSTS,
  { kind: "patterns", name: "items", label: t("Item patterns") },
  { kind: "tags", name: "item_tags", label: t("Item tags"), evaltype: "evaltype_item" },
  {
    kind: "checks",
    name: "show",
    label: t("Show"),
    usual: [PRIMARY, SECONDARY],
    options: [
      [PRIMARY, t("Primary label")],
      [SECONDARY, t("Secondary label")],
    ],
  },
  { kind: "text", name: "primary_label", label: t("Primary label"), usual: "{HOST.NAME}" },
  { kind: "color", name: "primary_label_color", label: t("Primary label color") },
  {
    kind: "choice",
    name: "secondary_label_type",
    label: t("Secondary label type"),
    usual: VALUE,
    options: [
      [TEXT, t("Text")],
      [VALUE, t("Value")],
    ],
  },
  {
    kind: "text",
    name: "secondary_label",
    label: t("Secondary label (text)"),
    usual: "{{ITEM.LASTVALUE}.fmtnum(2)}",
  },
  {
    kind: "number",
    name: "secondary_label_decimal_places",
    label: t("Decimal places"),
    usual: 2,
    min: 0,
    max: 6,
  },
  { kind: "color", name: "secondary_label_color", label: t("Secondary label color") },
  { kind: "color", name: "bg_color", label: t("Background color") },
  { kind: "flag", name: "interpolation", label: t("Color interpolation"), usual: false },
  { kind: "thresholds", name: "thresholds", label: t("Thresholds") },
];

export const KIND: WidgetKind = {
  Widget: HoneycombWidget,
  fields: FIELDS,
  refresh: 60,
  broadcasts: true,
};
