// The page of a list of objects: search, number of rows, the table with what is picked in it, and the way to a new one.

import { Button } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { RowData } from "@tanstack/react-table";
import { type ReactNode, useMemo, useState } from "react";
import { type MethodName, type StoredObject, savedBy } from "@/api/rights";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { type Matcher, wordMatcher } from "@/lib/words";
import { type DataColumn, DataTable } from "@/ui/data-table";
import { NewButton } from "@/ui/new-button";
import { Page } from "@/ui/page";
import { May, useLock } from "@/ui/rights";
import { SearchBox } from "@/ui/search-box";
import { EmptyState, QueryGate } from "@/ui/states";
import type { Sort } from "@/ui/virtual-table";
import type { ObjectWords } from "./calls";

export interface ListSearch {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly placeholder: string;
}

/** The list as its actions see it. */
export interface ListRows<Row> {
  readonly rows: readonly Row[];
  readonly picked: ReadonlySet<Id>;
  readonly clear: () => void;
}

export interface ObjectListProps<T, Row extends RowData> {
  /** the heading of the page, and the label of its table */
  readonly title: string;
  /** next to the heading: the number of rows */
  readonly note: (rows: readonly Row[]) => ReactNode;
  readonly query: UseQueryResult<readonly T[]>;
  /** the rows of the objects that the search finds; a constant where they are many */
  readonly select: (all: readonly T[], finds: Matcher) => readonly Row[];
  readonly columns: readonly DataColumn<Row>[];
  readonly rowKey: (row: Row) => Id;
  readonly onOpen?: (row: Row) => void;
  readonly isDimmed?: (row: Row) => boolean;
  readonly initialSort?: Sort;
  readonly search?: ListSearch;
  /** next to the search */
  readonly filters?: ReactNode;
  /** rows can be picked: always, or by users who may call the method */
  readonly picks?: MethodName | "always";
  readonly actions?: (list: ListRows<Row>) => ReactNode;
  /** of new objects */
  readonly calls?: { readonly object: StoredObject; readonly words: Pick<ObjectWords, "create"> };
  readonly onNew?: () => void;
  /** without any object; lists that always have one leave it out */
  readonly none?: string;
  /** under it: the use of such objects, or the way to the first one */
  readonly first?: ReactNode;
  /** while the search and the filters find nothing */
  readonly noMatch?: string | undefined;
  /** something around the table */
  readonly around?: (table: ReactNode, rows: readonly Row[]) => ReactNode;
}

export function ObjectList<T, Row extends RowData>(props: ObjectListProps<T, Row>) {
  const { query, select, search, filters, actions, around = (table) => table } = props;
  const [picked, setPicked] = useState<ReadonlySet<Id>>(new Set());
  const mayPick = useMayPick(props.picks);
  const text = search?.text ?? "";
  const rows = useMemo(
    () => select(query.data ?? [], wordMatcher(text)),
    [query.data, text, select],
  );
  const hasFilters = search !== undefined || filters !== undefined;
  return (
    <Page
      title={props.title}
      note={props.note(rows)}
      actions={
        <>
          {actions?.({ rows, picked, clear: () => setPicked(new Set()) })}
          <New {...props} />
        </>
      }
      filters={
        hasFilters ? (
          <>
            {search === undefined ? null : (
              <SearchBox
                value={search.text}
                onChange={search.onText}
                placeholder={search.placeholder}
                width={SEARCH_PX}
              />
            )}
            {filters}
          </>
        ) : undefined
      }
    >
      <QueryGate query={query}>
        {(all) =>
          around(
            <DataTable
              label={props.title}
              rows={rows}
              columns={props.columns}
              rowKey={props.rowKey}
              picking={mayPick ? { picked, onChange: setPicked } : undefined}
              {...optional(props)}
              empty={<Empty isWhole={all.length === 0} {...props} />}
            />,
            rows,
          )
        }
      </QueryGate>
    </Page>
  );
}

const SEARCH_PX = 280;

function useMayPick(picks: MethodName | "always" | undefined): boolean {
  const lock = useLock(...(picks === undefined || picks === "always" ? [] : [picks]));
  return picks === "always" || (picks !== undefined && lock === undefined);
}

type Optional<Row extends RowData> = Pick<
  ObjectListProps<unknown, Row>,
  "onOpen" | "isDimmed" | "initialSort"
>;

/** Properties that the table must not have as undefined. */
function optional<Row extends RowData>(props: Optional<Row>): Optional<Row> {
  const { onOpen, isDimmed, initialSort } = props;
  return {
    ...(onOpen && { onOpen }),
    ...(isDimmed && { isDimmed }),
    ...(initialSort && { initialSort }),
  };
}

type NewProps = Pick<ObjectListProps<unknown, RowData>, "calls" | "onNew">;

function New({ calls, onNew }: NewProps) {
  if (calls === undefined || onNew === undefined) return null;
  return (
    <NewButton call={savedBy(calls.object, true)} onClick={onNew}>
      {calls.words.create}
    </NewButton>
  );
}

type EmptyTexts = Pick<ObjectListProps<unknown, RowData>, "none" | "first" | "noMatch">;

interface EmptyProps extends NewProps, EmptyTexts {
  /** there is nothing that the filter could have found */
  readonly isWhole: boolean;
}

function Empty(props: EmptyProps) {
  const { isWhole, none, first, noMatch = t("Nothing matches."), calls, onNew } = props;
  if (!isWhole || none === undefined) return <EmptyState title={noMatch} />;
  if (first !== undefined || calls === undefined || onNew === undefined) {
    return <EmptyState title={none}>{first}</EmptyState>;
  }
  return (
    <EmptyState title={none}>
      <May call={savedBy(calls.object, true)}>
        <Button variant="default" onClick={onNew}>
          {t("Create the first one")}
        </Button>
      </May>
    </EmptyState>
  );
}
