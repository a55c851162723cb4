// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams } from "./get";

/** Minimum, average, maximum and number of values of each hour; hours that have not ended are not returned. */
export interface Trend {
  /** Item. */
  readonly itemid: string;
  /** Start of the hour. */
  readonly clock: string;
  /** Values in it. */
  readonly num: string;
  /** Smallest value. */
  readonly value_min: string;
  /** Average; of unsigned numbers without its decimals. */
  readonly value_avg: string;
  /** Largest value. */
  readonly value_max: string;
}

/** Parameters of `trend.get`. */
export type TrendGet = GetParams<keyof Trend>;

/** What forms and readers of answers have to know of it. */
export const TREND = {
  object: "trend",
  id: "itemid",
  ids: "itemids",
  fields: {
    itemid: { type: "id", readOnly: true },
    clock: { type: "time", readOnly: true },
    num: { type: "int", min: 0, max: 9223372036854775807, readOnly: true },
    value_min: { type: "float", readOnly: true },
    value_avg: { type: "float", readOnly: true },
    value_max: { type: "float", readOnly: true },
  },
} as const;
