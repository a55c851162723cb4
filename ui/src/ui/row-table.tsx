// A table with a cursor (j, k, Enter) and rows that can be picked (x, checkboxes). Like the virtual table below
// it, it knows positions: rows may be in memory (`data-table.tsx`) or come in windows from the server.

import { Checkbox } from "@mantine/core";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { t } from "@/lib/i18n";
import { useKeys } from "./keys";
import { useLatest } from "./latest";
import { areAllPicked, withoutShown } from "./picked-rows";
import { type Column, openInTab, type Sort, VirtualTable } from "./virtual-table";

export interface Picking {
  readonly picked: ReadonlySet<string>;
  readonly onChange: (picked: ReadonlySet<string>) => void;
  /** picks all rows of the list, also those that are not loaded */
  readonly onAll: () => void;
  /** they are being looked up */
  readonly busy?: boolean;
}

export interface RowTableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly count: number;
  readonly getRow: (at: number) => Row | undefined;
  readonly rowKey: (row: Row) => string;
  /** rows may stand in the list twice while it changes: each place has a key of its own */
  readonly windowed?: boolean;
  readonly sort: Sort | undefined;
  readonly onSort: (sort: Sort) => void;
  readonly onOpen?: ((row: Row) => void) | undefined;
  readonly picking?: Picking | undefined;
  readonly isDimmed?: ((row: Row) => boolean) | undefined;
  readonly empty?: ReactNode;
  readonly onVisible?: ((first: number, last: number) => void) | undefined;
  /** of several tables on a page one has the keyboard */
  readonly keyboard?: boolean;
  readonly listKey?: string | undefined;
  /** on narrow screens rows have two lines */
  readonly hasTallRows?: boolean;
}

export function RowTable<Row>(props: RowTableProps<Row>) {
  const { label, count, getRow, rowKey, onOpen, picking, listKey, keyboard = true } = props;
  const [cursor, setCursor] = useState(-1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list, whatever it is
  useEffect(() => setCursor(-1), [listKey]);

  const keyOf = useLatest(rowKey);
  const togglePick = useLatest((row: Row) => {
    if (picking === undefined) return;
    const next = new Set(picking.picked);
    if (!next.delete(rowKey(row))) next.add(rowKey(row));
    picking.onChange(next);
  });
  const pickAll = useLatest((isAll: boolean) => {
    if (picking === undefined) return;
    if (isAll) picking.onAll();
    else picking.onChange(withoutShown(picking.picked, { count, getRow, rowKey }));
  });
  const { picked, busy = false } = picking ?? {};
  const columns = useMemo(() => {
    if (picked === undefined) return props.columns;
    const isAll = areAllPicked(picked, { count, getRow, rowKey: keyOf });
    const column = pickColumn({ isAll, keyOf, picked, busy, togglePick, pickAll });
    return [column, ...props.columns];
  }, [props.columns, picked, busy, count, getRow, keyOf, togglePick, pickAll]);

  useKeys(
    {
      j: () => setCursor((at) => Math.min(at + 1, count - 1)),
      k: () => setCursor((at) => Math.max(at - 1, 0)),
      x: () => withRow(getRow(cursor), togglePick),
      ["Enter"]: () => withRow(getRow(cursor), (row) => onOpen?.(row)),
    },
    { enabled: keyboard },
  );

  return (
    <VirtualTable
      label={label}
      columns={columns}
      count={count}
      getRow={getRow}
      rowKey={props.windowed === true ? (row, at) => `${at} ${rowKey(row)}` : rowKey}
      sort={props.sort}
      onSort={props.onSort}
      cursor={cursor}
      isPicked={(row) => picking?.picked.has(rowKey(row)) === true}
      isDimmed={props.isDimmed}
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
      onVisible={props.onVisible}
      empty={props.empty}
      listKey={listKey}
      hasTallRows={props.hasTallRows === true}
    />
  );
}

function withRow<Row>(row: Row | undefined, act: (row: Row) => void): void {
  if (row !== undefined) act(row);
}

interface PickColumnInput<Row> {
  readonly isAll: boolean;
  readonly keyOf: (row: Row) => string;
  readonly picked: ReadonlySet<string>;
  readonly busy: boolean;
  readonly togglePick: (row: Row) => void;
  readonly pickAll: (isAll: boolean) => void;
}

function pickColumn<Row>(input: PickColumnInput<Row>): Column<Row> {
  const { isAll, keyOf, picked, busy, togglePick, pickAll } = input;
  return {
    id: "pick",
    label: t("Picked"),
    width: "34px",
    title: (
      <Checkbox
        aria-label={t("Pick all")}
        checked={isAll}
        indeterminate={picked.size > 0 && !isAll}
        disabled={busy}
        onChange={() => pickAll(!isAll)}
      />
    ),
    cell: (row) => (
      <input
        type="checkbox"
        aria-label={t("Pick")}
        checked={picked.has(keyOf(row))}
        onChange={() => togglePick(row)}
      />
    ),
  };
}
