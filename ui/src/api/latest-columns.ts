// Rows of latest data from the columnar answer, and live values laid over them.

import {
  ColumnError,
  isRecord,
  numbers,
  rowCount,
  strings,
  type TagPair,
  tagLists,
} from "@/lib/columns";
import { isNumeric } from "@/lib/item-types";
import type { Id } from "./types";

export interface LatestRow {
  readonly itemid: Id;
  readonly hostid: Id;
  readonly host: string;
  readonly name: string;
  readonly key: string;
  readonly units: string;
  readonly valueType: number;
  readonly interval: string;
  readonly tags: readonly TagPair[];
  readonly live: LiveValue;
}

export interface LiveValue {
  /** seconds; 0 when nothing was received yet */
  readonly clock: number;
  readonly value: string;
  readonly previous: string;
  /** 0 supported, 1 not supported */
  readonly state: number;
  readonly error: string;
  /** the value's name in the item's value map */
  readonly text: string;
}

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: defaults for absent fields, no branches
export function decodeLatest(answer: unknown): LatestRow[] {
  const columns = isRecord(answer) ? answer["items"] : undefined;
  if (!isRecord(columns)) throw new ColumnError("latest data has no items");
  const n = rowCount(columns, "itemid");
  const itemid = strings(columns, "itemid", n);
  const hostid = strings(columns, "hostid", n);
  const host = strings(columns, "host", n);
  const name = strings(columns, "name", n);
  const key = strings(columns, "key", n);
  const units = strings(columns, "units", n);
  const valueType = numbers(columns, "value_type", n);
  const interval = strings(columns, "interval", n);
  const clock = numbers(columns, "lastclock", n);
  const value = strings(columns, "lastvalue", n);
  const previous = strings(columns, "prevvalue", n);
  const state = numbers(columns, "state", n);
  const error = strings(columns, "error", n);
  const mapped = strings(columns, "text", n);
  const tags = tagLists(columns, "tags", n);
  const rows: LatestRow[] = [];
  for (let at = 0; at < n; at += 1) {
    rows.push({
      itemid: itemid[at] ?? "",
      hostid: hostid[at] ?? "",
      host: host[at] ?? "",
      name: name[at] ?? "",
      key: key[at] ?? "",
      units: units[at] ?? "",
      valueType: valueType[at] ?? 0,
      interval: interval[at] ?? "",
      tags: tags[at] ?? [],
      live: {
        clock: clock[at] ?? 0,
        value: value[at] ?? "",
        previous: previous[at] ?? "",
        state: state[at] ?? 0,
        error: error[at] ?? "",
        text: mapped[at] ?? "",
      },
    });
  }
  return rows;
}

/** One entry of the stream's `latest` message: [itemid, clock, value, previous, state]. */
export function decodeLiveValue(entry: unknown): [Id, LiveValue] | undefined {
  if (!Array.isArray(entry) || entry.length < 3) return undefined;
  const [itemid, clock, value, previous, state, error, text] = entry as unknown[];
  const words = (it: unknown) => (it === undefined || it === null ? "" : String(it));
  return [
    words(itemid),
    {
      clock: Number(clock),
      value: words(value),
      previous: words(previous),
      state: Number(state ?? 0),
      error: words(error),
      text: words(text),
    },
  ];
}

/** Difference to the previous value, undefined where there is none to show. */
export function valueChange(live: LiveValue, valueType: number): number | undefined {
  if (!isNumeric(valueType) || live.previous === "" || live.value === "") return undefined;
  const change = Number(live.value) - Number(live.previous);
  return Number.isFinite(change) && change !== 0 ? change : undefined;
}
