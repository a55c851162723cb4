// What widgets ask for: only while they are on the screen, and all widgets of one refresh rate in the same
// moment, so that what they ask for comes in few answers.

import { keepPreviousData, type UseQueryResult, useQuery } from "@tanstack/react-query";
import { keys } from "@/api/query-keys";
import { fetchSharedSeries } from "@/api/shared-series";
import type { Id, Series } from "@/api/types";
import {
  type BoardItem,
  type BoardProblem,
  fetchBoardItems,
  fetchBoardProblems,
  type ProblemsQuery,
} from "@/api/widgets";
import { nowSeconds, type ResolvedRange, resolveRange, type TimeRange } from "@/lib/time";
import { useFrame } from "./context";

/** Milliseconds to the next beat of a rate: multiples of it since the epoch, the same for all widgets. */
export function untilBeat(seconds: number, nowMs: number): number {
  const beat = seconds * 1000;
  const rest = beat - (nowMs % beat);
  // what was just asked for is not asked for again at once
  return rest < beat / 4 ? rest + beat : rest;
}

/** `params` distinguish one query from another. */
export function useWidgetQuery<T>(
  what: string,
  params: unknown,
  load: (signal: AbortSignal) => Promise<T>,
  enabled = true,
): UseQueryResult<T> {
  const { isSeen, isVisible, refresh } = useFrame();
  return useQuery({
    queryKey: keys.widget(what, params),
    queryFn: ({ signal }) => load(signal),
    enabled: enabled && isSeen,
    refetchInterval: isVisible && refresh > 0 ? () => untilBeat(refresh, Date.now()) : false,
    // another widget, or the same one after an edit, may show it at once
    staleTime: 5000,
    placeholderData: keepPreviousData,
  });
}

/** Items by id, or those of a host with their keys. */
export function useItems(
  itemids: readonly Id[],
  hostid: Id | undefined,
): UseQueryResult<readonly BoardItem[]> {
  return useWidgetQuery("items", [itemids, hostid], () => fetchBoardItems(itemids, hostid));
}

export function useProblems(query: ProblemsQuery): UseQueryResult<readonly BoardProblem[]> {
  return useWidgetQuery("problems", query, (signal) => fetchBoardProblems(query, signal));
}

// moments of charts that belong together are the same
const MOMENT_S = 5;

/** "now" as charts take it. */
export function moment(): number {
  return Math.ceil(nowSeconds() / MOMENT_S) * MOMENT_S;
}

export interface BoardSeries extends ResolvedRange {
  readonly series: readonly Series[];
}

export function useBoardSeries(
  itemids: readonly Id[],
  range: TimeRange,
  buckets: number,
  source = 0,
): UseQueryResult<BoardSeries> {
  return useWidgetQuery("series", [itemids, range, buckets, source], async () => {
    const resolved = resolveRange(range, moment());
    const { from, to } = resolved;
    const shared = { from: Math.floor(from), to: Math.ceil(to), buckets, source };
    return {
      ...resolved,
      series: itemids.length === 0 ? [] : await fetchSharedSeries(itemids, shared),
    };
  });
}
