// The hosts with the greatest, or least, values of an item, with more columns.

import { Link } from "@tanstack/react-router";
import { fetchSharedSeries } from "@/api/shared-series";
import { type BoardHost, type BoardItem, fetchBoardHosts, searchBoardItems } from "@/api/widgets";
import { t } from "@/lib/i18n";
import { resolveRange } from "@/lib/time";
import { EmptyState, QueryGate } from "@/ui/states";
import { AGGREGATES, aggregated } from "../aggregate";
import { useIds, useRange } from "../context";
import { moment, useWidgetQuery } from "../data";
import { type Fields, reached, suffixed, tagsOf, thresholdsOf } from "../fields";
import type { FieldSpec, WidgetKind, WidgetProps } from "../kind";
import { GROUPS, HOSTS, LINES, TAGS } from "../specs";
import { itemText, numberOf } from "../value";
import classes from "../widgets.module.css";

const LINES_USUAL = 10;
const HOSTS_MAX = 1000;
const ITEM = 1;
const HOST_NAME = 2;
const BOTTOM = 3;
const BAR = 2;
const INDICATORS = 3;
const BUCKETS = 60;

interface Cell {
  readonly item: BoardItem | undefined;
  readonly number: number | undefined;
}

interface Row {
  readonly host: BoardHost;
  readonly cells: readonly Cell[];
}

/** The rows in the order of one column, as many as are shown; hosts without a value last. */
export function topRows<
  R extends { readonly cells: readonly { readonly number: number | undefined }[] },
>(rows: readonly R[], column: number, isBottom: boolean, lines: number): readonly R[] {
  const value = (row: R) => row.cells[column]?.number;
  const sorted = [...rows].sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    if (x === undefined || y === undefined) return x === y ? 0 : x === undefined ? 1 : -1;
    return isBottom ? x - y : y - x;
  });
  return sorted.slice(0, lines);
}

function TopHosts({ fields }: WidgetProps) {
  const hostids = useIds(fields, "hostids");
  const groupids = useIds(fields, "groupids");
  const tags = tagsOf(fields, "tags");
  const range = useRange(fields);
  const columns = fields.records("columns");
  const query = useWidgetQuery(
    "tophosts",
    [hostids, groupids, fields.all, range],
    async (signal): Promise<readonly Row[]> => {
      const found = await fetchBoardHosts(
        {
          hostids,
          groupids,
          tags,
          evaltype: fields.number("evaltype", 0),
          status: "0",
          limit: HOSTS_MAX,
        },
        signal,
      );
      const hosts = fields.flag("maintenance", false)
        ? found
        : found.filter((it) => !it.maintenance);
      if (hosts.length === 0) return [];
      const ids = hosts.map((it) => it.hostid);
      const cells = await Promise.all(columns.map((it) => columnCells(it, ids, range, signal)));
      return hosts.map((host) => ({
        host,
        cells: cells.map((it) => it.get(host.hostid) ?? { item: undefined, number: undefined }),
      }));
    },
  );
  return (
    <QueryGate query={query}>
      {(rows) => {
        const at = fields.number("column", 0);
        const isBottom = fields.number("order", 2) === BOTTOM;
        const known = rows.filter((row) => row.cells.some((it) => it.item !== undefined));
        const shown = topRows(known, at, isBottom, fields.number("show_lines", LINES_USUAL));
        return shown.length === 0 ? (
          <EmptyState title={t("No data")} />
        ) : (
          <HostTable rows={shown} columns={columns} />
        );
      }}
    </QueryGate>
  );
}

