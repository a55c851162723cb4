// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams, Output } from "./get";

/** Who is on call: rotations of users, and overrides (Zabbix has no such object). */
export interface OncallSchedule {
  /** Id. */
  readonly oncallid: string;
  /** Name. */
  readonly name: string;
  /** Time zone of hand-overs and times of the week, or system. Default: system. */
  readonly timezone: string;
  /** Description. */
  readonly description: string;
}

/** The properties of `select…` parameters. */
export interface OncallScheduleSelects {
  /** `selectRotations`; its number, as a text, with "count". */
  readonly rotations: readonly {
    /** Name. */
    readonly name: string;
    /** From when on there are shifts: the one in which it lies is the first user's. */
    readonly start: string;
    /** How long a shift is, in units. Default: 1. */
    readonly length: string;
    /** Of length: 0 hours, 1 days, 2 weeks. Default: 2. */
    readonly unit: string;
    /** When one hands over to the next, by the clock on the wall; shifts of hours are counted from it. Default: 09:00. */
    readonly handover: string;
    /** Of weeks: the day on which one hands over, 1 being Monday. Default: 1. */
    readonly weekday: string;
    /** Times of the week in which it has somebody, such as 1-5,08:00-18:00; without any always. */
    readonly period: string;
    /** Users in order of their turns. */
    readonly users: readonly {
      /** User. */
      readonly userid: string;
    }[];
  }[] | string;
  /** `selectOverrides`; its number, as a text, with "count". */
  readonly overrides: readonly {
    /** Who is on call instead. */
    readonly userid: string;
    /** From when. */
    readonly time_from: string;
    /** Until when, not included. */
    readonly time_till: string;
  }[] | string;
}

/** Parameters of `oncall.get`. */
export interface OncallScheduleGet extends GetParams<keyof OncallSchedule> {
  readonly selectRotations?: Output<string> | "count" | undefined;
  readonly selectOverrides?: Output<string> | "count" | undefined;
}

/** Parameters of `oncall.create`. */
export interface OncallScheduleCreate {
  /** Name. */
  readonly name: string;
  /** Time zone of hand-overs and times of the week, or system. Default: system. */
  readonly timezone?: string | undefined;
  /** Description. */
  readonly description?: string | undefined;
  /** The first in the list that has somebody at a moment decides. */
  readonly rotations: readonly {
    /** Name. */
    readonly name: string;
    /** From when on there are shifts: the one in which it lies is the first user's. */
    readonly start: string | number;
    /** How long a shift is, in units. Default: 1. */
    readonly length?: string | number | undefined;
    /** Of length: 0 hours, 1 days, 2 weeks. Default: 2. */
    readonly unit?: string | number | undefined;
    /** When one hands over to the next, by the clock on the wall; shifts of hours are counted from it. Default: 09:00. */
    readonly handover?: string | undefined;
    /** Of weeks: the day on which one hands over, 1 being Monday. Default: 1. */
    readonly weekday?: string | number | undefined;
    /** Times of the week in which it has somebody, such as 1-5,08:00-18:00; without any always. */
    readonly period?: string | undefined;
    /** Users in order of their turns. */
    readonly users: readonly {
      /** User. */
      readonly userid: string | number;
    }[];
  }[];
  /** They come before all rotations; of several the last in the list decides. */
  readonly overrides?: readonly {
    /** Who is on call instead. */
    readonly userid: string | number;
    /** From when. */
    readonly time_from: string | number;
    /** Until when, not included. */
    readonly time_till: string | number;
  }[] | undefined;
}

/** Parameters of `oncall.update`: omitted fields keep their values. */
export type OncallScheduleUpdate = Partial<OncallScheduleCreate> & { readonly oncallid: string };

/** What forms and readers of answers have to know of it. */
export const ONCALL_SCHEDULE = {
  object: "oncall",
  id: "oncallid",
  ids: "oncallids",
  fields: {
    oncallid: { type: "id", readOnly: true },
    name: { type: "text", max: 255, required: true },
    timezone: { type: "text", max: 50, default: "system", form: "time-zone" },
    description: { type: "text", max: 65535 },
    rotations: {
      type: "list",
      fields: {
        name: { type: "text", max: 255, required: true },
        start: { type: "time", required: true },
        length: { type: "int", min: 1, max: 1000, default: "1" },
        unit: {
          type: "code",
          codes: ["0", "1", "2"],
          default: "2",
          names: { HOURS: "0", DAYS: "1", WEEKS: "2" },
        },
        handover: { type: "text", max: 5, default: "09:00" },
        weekday: { type: "int", min: 1, max: 7, default: "1" },
        period: { type: "text", max: 1024 },
        users: {
          type: "list",
          fields: { userid: { type: "id", required: true } },
          required: true,
        },
      },
      notAnswered: true,
      required: true,
    },
    overrides: {
      type: "list",
      fields: {
        userid: { type: "id", required: true },
        time_from: { type: "time", required: true },
        time_till: { type: "time", required: true },
      },
      notAnswered: true,
    },
  },
  selects: { rotations: { param: "selectRotations" }, overrides: { param: "selectOverrides" } },
} as const;
