// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams, Output } from "./get";
import type { Host } from "./host";
import type { HostGroup } from "./host-group";

/** When problems of hosts are suppressed, or no values are taken of them. */
export interface Maintenance {
  /** Id. */
  readonly maintenanceid: string;
  /** Name. */
  readonly name: string;
  /** 0 with data collection; 1 without: values of the hosts are not taken meanwhile. Default: 0. */
  readonly maintenance_type: string;
  /** Description. */
  readonly description: string;
  /** Its periods begin at this time or later; cut to minutes. */
  readonly active_since: string;
  /** Its periods end by this time; cut to minutes. */
  readonly active_till: string;
  /** 0 And/Or: conditions on one tag are alternatives; 2 Or: one condition is enough. Default: 0. */
  readonly tags_evaltype: string;
}

/** The properties of `select…` parameters. */
export interface MaintenanceSelects {
  /** `selectGroups`. */
  readonly groups: readonly HostGroup[];
  /** `selectHostGroups`. */
  readonly hostgroups: readonly HostGroup[];
  /** `selectHosts`. */
  readonly hosts: readonly Host[];
  /** `selectTags`. */
  readonly tags: readonly {
    /** Name of the tag. */
    readonly tag: string;
    /** 0 equals, 2 contains. Default: 2. */
    readonly operator: string;
    /** Value of the tag, or a part of it. */
    readonly value: string;
  }[];
  /** `selectTimeperiods`. */
  readonly timeperiods: readonly {
    /** How long it lasts, 5 minutes or more; cut to minutes. Default: 3600. */
    readonly period: string;
    /** 0 once, 2 daily, 3 weekly, 4 monthly. Default: 0. */
    readonly timeperiod_type: string;
    /** Once: when it begins; without one at once. */
    readonly start_date: string;
    /** Daily, weekly and monthly: when it begins, in seconds since midnight. */
    readonly start_time: string;
    /** Daily and weekly: each so many days or weeks; monthly: the first to fourth day of the week of the month, 5 the last one. */
    readonly every: string;
    /** Monthly: the day, in place of days of the week. */
    readonly day: string;
    /** Weekly and monthly: days, added up: 1 Monday, 2 Tuesday, 4 Wednesday, … 64 Sunday. */
    readonly dayofweek: string;
    /** Monthly: months, added up: 1 January, 2 February, 4 March, … 2048 December. */
    readonly month: string;
  }[];
}

/** Parameters of `maintenance.get`. */
export interface MaintenanceGet extends GetParams<keyof Maintenance> {
  readonly selectGroups?: Output<keyof HostGroup> | undefined;
  readonly selectHostGroups?: Output<keyof HostGroup> | undefined;
  readonly selectHosts?: Output<keyof Host> | undefined;
  readonly selectTags?: Output<string> | undefined;
  readonly selectTimeperiods?: Output<string> | undefined;
}

/** Parameters of `maintenance.create`. */
export interface MaintenanceCreate {
  /** Name. */
  readonly name: string;
  /** 0 with data collection; 1 without: values of the hosts are not taken meanwhile. Default: 0. */
  readonly maintenance_type?: string | number | undefined;
  /** Description. */
  readonly description?: string | undefined;
  /** Its periods begin at this time or later; cut to minutes. */
  readonly active_since: string | number;
  /** Its periods end by this time; cut to minutes. */
  readonly active_till: string | number;
  /** 0 And/Or: conditions on one tag are alternatives; 2 Or: one condition is enough. Default: 0. */
  readonly tags_evaltype?: string | number | undefined;
  /** Conditions on the tags of problems, with data collection; without any all are suppressed. */
  readonly tags?: readonly {
    /** Name of the tag. */
    readonly tag: string;
    /** 0 equals, 2 contains. Default: 2. */
    readonly operator?: string | number | undefined;
    /** Value of the tag, or a part of it. */
    readonly value?: string | undefined;
  }[] | undefined;
  /** Host groups; groups below them belong to them. */
  readonly groups?: readonly {
    /** Host group. */
    readonly groupid: string | number;
  }[] | undefined;
  /** Hosts. */
  readonly hosts?: readonly {
    /** Host. */
    readonly hostid: string | number;
  }[] | undefined;
  /** Periods. */
  readonly timeperiods: readonly {
    /** How long it lasts, 5 minutes or more; cut to minutes. Default: 3600. */
    readonly period?: string | undefined;
    /** 0 once, 2 daily, 3 weekly, 4 monthly. Default: 0. */
    readonly timeperiod_type?: string | number | undefined;
    /** Once: when it begins; without one at once. */
    readonly start_date?: string | number | undefined;
    /** Daily, weekly and monthly: when it begins, in seconds since midnight. */
    readonly start_time?: string | number | undefined;
    /** Daily and weekly: each so many days or weeks; monthly: the first to fourth day of the week of the month, 5 the last one. */
    readonly every?: string | number | undefined;
    /** Monthly: the day, in place of days of the week. */
    readonly day?: string | number | undefined;
    /** Weekly and monthly: days, added up: 1 Monday, 2 Tuesday, 4 Wednesday, … 64 Sunday. */
    readonly dayofweek?: string | number | undefined;
    /** Monthly: months, added up: 1 January, 2 February, 4 March, … 2048 December. */
    readonly month?: string | number | undefined;
  }[];
}

