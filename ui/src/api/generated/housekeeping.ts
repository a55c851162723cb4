// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { Output } from "./get";

/** What is kept for how long. There is one, of which get answers the fields themselves. */
export interface Housekeeping {
  /** Old events are deleted. Default: 1. */
  readonly hk_events_mode: string;
  /** For how long events of triggers are kept. Default: 365d. */
  readonly hk_events_trigger: string;
  /** For how long events of services are kept. Default: 1d. */
  readonly hk_events_service: string;
  /** For how long internal events are kept. Default: 1d. */
  readonly hk_events_internal: string;
  /** For how long events of network discovery are kept. Default: 1d. */
  readonly hk_events_discovery: string;
  /** For how long events of autoregistration are kept. Default: 1d. */
  readonly hk_events_autoreg: string;
  /** Old changes of the status of services are deleted. Default: 1. */
  readonly hk_services_mode: string;
  /** For how long changes of the status of services are kept. Default: 365d. */
  readonly hk_services: string;
  /** Old records of the audit log are deleted. Default: 1. */
  readonly hk_audit_mode: string;
  /** For how long records of the audit log are kept. Default: 31d. */
  readonly hk_audit: string;
  /** Sessions that were not used for long are deleted. Default: 1. */
  readonly hk_sessions_mode: string;
  /** For how long sessions are kept after their last use. Default: 365d. */
  readonly hk_sessions: string;
  /** Values past their period are removed. Default: 1. */
  readonly hk_history_mode: string;
  /** `hk_history` counts in place of items' own periods. Default: 0. */
  readonly hk_history_global: string;
  /** For how long values are kept; 0: not at all. Default: 31d. */
  readonly hk_history: string;
  /** Trends past their period are removed. Default: 1. */
  readonly hk_trends_mode: string;
  /** `hk_trends` counts in place of items' own periods. Default: 0. */
  readonly hk_trends_global: string;
  /** For how long trends are kept; 0: not at all. Default: 365d. */
  readonly hk_trends: string;
  /** Always empty: stores of history compress by themselves. */
  readonly db_extension: string;
  /** Kept; stores of history compress by themselves. Default: 0. */
  readonly compression_status: string;
  /** Kept; stores of history compress by themselves. Default: 7d. */
  readonly compress_older: string;
  /** Always 0. */
  readonly compression_availability: string;
}

/** Parameters of `housekeeping.get`. */
export interface HousekeepingGet {
  readonly output?: Output<keyof Housekeeping> | undefined;
}

/** Parameters of `housekeeping.update`: omitted fields keep their values. */
export interface HousekeepingUpdate {
  /** Old events are deleted. Default: 1. */
  readonly hk_events_mode?: string | number | undefined;
  /** For how long events of triggers are kept. Default: 365d. */
  readonly hk_events_trigger?: string | undefined;
  /** For how long events of services are kept. Default: 1d. */
  readonly hk_events_service?: string | undefined;
  /** For how long internal events are kept. Default: 1d. */
  readonly hk_events_internal?: string | undefined;
  /** For how long events of network discovery are kept. Default: 1d. */
  readonly hk_events_discovery?: string | undefined;
  /** For how long events of autoregistration are kept. Default: 1d. */
  readonly hk_events_autoreg?: string | undefined;
  /** Old changes of the status of services are deleted. Default: 1. */
  readonly hk_services_mode?: string | number | undefined;
  /** For how long changes of the status of services are kept. Default: 365d. */
  readonly hk_services?: string | undefined;
  /** Old records of the audit log are deleted. Default: 1. */
  readonly hk_audit_mode?: string | number | undefined;
  /** For how long records of the audit log are kept. Default: 31d. */
  readonly hk_audit?: string | undefined;
  /** Sessions that were not used for long are deleted. Default: 1. */
  readonly hk_sessions_mode?: string | number | undefined;
  /** For how long sessions are kept after their last use. Default: 365d. */
  readonly hk_sessions?: string | undefined;
  /** Values past their period are removed. Default: 1. */
  readonly hk_history_mode?: string | number | undefined;
  /** `hk_history` counts in place of items' own periods. Default: 0. */
  readonly hk_history_global?: string | number | undefined;
  /** For how long values are kept; 0: not at all. Default: 31d. */
  readonly hk_history?: string | undefined;
  /** Trends past their period are removed. Default: 1. */
  readonly hk_trends_mode?: string | number | undefined;
  /** `hk_trends` counts in place of items' own periods. Default: 0. */
  readonly hk_trends_global?: string | number | undefined;
  /** For how long trends are kept; 0: not at all. Default: 365d. */
  readonly hk_trends?: string | undefined;
  /** Kept; stores of history compress by themselves. Default: 0. */
  readonly compression_status?: string | number | undefined;
  /** Kept; stores of history compress by themselves. Default: 7d. */
  readonly compress_older?: string | undefined;
}

/** What forms and readers of answers have to know of it. */
export const HOUSEKEEPING = {
  object: "housekeeping",
  fields: {
    hk_events_mode: { type: "code", codes: ["0", "1"], default: "1" },
    hk_events_trigger: {
      type: "text",
      max: 32,
      default: "365d",
      form: "period",
      within: [86400, 788400000],
    },
    hk_events_service: {
      type: "text",
      max: 32,
      default: "1d",
      form: "period",
      within: [86400, 788400000],
    },
    hk_events_internal: {
      type: "text",
      max: 32,
      default: "1d",
      form: "period",
      within: [86400, 788400000],
    },
    hk_events_discovery: {
      type: "text",
      max: 32,
      default: "1d",
      form: "period",
      within: [86400, 788400000],
    },
    hk_events_autoreg: {
      type: "text",
      max: 32,
      default: "1d",
      form: "period",
      within: [86400, 788400000],
    },
    hk_services_mode: { type: "code", codes: ["0", "1"], default: "1" },
    hk_services: {
      type: "text",
      max: 32,
      default: "365d",
      form: "period",
      within: [86400, 788400000],
    },
    hk_audit_mode: { type: "code", codes: ["0", "1"], default: "1" },
    hk_audit: {
      type: "text",
      max: 32,
      default: "31d",
      form: "period",
      within: [86400, 788400000],
    },
    hk_sessions_mode: { type: "code", codes: ["0", "1"], default: "1" },
    hk_sessions: {
      type: "text",
      max: 32,
      default: "365d",
      form: "period",
      within: [86400, 788400000],
    },
    hk_history_mode: { type: "code", codes: ["0", "1"], default: "1" },
    hk_history_global: { type: "code", codes: ["0", "1"], default: "0" },
    hk_history: {
      type: "text",
      max: 32,
      default: "31d",
      form: "period-or-0",
      within: [3600, 788400000],
    },
    hk_trends_mode: { type: "code", codes: ["0", "1"], default: "1" },
    hk_trends_global: { type: "code", codes: ["0", "1"], default: "0" },
    hk_trends: {
      type: "text",
      max: 32,
      default: "365d",
      form: "period-or-0",
      within: [86400, 788400000],
    },
    db_extension: { type: "text", max: 32, readOnly: true },
    compression_status: { type: "code", codes: ["0", "1"], default: "0" },
    compress_older: {
      type: "text",
      max: 32,
      default: "7d",
      form: "period",
      within: [604800, 788400000],
    },
    compression_availability: { type: "code", codes: ["0", "1"], readOnly: true },
  },
} as const;
