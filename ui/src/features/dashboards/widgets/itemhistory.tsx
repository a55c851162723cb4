// The newest values of items, a row each: texts, logs and numbers.

import { fetchHistory } from "@/api/items";
import type { HistoryValue } from "@/api/types";
import { type BoardItem, fetchBoardItems } from "@/api/widgets";
import { t } from "@/lib/i18n";
import { isNumeric } from "@/lib/item-types";
import { formatDateTime } from "@/lib/time";
import { formatValue } from "@/lib/units";
import { mapped } from "@/lib/value-map";
import { EmptyState, QueryGate } from "@/ui/states";
import { useHostOf } from "../context";
import { useWidgetQuery } from "../data";
import type { Fields } from "../fields";
import type { FieldSpec, WidgetKind, WidgetProps } from "../kind";
import { LINES, OVERRIDE } from "../specs";
import classes from "../widgets.module.css";

const LINES_USUAL = 25;
const VERTICAL = 1;
const BAR = 2;
const INDICATORS = 3;
const SINGLE_LINE = 5;

interface Column {
  readonly name: string;
  readonly item: BoardItem;
  readonly fields: Fields;
  readonly values: readonly HistoryValue[];
}

function ItemHistory({ fields }: WidgetProps) {
  const hostid = useHostOf(fields);
  const records = fields.records("columns");
  // 6.0 has a list of items and no columns
  const old = records.length === 0 ? fields.ids("itemids") : [];
  const lines = fields.number("show_lines", LINES_USUAL);
  const query = useWidgetQuery(
    "itemhistory",
    [fields.all, hostid],
    async (signal): Promise<readonly Column[]> => {
      const wanted =
        old.length > 0
          ? old.map((itemid) => ({ itemid, own: fields }))
          : records.map((own) => ({ itemid: own.ids("itemid")[0] ?? "", own }));
      const columns = await Promise.all(
        wanted.map(async ({ itemid, own }): Promise<Column[]> => {
          const [item] = itemid === "" ? [] : await fetchBoardItems([itemid], hostid);
          if (item === undefined) return [];
          const values = await fetchHistory(item.itemid, item.valueType, lines, signal);
          const name = own === fields ? "" : own.text("name");
          return [{ name: name === "" ? item.name : name, item, fields: own, values }];
        }),
      );
      return columns.flat();
    },
  );
  return (
    <QueryGate query={query}>
      {(columns) =>
        columns.every(({ values }) => values.length === 0) ? (
          <EmptyState title={t("No values")} />
        ) : (
          <Values columns={columns} fields={fields} lines={lines} />
        )
      }
    </QueryGate>
  );
}

interface ValuesProps {
  readonly columns: readonly Column[];
  readonly fields: Fields;
  readonly lines: number;
}

