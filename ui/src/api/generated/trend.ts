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
