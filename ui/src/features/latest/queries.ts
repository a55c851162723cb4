import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { changed } from "@/api/changes";
import { fetchValues } from "@/api/history";
import { executeNow, fetchHistory, fetchValuedItems } from "@/api/items";
import { latestStore, useLiveItems } from "@/api/latest-store";
import { fetchLatest, type LatestQuery } from "@/api/native";
import { keys } from "@/api/query-keys";
import type { Id, ValuedItem } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import { nowSeconds, resolveRange, type TimeRange } from "@/lib/time";
import { notifyDone, notifyFailed } from "@/ui/notify";

// the stream carries values; errors and names of mapped values come with this
const REFRESH_MS = 30_000;
const TEXT_VALUES_SHOWN = 50;
const CATCH_UP_MS = 1000;
const VALUES_MS = 10_000;

export function useLatestRows(query: LatestQuery) {
  const client = useQueryClient();
  const result = useQuery({
    queryKey: keys.latest(query),
    queryFn: async ({ signal }) => {
      const rows = await fetchLatest(query, signal);
      latestStore.load(rows);
      return rows;
    },
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  const itemids = result.data?.map((row) => row.itemid) ?? [];
  useLiveItems(itemids);
  const watched = itemids.join(",");
  useEffect(() => {
    if (watched === "") return undefined;
    // values that came after the snapshot and before the stream knew of these items
    const timer = setTimeout(() => void changed(client, "values"), CATCH_UP_MS);
    return () => clearTimeout(timer);
  }, [watched, client]);
  useEffect(() => latestStore.onStateChange(() => void changed(client, "values")), [client]);
  return result;
}

export function useExecuteNow() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (itemids: readonly Id[]) => executeNow(itemids),
    onSuccess: (_, itemids) => {
      notifyDone(plural(itemids.length, "1 check requested", "{n} checks requested"));
      void changed(client, "values");
    },
    onError: (error) => notifyFailed(t("The check could not be requested."), error),
  });
}

/** Items by their ids, for graphs and tables of what was picked. */
export function usePickedItems(itemids: readonly Id[]) {
  return useQuery({
    queryKey: keys.picked(itemids),
    queryFn: ({ signal }) => fetchValuedItems({ itemids }, signal),
    placeholderData: keepPreviousData,
  });
}

// as many as one table sorts and searches at once
export const VALUES_MAX = 10_000;

/** The newest values of the items within the range. */
export function useValues(items: readonly ValuedItem[], range: TimeRange, text: string) {
  const { live } = resolveRange(range, nowSeconds());
  return useQuery({
    queryKey: keys.values(
      items.map((it) => it.itemid),
      range.from,
      range.to,
      text,
    ),
    queryFn: ({ signal }) => {
      const { from, to } = resolveRange(range, nowSeconds());
      return fetchValues({ items, from, to, text, limit: VALUES_MAX }, signal);
    },
    enabled: items.length > 0,
    refetchInterval: live ? VALUES_MS : false,
    placeholderData: keepPreviousData,
  });
}

export function useTextHistory(itemid: Id, valueType: number) {
  return useQuery({
    queryKey: keys.history(itemid),
    queryFn: ({ signal }) => fetchHistory(itemid, valueType, TEXT_VALUES_SHOWN, signal),
    refetchInterval: 10_000,
  });
}