function Values({ columns, fields, lines }: ValuesProps) {
  const isVertical = fields.number("layout", 0) === VERTICAL;
  const isTimed = fields.flag("show_timestamp", true);
  const isOldestFirst = fields.number("sortorder", 0) === 1;
  const isHeaded = fields.number("show_column_header", 2) !== 0;
  const all = columns
    .flatMap((column) => column.values.map((value) => ({ column, value })))
    .sort(
      (a, b) =>
        Number(b.value.clock) - Number(a.value.clock) || Number(b.value.ns) - Number(a.value.ns),
    )
    .slice(0, lines);
  const rows = isOldestFirst ? [...all].reverse() : all;
  const several = columns.length > 1;
  if (isVertical) {
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
      <div className={classes["scroll"]} tabIndex={0}>
        <table className={classes["table"]}>
          {isHeaded ? (
            <thead>
              <tr>
                {isTimed ? <th scope="col">{t("Time")}</th> : null}
                {columns.map((it) => (
                  <th key={it.item.itemid} scope="col">
                    {it.name}
                  </th>
                ))}
              </tr>
            </thead>
          ) : null}
          <tbody>
            {rows.map(({ column, value }) => (
              <tr key={`${column.item.itemid}:${value.clock}:${value.ns}`}>
                {isTimed ? (
                  <td className={classes["nowrap"]}>{formatDateTime(Number(value.clock))}</td>
                ) : null}
                {columns.map((it) => (
                  <td key={it.item.itemid}>
                    {it === column ? <Value column={column} value={value.value} /> : null}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    );
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <div className={classes["scroll"]} tabIndex={0}>
      <table className={classes["table"]}>
        <thead>
          <tr>
            {isTimed ? <th scope="col">{t("Time")}</th> : null}
            {several ? <th scope="col">{t("Name")}</th> : null}
            <th scope="col">{several ? t("Value") : (columns[0]?.name ?? "")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ column, value }) => (
            <tr key={`${column.item.itemid}:${value.clock}:${value.ns}`}>
              {isTimed ? (
                <td className={classes["nowrap"]}>{formatDateTime(Number(value.clock))}</td>
              ) : null}
              {several ? <td>{column.name}</td> : null}
              <td>
                <Value column={column} value={value.value} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Value({ column, value }: { readonly column: Column; readonly value: string }) {
  const { item, fields } = column;
  if (isNumeric(item.valueType)) {
    const name = mapped(value, item.mappings);
    const text = formatValue(value, item.units);
    const shown = name === undefined ? text : `${name} (${value})`;
    const display = fields.number("display", 1);
    return display === BAR || display === INDICATORS ? (
      <Bar text={shown} value={Number(value)} fields={fields} />
    ) : (
      shown
    );
  }
  const highlight = fields
    .records("highlights")
    .find((it) => fitsRegexp(value, it.text("pattern")));
  const color = highlight?.color("color");
  const isSingle = fields.number("display", 1) === SINGLE_LINE;
  const max = fields.number("max_length", 100);
  return (
    <span
      className={fields.flag("monospace_font", false) ? "mono" : undefined}
      style={{
        whiteSpace: isSingle ? "nowrap" : "pre-wrap",
        ...(color === undefined ? {} : { color }),
      }}
      title={isSingle ? value : undefined}
    >
      {isSingle ? value.replace(/\s+/g, " ").slice(0, max) : value}
    </span>
  );
}

function fitsRegexp(text: string, pattern: string): boolean {
  try {
    return pattern !== "" && new RegExp(pattern).test(text);
  } catch {
    return false;
  }
}

function Bar({
  text,
  value,
  fields,
}: {
  readonly text: string;
  readonly value: number;
  readonly fields: Fields;
}) {
  const min = fields.number("min", 0);
  const max = fields.number("max", 100);
  const share = max === min ? 0 : Math.min(1, Math.max(0, (value - min) / (max - min)));
  return (
    <span className={classes["bar"]}>
      <i
        style={{
          width: `${share * 100}%`,
          background: fields.color("base_color") ?? "var(--accent)",
        }}
      />
      <span>{text}</span>
    </span>
  );
}

const FIELDS: readonly FieldSpec[] = [
  {
    kind: "choice",
    name: "layout",
    label: t("Layout"),
    usual: 0,
    options: [
      [0, t("Horizontal")],
      [VERTICAL, t("Vertical")],
    ],
  },
  {
    kind: "records",
    name: "columns",
    label: t("Items"),
    one: t("item"),
    fields: [
      { kind: "text", name: "name", label: t("Name") },
      { kind: "item", name: "itemid", label: t("Item") },
      {
        kind: "choice",
        name: "display",
        label: t("Display"),
        usual: 1,
        options: [
          [1, t("As is")],
          [BAR, t("Bar")],
          [SINGLE_LINE, t("Single line")],
        ],
      },
      { kind: "flag", name: "monospace_font", label: t("Monospace font"), usual: false },
    ],
  },
  LINES(LINES_USUAL),
  {
    kind: "choice",
    name: "sortorder",
    label: t("New values"),
    usual: 0,
    options: [
      [0, t("Top")],
      [1, t("Bottom")],
    ],
  },
  { kind: "flag", name: "show_timestamp", label: t("Show timestamp"), usual: true },
  OVERRIDE,
];

export const KIND: WidgetKind = { Widget: ItemHistory, fields: FIELDS, refresh: 60 };
