// biome-ignore-all lint/a11y/useSemanticElements: rows are placed by position, which native tables cannot do
// biome-ignore-all lint/a11y/useFocusableInteractive: keys move the table's cursor, rows take no focus
// biome-ignore-all lint/a11y/useKeyWithClickEvents: keys act on the table's cursor
// The one table of the UI: fixed rows, only the visible ones in the document, header that stays, a cursor for
// the keyboard. It knows positions, not data: callers hand out rows by position and say how cells look. A row that
// is not there yet has its place already.

import { IconChevronDown, IconChevronUp } from "@tabler/icons-react";
import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type CSSProperties,
  type MouseEvent,
  memo,
  type ReactNode,
  useEffect,
  useMemo,
  useRef,
} from "react";
import { t } from "@/lib/i18n";
import { useFreshRows } from "./fresh-rows";
import { useLatest } from "./latest";
import { useNarrow } from "./narrow";
import classes from "./virtual-table.module.css";

const ROW_HEIGHT = 28;
// two lines of text, and room for a finger
const TALL_ROW_HEIGHT = 46;
// beyond the screen, so that slow scrolling meets rows that are there
const OVERSCAN = 8;
// new rows of a frame while scrolling: a turn of the wheel brings up to eleven, a row takes half a millisecond, with
// layout and painting one and a half
const FRESH_ROWS_MAX = 12;

export interface Column<Row> {
  readonly id: string;
  readonly title: ReactNode;
  /** a CSS grid track: `120px`, `minmax(160px, 2fr)` */
  readonly width: string;
  readonly cell: (row: Row) => ReactNode;
  readonly align?: "left" | "right" | "center";
  readonly sortable?: boolean;
  /** left out on narrow screens */
  readonly wideOnly?: boolean;
  /** the title for screen readers where the shown one is an icon or nothing */
  readonly label?: string;
}

export interface Sort {
  readonly by: string;
  readonly descending: boolean;
}

export interface VirtualTableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly count: number;
  /** undefined for what is still on its way; a row that is the same object is not rendered again */
  readonly getRow: (at: number) => Row | undefined;
  readonly rowKey: (row: Row, at: number) => string;
  readonly sort?: Sort | undefined;
  readonly onSort?: ((sort: Sort) => void) | undefined;
  readonly onRowClick?: ((row: Row, at: number, event: MouseEvent) => void) | undefined;
  /** position that the keyboard stands on; it is kept in view */
  readonly cursor?: number | undefined;
  readonly isPicked?: ((row: Row) => boolean) | undefined;
  readonly isDimmed?: ((row: Row) => boolean) | undefined;
  /** a row that spans all columns, such as a separator; undefined for ordinary rows; another function renders all rows again */
  readonly renderWhole?: ((row: Row) => ReactNode | undefined) | undefined;
  readonly onVisible?: ((first: number, last: number) => void) | undefined;
  readonly empty?: ReactNode;
  /** what the rows are of: another list begins at its top */
  readonly listKey?: string | undefined;
  /** on narrow screens rows have two lines */
  readonly hasTallRows?: boolean;
}

export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const { label, count, rowKey, sort, onSort, cursor, onVisible, empty, listKey } = props;
  const narrow = useNarrow();
  const isTall = narrow && props.hasTallRows === true;
  const columns = useMemo(
    () => (narrow ? props.columns.filter((it) => it.wideOnly !== true) : props.columns),
    [narrow, props.columns],
  );
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isTall ? TALL_ROW_HEIGHT : ROW_HEIGHT),
    overscan: OVERSCAN,
    scrollPaddingStart: ROW_HEIGHT,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height is what was measured before
  useEffect(() => virtualizer.measure(), [isTall, virtualizer]);
  useEffect(() => {
    if (cursor !== undefined && cursor >= 0) virtualizer.scrollToIndex(cursor, { align: "auto" });
  }, [cursor, virtualizer]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another list, whatever it is
  useEffect(() => {
    scroller.current?.scrollTo?.({ top: 0 });
  }, [listKey]);

  const items = virtualizer.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? -1;
  useEffect(() => {
    if (last >= first) onVisible?.(first, last);
  }, [first, last, onVisible]);

  const rows = items.map((item) => {
    const row = props.getRow(item.index);
    return { item, row, key: row === undefined ? undefined : rowKey(row, item.index) };
  });
  const isInView = ({ item }: (typeof rows)[number]) => isWithin(virtualizer.range, item.index);
  // what is looked at comes before what stands ready beyond it
  const wanted = [...rows.filter(isInView), ...rows.filter((it) => !isInView(it))];
  const n = virtualizer.isScrolling
    ? FRESH_ROWS_MAX
    : Math.max(FRESH_ROWS_MAX, inView(virtualizer));
  const made = useFreshRows(
    wanted.flatMap(({ key }) => key ?? []),
    n,
    FRESH_ROWS_MAX,
  );
  const clickRow = useLatest((row: Row, at: number, event: MouseEvent) =>
    props.onRowClick?.(row, at, event),
  );

  const tracks = { "--columns": columns.map(trackOf).join(" ") } as CSSProperties;
  return (
    <div
      ref={scroller}
      className={classes["scroller"]}
      style={tracks}
      data-tall={isTall || undefined}
    >
      <div role="table" aria-label={label} aria-rowcount={count + 1} className={classes["table"]}>
        <TableHeader columns={columns} sort={sort} onSort={onSort} />
        <div
          role="rowgroup"
          className={classes["body"]}
          style={{ height: virtualizer.getTotalSize() }}
        >
          {rows.map(({ item: { index, start }, row, key }) => {
            if (row === undefined || key === undefined || !made.has(key)) {
              return <AwaitedRow key={`awaited ${index}`} at={index} top={start} />;
            }
            return (
              <TableRow
                key={key}
                columns={columns}
                row={row}
                at={index}
                top={start}
                current={index === cursor}
                picked={props.isPicked?.(row) === true}
                dimmed={props.isDimmed?.(row) === true}
                renderWhole={props.renderWhole}
                onClick={props.onRowClick === undefined ? undefined : clickRow}
              />
            );
          })}
        </div>
      </div>
      {count === 0 ? empty : null}
    </div>
  );
}

