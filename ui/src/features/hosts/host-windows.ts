// The rows of the list that are in view: the server is asked for windows of as many rows as the user's
// profile says, those that are looked at
// and no others, also when they are refreshed. What was there stays while something else is on its way.

import { type UseQueryResult, useQueries } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { fetchHostWindow, type HostOrder, type HostQuery, type HostWindow } from "@/api/hosts";
import { keys } from "@/api/query-keys";
import type { HostRow } from "@/api/types";
import { useKeptErrors } from "@/ui/kept-errors";
import { useRowsPerPage } from "@/widgets/role";
import { useAvailabilityUpdates } from "./queries";

// of the setting up to 999,999: with fewer the server is asked too often, with more it sends rows that are not shown
const ROWS_MIN = 25;
const ROWS_MAX = 500;
// changes come with the stream; this is for what was missed
const REFRESH_MS = 30_000;
// dragging the scroll bar passes thousands of rows
const SETTLE_MS = 60;
// windows that are no longer shown
const KEPT_MS = 60_000;

interface Range {
  readonly list: string;
  readonly first: number;
  readonly last: number;
}

export interface HostList {
  /** undefined until the first answer */
  readonly total: number | undefined;
  readonly rowAt: (at: number) => HostRow | undefined;
  /** of the rows in view */
  readonly error: unknown;
  readonly retry: () => void;
  /** what is shown is of the list before; this one is on its way */
  readonly stale: boolean;
  readonly onVisible: (first: number, last: number) => void;
  /** names query and order */
  readonly listKey: string;
}

interface Shown {
  readonly total: number;
  readonly windows: ReadonlyMap<number, readonly HostRow[]>;
}

/** How many rows a window has, of the setting `rows_per_page`. */
export function windowRows(setting: number): number {
  return Math.min(Math.max(setting, ROWS_MIN), ROWS_MAX);
}

/** Positions of the windows of so many rows that hold the rows from `first` to `last`. */
export function windowsOf(rows: number, first: number, last: number): number[] {
  const from = Math.floor(first / rows);
  const n = Math.floor(Math.max(first, last) / rows) - from + 1;
  return Array.from({ length: n }, (_, at) => from + at);
}

/** What the answers show; undefined until there is one. The newest knows how many rows there are. */
export function shownOf(
  positions: readonly number[],
  answers: readonly { readonly data: HostWindow | undefined; readonly dataUpdatedAt: number }[],
): Shown | undefined {
  let newest = -1;
  let total: number | undefined;
  const windows = new Map<number, readonly HostRow[]>();
  for (const [at, { data, dataUpdatedAt }] of answers.entries()) {
    if (data === undefined) continue;
    windows.set(positions[at] ?? 0, data.hosts);
    if (dataUpdatedAt > newest) {
      newest = dataUpdatedAt;
      total = data.total;
    }
  }
  return total === undefined ? undefined : { total, windows };
}

export function useHostList(query: HostQuery, order: HostOrder): HostList {
  const listKey = JSON.stringify([query, order]);
  const [range, setRange] = useState<Range>({ list: listKey, first: 0, last: 0 });
  // another list begins at its top
  const { first, last } = range.list === listKey ? range : { first: 0, last: 0 };
  const rows = windowRows(useRowsPerPage());
  const positions = windowsOf(rows, first, last);
  const results = useQueries({
    queries: positions.map((at) => ({
      queryKey: keys.hostWindow(query, order, rows, at),
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        fetchHostWindow(query, order, { offset: at * rows, limit: rows }, signal),
      refetchInterval: REFRESH_MS,
      gcTime: KEPT_MS,
    })),
  });
  const shown = shownOf(positions, results);
  const held = useRef<{ readonly list: string; readonly shown: Shown } | undefined>(undefined);
  useEffect(() => {
    if (shown !== undefined) held.current = { list: listKey, shown };
  });
  const view = shown ?? held.current?.shown;
  const errors = useKeptErrors(results);
  const failed = errors.find((_, at) => results[at]?.data === undefined);

  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const onVisible = useCallback(
    (from: number, to: number) => {
      clearTimeout(timer.current);
      timer.current = setTimeout(
        () => setRange({ list: listKey, first: from, last: to }),
        SETTLE_MS,
      );
    },
    [listKey],
  );
  useAvailabilityUpdates();
  return {
    total: view?.total,
    rowAt: (at) => view?.windows.get(Math.floor(at / rows))?.[at % rows],
    error: failed,
    retry: () => retryAll(results),
    stale: shown === undefined && held.current !== undefined && held.current.list !== listKey,
    onVisible,
    listKey,
  };
}

function retryAll(results: readonly UseQueryResult<HostWindow>[]): void {
  for (const { isError, refetch } of results) {
    if (isError) void refetch();
  }
}
