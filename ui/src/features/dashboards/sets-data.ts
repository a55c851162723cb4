// The items of data sets: by id, by patterns, or as picked in other widgets.

import type { UseQueryResult } from "@tanstack/react-query";
import { type BoardItem, fetchBoardHosts, fetchBoardItems, searchBoardItems } from "@/api/widgets";
import { isNumeric } from "@/lib/item-types";
import { useBoard, useHostOf } from "./context";
import { useWidgetQuery } from "./data";
import type { DataSet } from "./datasets";
import type { Fields } from "./fields";

// of one set, as Zabbix has it
const ITEMS_MAX = 50;
const HOSTS_MAX = 100;

export interface SetItems {
  readonly set: DataSet;
  readonly items: readonly BoardItem[];
  /** what it lacks to have any */
  readonly missing: Missing | undefined;
}

export type Missing = "hosts" | "items";

/** What a set does not say that it has to; `hasHost`: the dashboard says whose items are meant. */
export function missingOf(set: DataSet, picks: boolean, hasHost: boolean): Missing | undefined {
  if (!set.byPattern) {
    const isEmpty = set.itemids.length === 0 && set.sources.length === 0 && !picks;
    return isEmpty ? "items" : undefined;
  }
  if (!hasHost && set.hosts.length === 0) return "hosts";
  return set.items.length === 0 ? "items" : undefined;
}

async function itemsOf(
  set: DataSet,
  picked: readonly string[],
  hostid: string | undefined,
  signal: AbortSignal,
): Promise<readonly BoardItem[]> {
  if (!set.byPattern) return fetchBoardItems([...set.itemids, ...picked], hostid);
  if (set.items.length === 0) return [];
  let hostids = hostid === undefined ? undefined : [hostid];
  if (hostids === undefined) {
    // without a host a set shows nothing, as a pattern over all hosts is not meant
    if (set.hosts.length === 0) return [];
    const hosts = await fetchBoardHosts({ patterns: set.hosts, limit: HOSTS_MAX }, signal);
    if (hosts.length === 0) return [];
    hostids = hosts.map((it) => it.hostid);
  }
  return searchBoardItems({ hostids, patterns: set.items, limit: ITEMS_MAX }, signal);
}

/** Numeric items of all sets. */
export function useSetItems(
  fields: Fields,
  sets: readonly DataSet[],
): UseQueryResult<readonly SetItems[]> {
  const hostid = useHostOf(fields);
  const { signals } = useBoard();
  const picked = sets.map((set) => set.sources.flatMap((it) => signals[it]?.["itemid"] ?? []));
  const params = [sets.map((it) => it.fields.all), picked, hostid];
  return useWidgetQuery("sets", params, (signal) =>
    Promise.all(
      sets.map(async (set, at) => {
        const items = await itemsOf(set, picked[at] ?? [], hostid, signal);
        const numeric = items.filter((it) => isNumeric(it.valueType));
        const picks = (picked[at] ?? []).length > 0;
        return { set, items: numeric, missing: missingOf(set, picks, hostid !== undefined) };
      }),
    ),
  );
}
