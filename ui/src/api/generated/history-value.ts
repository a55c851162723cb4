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

/** What forms and readers of answers have to know of it. */
export const HISTORY_VALUE = {
  object: "history",
  id: "itemid",
  ids: "itemids",
  fields: {
    itemid: { type: "id", readOnly: true },
    clock: { type: "time", readOnly: true },
    timestamp: { type: "time", readOnly: true },
    source: { type: "text", max: 65535, readOnly: true },
    severity: { type: "int", min: 0, max: 255, readOnly: true },
    value: { type: "text", max: 65535, readOnly: true },
    logeventid: { type: "id", readOnly: true },
    ns: { type: "int", min: 0, max: 999999999, readOnly: true },
  },
} as const;
