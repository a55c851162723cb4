// Lists that are in memory as a whole: sorting by TanStack Table, the rest by RowTable.

import {
  type ColumnDef,
  createSortedRowModel,
  type RowData,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { type ReactNode, useCallback, useMemo, useState } from "react";
import { locale } from "@/lib/i18n";
import { type Picking, RowTable } from "./row-table";
import type { Column, Sort } from "./virtual-table";

export interface DataColumn<Row> extends Column<Row> {
  /** what to sort by; without it the column cannot be sorted */
  readonly sortValue?: (row: Row) => string | number;
}

export interface DataTableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly DataColumn<Row>[];
  readonly rowKey: (row: Row) => string;
  readonly onOpen?: (row: Row) => void;
  readonly picking?: Pick<Picking, "picked" | "onChange"> | undefined;
  readonly initialSort?: Sort;
  readonly isDimmed?: (row: Row) => boolean;
  readonly empty?: ReactNode;
  readonly onVisible?: (rows: readonly Row[]) => void;
  /** of several tables on a page one has the keyboard */
  readonly keyboard?: boolean;
  /** on narrow screens rows have two lines */
  readonly hasTallRows?: boolean;
}

const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() });
const collator = new Intl.Collator(locale(), { numeric: true, sensitivity: "base" });

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
  const { rows, rowKey, picking, onVisible } = props;
  const [sort, setSort] = useState<Sort | undefined>(props.initialSort);
  const sorted = useSortedRows(rows, props.columns, sort);
  const columns = useMemo(
    () =>
      props.columns.map(
        (column): Column<Row> => ({ ...column, sortable: column.sortValue !== undefined }),
      ),
    [props.columns],
  );
  const getRow = useCallback((at: number) => sorted[at], [sorted]);
  const visible = useCallback(
    (first: number, last: number) => onVisible?.(sorted.slice(first, last + 1)),
    [onVisible, sorted],
  );
  return (
    <RowTable
      label={props.label}
      hasTallRows={props.hasTallRows === true}
      columns={columns}
      count={sorted.length}
      getRow={getRow}
      rowKey={rowKey}
      sort={sort}
      onSort={setSort}
      onOpen={props.onOpen}
      picking={
        picking === undefined
          ? undefined
          : {
              ...picking,
              onAll: () => picking.onChange(new Set([...picking.picked, ...sorted.map(rowKey)])),
            }
      }
      isDimmed={props.isDimmed}
      empty={props.empty}
      onVisible={onVisible === undefined ? undefined : visible}
      keyboard={props.keyboard ?? true}
    />
  );
}
