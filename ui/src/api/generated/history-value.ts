// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams } from "./get";

/** Values as they were collected. */
export interface HistoryValue {
  /** Item. */
  readonly itemid: string;
  /** When it was collected. */
  readonly clock: string;
  /** Of logs: time of the log entry. */
  readonly timestamp: string;
  /** Of logs. */
  readonly source: string;
  /** Of logs. */
  readonly severity: string;
  /** The value. */
  readonly value: string;
  /** Of logs. */
  readonly logeventid: string;
  /** … nanoseconds. */
  readonly ns: string;
}

/** Parameters of `history.get`. */
export type HistoryValueGet = GetParams<keyof HistoryValue>;
