// Series of several charts that show the same time are asked for together.

import { Batcher } from "./batch";
import { fetchSeries } from "./native";
import type { Id, Series } from "./types";

// what one request takes
const ITEMS_MAX = 200;
// charts of one page ask within it; their moments differ by less
const KEPT_MS = 1000;

const gathering = new Map<string, Batcher<Series>>();

export interface SharedRange {
  readonly from: number;
  readonly to: number;
  readonly buckets: number;
  /** 0 as the server finds best, 1 stored values, 2 trends */
  readonly source: number;
}

export function fetchSharedSeries(
  itemids: readonly Id[],
  range: SharedRange,
): Promise<readonly Series[]> {
  const key = `${range.from} ${range.to} ${range.buckets} ${range.source}`;
  let batcher = gathering.get(key);
  if (batcher === undefined) {
    batcher = new Batcher<Series>(async (ids) => {
      const found = await fetchSeries({ itemids: ids, ...range });
      return new Map(found.map((it) => [it.itemid, it]));
    }, ITEMS_MAX);
    gathering.set(key, batcher);
    setTimeout(() => gathering.delete(key), KEPT_MS);
  }
  return batcher.all(itemids);
}