/** Parameters of `maintenance.update`: omitted fields keep their values. */
export type MaintenanceUpdate = Partial<MaintenanceCreate> & { readonly maintenanceid: string };

/** What forms and readers of answers have to know of it. */
export const MAINTENANCE = {
  object: "maintenance",
  id: "maintenanceid",
  ids: "maintenanceids",
  fields: {
    maintenanceid: { type: "id", readOnly: true },
    name: { type: "text", max: 128, required: true },
    maintenance_type: { type: "code", codes: ["0", "1"], default: "0" },
    description: { type: "text", max: 65535 },
    active_since: { type: "time", required: true },
    active_till: { type: "time", required: true },
    tags_evaltype: {
      type: "code",
      codes: ["0", "2"],
      default: "0",
      absentElsewhere: true,
      only: [{ field: "maintenance_type", oneOf: ["0"] }],
    },
    tags: {
      type: "list",
      fields: {
        tag: { type: "text", max: 255, required: true },
        operator: { type: "code", codes: ["0", "2"], default: "2" },
        value: { type: "text", max: 255 },
      },
      notAnswered: true,
      absentElsewhere: true,
      only: [{ field: "maintenance_type", oneOf: ["0"] }],
    },
    groups: {
      type: "list",
      fields: { groupid: { type: "id", required: true } },
      notAnswered: true,
    },
    hosts: { type: "list", fields: { hostid: { type: "id", required: true } }, notAnswered: true },
    timeperiods: {
      type: "list",
      fields: {
        period: { type: "text", max: 32, default: "3600", form: "length-of-period" },
        timeperiod_type: { type: "code", codes: ["0", "2", "3", "4"], default: "0" },
        start_date: {
          type: "time",
          absentElsewhere: true,
          only: [{ field: "timeperiod_type", oneOf: ["0"] }],
        },
        start_time: {
          type: "time",
          form: "time-of-day",
          absentElsewhere: true,
          only: [{ field: "timeperiod_type", oneOf: ["2", "3", "4"] }],
        },
        every: {
          type: "int",
          min: 1,
          max: 2147483647,
          absentElsewhere: true,
          only: [{ field: "timeperiod_type", oneOf: ["2", "3", "4"] }],
        },
        day: {
          type: "int",
          min: 0,
          max: 31,
          absentElsewhere: true,
          only: [{ field: "timeperiod_type", oneOf: ["4"] }],
        },
        dayofweek: {
          type: "int",
          min: 0,
          max: 127,
          absentElsewhere: true,
          only: [{ field: "timeperiod_type", oneOf: ["3", "4"] }],
          needed: [{ field: "timeperiod_type", oneOf: ["3"] }],
        },
        month: {
          type: "int",
          min: 1,
          max: 4095,
          absentElsewhere: true,
          only: [{ field: "timeperiod_type", oneOf: ["4"] }],
          needed: [{ field: "timeperiod_type", oneOf: ["4"] }],
        },
      },
      notAnswered: true,
      required: true,
    },
  },
  selects: {
    groups: { param: "selectGroups", objects: "hostgroup" },
    hostgroups: { param: "selectHostGroups", objects: "hostgroup" },
    hosts: { param: "selectHosts", objects: "host" },
    tags: { param: "selectTags" },
    timeperiods: { param: "selectTimeperiods" },
  },
} as const;