async function columnCells(
  column: Fields,
  hostids: readonly string[],
  range: { readonly from: string; readonly to: string },
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Cell>> {
  const name = column.text("item");
  if (column.number("data", ITEM) !== ITEM || name === "") return new Map();
  const items = await searchBoardItems({ hostids, patterns: [name], limit: HOSTS_MAX }, signal);
  const how = column.number("aggregate_function", 0);
  if (how === 0)
    return new Map(items.map((item) => [item.hostid, { item, number: numberOf(item) }]));
  const own = {
    from: column.text("time_period.from", range.from),
    to: column.text("time_period.to", range.to),
  };
  const { from, to } = resolveRange(own, moment());
  const series = await fetchSharedSeries(
    items.map((it) => it.itemid),
    { from: Math.floor(from), to: Math.ceil(to), buckets: BUCKETS, source: 0 },
  );
  const byId = new Map(series.map((it) => [it.itemid, it]));
  return new Map(
    items.map((item) => {
      const number = aggregated(byId.get(item.itemid), how);
      const shown =
        number === undefined ? { ...item, clock: 0 } : { ...item, value: String(number) };
      return [item.hostid, { item: shown, number }];
    }),
  );
}

function HostTable({
  rows,
  columns,
}: {
  readonly rows: readonly Row[];
  readonly columns: readonly Fields[];
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <div className={classes["scroll"]} tabIndex={0}>
      <table className={classes["table"]}>
        <thead>
          <tr>
            {columns.map((it) => (
              <th key={it.text("name") + it.text("item")} scope="col">
                {it.text("name")}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.host.hostid}>
              {columns.map((column, at) => (
                <td key={column.text("name") + column.text("item")}>
                  <HostCell column={column} row={row} cell={row.cells[at]} rows={rows} at={at} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface HostCellProps {
  readonly column: Fields;
  readonly row: Row;
  readonly cell: Cell | undefined;
  readonly rows: readonly Row[];
  readonly at: number;
}

function HostCell({ column, row, cell, rows, at }: HostCellProps) {
  const data = column.number("data", ITEM);
  if (data === HOST_NAME) {
    return (
      <Link to="/hosts/$hostid" params={{ hostid: row.host.hostid }}>
        {row.host.name}
      </Link>
    );
  }
  if (data !== ITEM) {
    return column.text("text").replaceAll("{HOST.NAME}", row.host.name);
  }
  if (cell?.item === undefined) return <span className="dim">–</span>;
  const text = itemText(cell.item, column.number("decimal_places", 2));
  const color = reached(thresholdsOf(column), cell.number)?.color ?? column.color("base_color");
  const display = column.number("display", 1);
  if (display !== BAR && display !== INDICATORS) {
    return (
      <span
        style={color === undefined ? {} : { boxShadow: `inset 3px 0 ${color}`, paddingLeft: 7 }}
      >
        {text}
      </span>
    );
  }
  const all = rows.flatMap((it) => it.cells[at]?.number ?? []);
  const min = column.has("min") ? suffixed(column.text("min")) : Math.min(0, ...all);
  const max = column.has("max") ? suffixed(column.text("max")) : Math.max(0, ...all);
  const share = max > min ? ((cell.number ?? min) - min) / (max - min) : 0;
  return (
    <span className={classes["bar"]}>
      <i
        style={{
          width: `${Math.min(1, Math.max(0, share)) * 100}%`,
          background: color ?? "var(--accent)",
        }}
      />
      <span>{text}</span>
    </span>
  );
}

const FIELDS: readonly FieldSpec[] = [
  GROUPS,
  HOSTS,
  TAGS,
  { kind: "flag", name: "maintenance", label: t("Show hosts in maintenance"), usual: false },
  {
    kind: "records",
    name: "columns",
    label: t("Columns"),
    one: t("column"),
    fields: [
      {
        kind: "choice",
        name: "data",
        label: t("Data"),
        usual: ITEM,
        options: [
          [ITEM, t("Item value")],
          [HOST_NAME, t("Host name")],
          [3, t("Text")],
        ],
      },
      { kind: "text", name: "name", label: t("Name") },
      { kind: "text", name: "item", label: t("Item name") },
      { kind: "text", name: "text", label: t("Text") },
      {
        kind: "choice",
        name: "aggregate_function",
        label: t("Aggregation function"),
        usual: 0,
        options: AGGREGATES,
      },
      {
        kind: "choice",
        name: "display",
        label: t("Display"),
        usual: 1,
        options: [
          [1, t("As is")],
          [BAR, t("Bar")],
          [INDICATORS, t("Indicators")],
        ],
      },
      { kind: "text", name: "min", label: t("Min") },
      { kind: "text", name: "max", label: t("Max") },
      {
        kind: "number",
        name: "decimal_places",
        label: t("Decimal places"),
        usual: 2,
        min: 0,
        max: 10,
      },
      { kind: "color", name: "base_color", label: t("Base color") },
      { kind: "thresholds", name: "thresholds", label: t("Thresholds") },
    ],
  },
  {
    kind: "number",
    name: "column",
    label: t("Order by column (from 0)"),
    usual: 0,
    min: 0,
    max: 20,
  },
  {
    kind: "choice",
    name: "order",
    label: t("Order"),
    usual: 2,
    options: [
      [2, t("Top N")],
      [BOTTOM, t("Bottom N")],
    ],
  },
  LINES(LINES_USUAL),
];

export const KIND: WidgetKind = { Widget: TopHosts, fields: FIELDS, refresh: 60 };
