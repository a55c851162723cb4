// Lists of configuration: sorting by TanStack Table, drawing by VirtualTable, a cursor (j, k, Enter) and
// picking of rows (x, checkboxes).

import { Checkbox } from "@mantine/core";
import {
  type ColumnDef,
  createSortedRowModel,
  type RowData,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { type ReactNode, useCallback, useMemo, useState } from "react";
import { t } from "@/lib/i18n";
import { useKeys } from "./keys";
import { type Column, openInTab, type Sort, VirtualTable } from "./virtual-table";

export interface DataColumn<Row> extends Column<Row> {
  /** what to sort by; without it the column cannot be sorted */
  readonly sortValue?: (row: Row) => string | number;
}

export interface Picking {
  readonly picked: ReadonlySet<string>;
  readonly onChange: (picked: ReadonlySet<string>) => void;
}

export interface DataTableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly DataColumn<Row>[];
  readonly rowKey: (row: Row) => string;
  readonly onOpen?: (row: Row) => void;
  readonly picking?: Picking;
  readonly initialSort?: Sort;
  readonly isDimmed?: (row: Row) => boolean;
  readonly empty?: ReactNode;
  readonly onVisible?: (rows: readonly Row[]) => void;
  /** of several tables on a page one has the keyboard */
  readonly keyboard?: boolean;
}

const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() });
const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

function compareCells(a: string | number, b: string | number): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return collator.compare(String(a), String(b));
}

function useSortedRows<Row extends RowData>(
  rows: readonly Row[],
  columns: readonly DataColumn<Row>[],
  sort: Sort | undefined,
): readonly Row[] {
  const defs = useMemo(
    (): ColumnDef<typeof features, Row>[] =>
      columns
        .filter((column) => column.sortValue !== undefined)
        .map((column) => ({
          id: column.id,
          accessorFn: (row: Row) => column.sortValue?.(row) ?? "",
          sortFn: (a, b) =>
            compareCells(
              column.sortValue?.(a.original) ?? "",
              column.sortValue?.(b.original) ?? "",
            ),
        })),
    [columns],
  );
  const data = useMemo(() => [...rows], [rows]);
  const sorting = useMemo(
    () => (sort === undefined ? [] : [{ id: sort.by, desc: sort.descending }]),
    [sort],
  );
  const table = useTable({ features, columns: defs, data, state: { sorting } });
  const model = table.getRowModel().rows;
  return useMemo(() => model.map((row) => row.original), [model]);
}

export function DataTable<Row extends RowData>(props: DataTableProps<Row>) {
  const {
    label,
    rows,
    rowKey,
    onOpen,
    picking,
    isDimmed,
    empty,
    onVisible,
    keyboard = true,
  } = props;
  const [sort, setSort] = useState<Sort | undefined>(props.initialSort);
  const [cursor, setCursor] = useState(-1);
  const sorted = useSortedRows(rows, props.columns, sort);

  const togglePick = useCallback(
    (row: Row) => {
      if (picking === undefined) return;
      const next = new Set(picking.picked);
      if (!next.delete(rowKey(row))) next.add(rowKey(row));
      picking.onChange(next);
    },
    [picking, rowKey],
  );

  const columns = useMemo(() => {
    const shown: Column<Row>[] = props.columns.map((column) => ({
      ...column,
      sortable: column.sortValue !== undefined,
    }));
    if (picking === undefined) return shown;
    return [pickColumn(sorted, rowKey, picking, togglePick), ...shown];
  }, [props.columns, picking, sorted, rowKey, togglePick]);

  useKeys(
    {
      j: () => setCursor((at) => Math.min(at + 1, sorted.length - 1)),
      k: () => setCursor((at) => Math.max(at - 1, 0)),
      x: () => withRow(sorted[cursor], togglePick),
      ["Enter"]: () => withRow(sorted[cursor], (row) => onOpen?.(row)),
    },
    { enabled: keyboard },
  );

  const visible = useCallback(
    (first: number, last: number) => onVisible?.(sorted.slice(first, last + 1)),
    [onVisible, sorted],
  );
  return (
    <VirtualTable
      label={label}
      columns={columns}
      count={sorted.length}
      getRow={(at) => sorted[at]}
      rowKey={rowKey}
      sort={sort}
      onSort={setSort}
      cursor={cursor}
      isPicked={(row) => picking?.picked.has(rowKey(row)) === true}
      isDimmed={isDimmed}
      onRowClick={
        onOpen === undefined
          ? undefined
          : (row, at, event) => {
              // links and controls inside of the row act for themselves
              if ((event.target as HTMLElement).closest("a,button,input,label") !== null) return;
              setCursor(at);
              if (event.ctrlKey || event.metaKey) openInTab(event);
              else onOpen(row);
            }
      }
      onVisible={onVisible === undefined ? undefined : visible}
      empty={empty}
    />
  );
}

function withRow<Row>(row: Row | undefined, act: (row: Row) => void): void {
  if (row !== undefined) act(row);
}

function pickColumn<Row>(
  rows: readonly Row[],
  rowKey: (row: Row) => string,
  picking: Picking,
  toggle: (row: Row) => void,
): Column<Row> {
  const count = picking.picked.size;
  const all = rows.length > 0 && count === rows.length;
  return {
    id: "pick",
    label: t("Picked"),
    width: "34px",
    title: (
      <Checkbox
        aria-label={t("Pick all")}
        checked={all}
        indeterminate={count > 0 && !all}
        onChange={() => picking.onChange(all ? new Set() : new Set(rows.map(rowKey)))}
      />
    ),
    cell: (row) => (
      <Checkbox
        aria-label={t("Pick")}
        checked={picking.picked.has(rowKey(row))}
        onChange={() => toggle(row)}
      />
    ),
  };
}
