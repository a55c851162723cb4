// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams, Output } from "./get";

/** How available services have to be. */
export interface Sla {
  /** Id. */
  readonly slaid: string;
  /** Name. */
  readonly name: string;
  /** Of reports: 0 daily, 1 weekly, 2 monthly, 3 quarterly, 4 annually. */
  readonly period: string;
  /** Service level objective in percent, with at most four digits behind the point. */
  readonly slo: string;
  /** From when on it counts. */
  readonly effective_date: string;
  /** Time zone of periods and schedule, or system. */
  readonly timezone: string;
  /** 0 disabled, 1 enabled. Default: 0. */
  readonly status: string;
  /** Description. */
  readonly description: string;
}

/** The properties of `select…` parameters. */
export interface SlaSelects {
  /** `selectSchedule`; its number, as a text, with "count". */
  readonly schedule: readonly {
    /** Seconds since the beginning of Sunday. */
    readonly period_from: string;
    /** Seconds since the beginning of Sunday, not included. */
    readonly period_to: string;
  }[] | string;
  /** `selectExcludedDowntimes`; its number, as a text, with "count". */
  readonly excluded_downtimes: readonly {
    /** Name. */
    readonly name: string;
    /** When it begins. */
    readonly period_from: string;
    /** When it ends, not included. */
    readonly period_to: string;
  }[] | string;
  /** `selectServiceTags`; its number, as a text, with "count". */
  readonly service_tags: readonly {
    /** Name of the tag. */
    readonly tag: string;
    /** 0 equals, 2 contains. Default: 0. */
    readonly operator: string;
    /** Value of the tag, or a part of it. */
    readonly value: string;
  }[] | string;
}

/** Parameters of `sla.get`. */
export interface SlaGet extends GetParams<keyof Sla> {
  readonly selectSchedule?: Output<string> | "count" | undefined;
  readonly selectExcludedDowntimes?: Output<string> | "count" | undefined;
  readonly selectServiceTags?: Output<string> | "count" | undefined;
}

/** Parameters of `sla.create`. */
export interface SlaCreate {
  /** Name. */
  readonly name: string;
  /** Of reports: 0 daily, 1 weekly, 2 monthly, 3 quarterly, 4 annually. */
  readonly period: string | number;
  /** Service level objective in percent, with at most four digits behind the point. */
  readonly slo: string | number;
  /** From when on it counts. */
  readonly effective_date: string | number;
  /** Time zone of periods and schedule, or system. */
  readonly timezone: string;
  /** 0 disabled, 1 enabled. Default: 0. */
  readonly status?: string | number | undefined;
  /** Description. */
  readonly description?: string | undefined;
  /** Services that fulfil one of these are in it. */
  readonly service_tags: readonly {
    /** Name of the tag. */
    readonly tag: string;
    /** 0 equals, 2 contains. Default: 0. */
    readonly operator?: string | number | undefined;
    /** Value of the tag, or a part of it. */
    readonly value?: string | undefined;
  }[];
  /** When services have to be there; without any, always. */
  readonly schedule?: readonly {
    /** Seconds since the beginning of Sunday. */
    readonly period_from: string | number;
    /** Seconds since the beginning of Sunday, not included. */
    readonly period_to: string | number;
  }[] | undefined;
  /** Times that do not count. */
  readonly excluded_downtimes?: readonly {
    /** Name. */
    readonly name: string;
    /** When it begins. */
    readonly period_from: string | number;
    /** When it ends, not included. */
    readonly period_to: string | number;
  }[] | undefined;
}

/** Parameters of `sla.update`: omitted fields keep their values. */
export type SlaUpdate = Partial<SlaCreate> & { readonly slaid: string };

/** What forms and readers of answers have to know of it. */
export const SLA = {
  object: "sla",
  id: "slaid",
  ids: "slaids",
  fields: {
    slaid: { type: "id", readOnly: true },
    name: { type: "text", max: 255, required: true },
    period: {
      type: "code",
      codes: ["0", "1", "2", "3", "4"],
      required: true,
      names: { DAILY: "0", WEEKLY: "1", MONTHLY: "2", QUARTERLY: "3", ANNUALLY: "4" },
    },
    slo: { type: "float", required: true, form: "percent" },
    effective_date: { type: "int", min: 0, max: 2147483647, required: true },
    timezone: { type: "text", max: 50, required: true, form: "time-zone" },
    status: {
      type: "code",
      codes: ["0", "1"],
      default: "0",
      names: { DISABLED: "0", ENABLED: "1" },
    },
    description: { type: "text", max: 65535 },
    service_tags: {
      type: "list",
      fields: {
        tag: { type: "text", max: 255, required: true },
        operator: {
          type: "code",
          codes: ["0", "2"],
          default: "0",
          names: { EQUALS: "0", CONTAINS: "2" },
        },
        value: { type: "text", max: 255 },
      },
      notAnswered: true,
      required: true,
    },
    schedule: {
      type: "list",
      fields: {
        period_from: { type: "int", min: 0, max: 604800, required: true },
        period_to: { type: "int", min: 0, max: 604800, required: true },
      },
      notAnswered: true,
    },
    excluded_downtimes: {
      type: "list",
      fields: {
        name: { type: "text", max: 255, required: true },
        period_from: { type: "int", min: 0, max: 2147483647, required: true },
        period_to: { type: "int", min: 0, max: 2147483647, required: true },
      },
      notAnswered: true,
    },
  },
  selects: {
    schedule: { param: "selectSchedule" },
    excluded_downtimes: { param: "selectExcludedDowntimes" },
    service_tags: { param: "selectServiceTags" },
  },
} as const;