interface Range {
  readonly startIndex: number;
  readonly endIndex: number;
}

function isWithin(range: Range | null, at: number): boolean {
  return range !== null && at >= range.startIndex && at <= range.endIndex;
}

function inView({ range }: { readonly range: Range | null }): number {
  return range === null ? 0 : range.endIndex - range.startIndex + 1;
}

// of a letter of the header, and next to the title: padding and the sign of the order
const LETTER_PX = 6.6;
const BESIDE_PX = 30;

/** A column of a fixed width is as wide as its title needs: in other languages that may be more. */
function trackOf<Row>({ title, width }: Column<Row>): string {
  if (typeof title !== "string" || !/^\d+px$/.test(width)) return width;
  return `max(${width}, ${Math.ceil(title.length * LETTER_PX) + BESIDE_PX}px)`;
}

interface TableHeaderProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly sort: Sort | undefined;
  readonly onSort: ((sort: Sort) => void) | undefined;
}

function TableHeader<Row>({ columns, sort, onSort }: TableHeaderProps<Row>) {
  return (
    <div role="row" className={classes["header"]}>
      {columns.map((column) => {
        const active = sort?.by === column.id;
        const direction = sort?.descending === true ? "descending" : "ascending";
        return (
          <div
            key={column.id}
            role="columnheader"
            aria-sort={active ? direction : undefined}
            aria-label={column.label}
            className={classes["cell"]}
            data-align={column.align}
          >
            {column.sortable === true && onSort !== undefined ? (
              <button
                type="button"
                className={classes["sort"]}
                title={t("Sort")}
                onClick={() =>
                  onSort({ by: column.id, descending: active ? sort?.descending !== true : false })
                }
              >
                <Title title={column.title} />
                {active ? <SortIcon descending={sort?.descending === true} /> : null}
              </button>
            ) : (
              <Title title={column.title} />
            )}
          </div>
        );
      })}
    </div>
  );
}

/** A title without room loses its end; its tip has all of it. */
function Title({ title }: { readonly title: ReactNode }) {
  if (typeof title !== "string") return title;
  return (
    <span className="ellipsis" title={title}>
      {title}
    </span>
  );
}

function SortIcon({ descending }: { readonly descending: boolean }) {
  return descending ? <IconChevronDown size={12} /> : <IconChevronUp size={12} />;
}

/** The place of a row that is on its way. */
function AwaitedRow({ at, top }: { readonly at: number; readonly top: number }) {
  return (
    <div role="row" aria-rowindex={at + 2} aria-busy className={classes["awaited"]} style={{ top }}>
      <div role="cell" aria-label={t("Loading")} />
    </div>
  );
}

interface TableRowProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly row: Row;
  readonly at: number;
  readonly top: number;
  readonly current: boolean;
  readonly picked: boolean;
  readonly dimmed: boolean;
  readonly renderWhole: ((row: Row) => ReactNode | undefined) | undefined;
  readonly onClick: ((row: Row, at: number, event: MouseEvent) => void) | undefined;
}

function PlainRow<Row>(props: TableRowProps<Row>) {
  const { columns, row, at, top, current, picked, dimmed, renderWhole, onClick } = props;
  const style = { top };
  const whole = renderWhole?.(row);
  if (whole !== undefined) {
    return (
      <div role="row" aria-rowindex={at + 2} className={classes["whole"]} style={style}>
        <div role="cell">{whole}</div>
      </div>
    );
  }
  return (
    <div
      role="row"
      aria-rowindex={at + 2}
      className={classes["row"]}
      style={style}
      data-cursor={current || undefined}
      data-picked={picked || undefined}
      data-dimmed={dimmed || undefined}
      data-clickable={onClick !== undefined || undefined}
      onClick={onClick === undefined ? undefined : (event) => onClick(row, at, event)}
      onAuxClick={(event) => {
        if (event.button === MIDDLE_BUTTON) openInTab(event);
      }}
    >
      {columns.map((column) => (
        <div key={column.id} role="cell" className={classes["cell"]} data-align={column.align}>
          {column.cell(row)}
        </div>
      ))}
    </div>
  );
}

const MIDDLE_BUTTON = 1;

/** What the row's own link leads to, as a middle click on that link would. */
export function openInTab({ currentTarget, target }: MouseEvent): void {
  // links inside of the row act for themselves
  if ((target as HTMLElement).closest("a") !== null) return;
  const link = currentTarget.querySelector<HTMLAnchorElement>("a[data-opens-row]");
  if (link !== null) window.open(link.href, "_blank", "noopener");
}

// while the list scrolls, what is on the screen already is the same
const TableRow = memo(PlainRow) as typeof PlainRow;
