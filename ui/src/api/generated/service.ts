// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams, Output } from "./get";

/** A business service: what problems mean for those who use it. */
export interface Service {
  /** Id. */
  readonly serviceid: string;
  /** Universal identity. */
  readonly uuid: string;
  /** Name. */
  readonly name: string;
  /** -1 OK, else a severity. */
  readonly status: string;
  /** What follows from the children: 0 OK, 1 the worst if all have problems, 2 the worst. */
  readonly algorithm: string;
  /** Place among services. */
  readonly sortorder: string;
  /** Weight in rules of parents. Default: 0. */
  readonly weight: string;
  /** What parents see: 0 the status, 1 a worse one, 2 a milder one, 3 nothing, 4 a fixed one. Default: 0. */
  readonly propagation_rule: string;
  /** By how many severities (1, 2), or the status (4; -1 is OK). Default: 0. */
  readonly propagation_value: string;
  /** Description. */
  readonly description: string;
  /** When it was made. */
  readonly created_at: string;
  /** The user may not change it. */
  readonly readonly: boolean;
}

/** The properties of `select…` parameters. */
export interface ServiceSelects {
  /** `selectChildren`; its number, as a text, with "count". */
  readonly children: readonly Service[] | string;
  /** `selectParents`; its number, as a text, with "count". */
  readonly parents: readonly Service[] | string;
  /** `selectTags`; its number, as a text, with "count". */
  readonly tags: readonly {
    /** Name of the tag. */
    readonly tag: string;
    /** Value of the tag. */
    readonly value: string;
  }[] | string;
  /** `selectProblemTags`; its number, as a text, with "count". */
  readonly problem_tags: readonly {
    /** Name of the tag. */
    readonly tag: string;
    /** 0 equals, 2 contains. Default: 0. */
    readonly operator: string;
    /** Value of the tag, or a part of it. */
    readonly value: string;
  }[] | string;
  /** `selectProblemEvents`; its number, as a text, with "count". */
  readonly problem_events: readonly {
    /** The problem. */
    readonly eventid: string;
    /** Its severity. */
    readonly severity: string;
    /** Its name. */
    readonly name: string;
  }[] | string;
  /** `selectStatusRules`; its number, as a text, with "count". */
  readonly status_rules: readonly {
    /** 0 at least so many children, 1 so many percent of them, 2 less than so many, 3 less than so many percent; 4 to 7 the same of their weights. */
    readonly type: string;
    /** How many; percent: 1 to 100. */
    readonly limit_value: string;
    /** Children with this status count; so do worse ones, with "less than" better ones. */
    readonly limit_status: string;
    /** The status that the rule sets. */
    readonly new_status: string;
  }[] | string;
  /** `selectStatusTimeline`. */
  readonly status_timeline: readonly {
    /** The status when the period begins. */
    readonly start_value: string;
    /** Changes in the period. */
    readonly alarms: readonly {
      /** When the status changed. */
      readonly clock: string;
      /** The status from then on. */
      readonly value: string;
    }[];
  }[];
}

/** Parameters of `service.get`. */
export interface ServiceGet extends GetParams<keyof Service> {
  readonly selectChildren?: Output<keyof Service> | "count" | undefined;
  readonly selectParents?: Output<keyof Service> | "count" | undefined;
  readonly selectTags?: Output<string> | "count" | undefined;
  readonly selectProblemTags?: Output<string> | "count" | undefined;
  readonly selectProblemEvents?: Output<string> | "count" | undefined;
  readonly selectStatusRules?: Output<string> | "count" | undefined;
  readonly selectStatusTimeline?: Output<string> | undefined;
}

/** Parameters of `service.create`. */
export interface ServiceCreate {
  /** Universal identity. */
  readonly uuid?: string | undefined;
  /** Name. */
  readonly name: string;
  /** What follows from the children: 0 OK, 1 the worst if all have problems, 2 the worst. */
  readonly algorithm: string | number;
  /** Place among services. */
  readonly sortorder: string | number;
  /** Weight in rules of parents. Default: 0. */
  readonly weight?: string | number | undefined;
  /** What parents see: 0 the status, 1 a worse one, 2 a milder one, 3 nothing, 4 a fixed one. Default: 0. */
  readonly propagation_rule?: string | number | undefined;
  /** By how many severities (1, 2), or the status (4; -1 is OK). Default: 0. */
  readonly propagation_value?: string | number | undefined;
  /** Description. */
  readonly description?: string | undefined;
  /** Tags of the service. */
  readonly tags?: readonly {
    /** Name of the tag. */
    readonly tag: string;
    /** Value of the tag. */
    readonly value?: string | undefined;
  }[] | undefined;
  /** Problems that fulfil all of these are the service's; not together with children. */
  readonly problem_tags?: readonly {
    /** Name of the tag. */
    readonly tag: string;
    /** 0 equals, 2 contains. Default: 0. */
    readonly operator?: string | number | undefined;
    /** Value of the tag, or a part of it. */
    readonly value?: string | undefined;
  }[] | undefined;
  /** Parent services. */
  readonly parents?: readonly {
    /** The service. */
    readonly serviceid: string | number;
  }[] | undefined;
  /** Child services. */
  readonly children?: readonly {
    /** The service. */
    readonly serviceid: string | number;
  }[] | undefined;
  /** Additional rules for the status. */
  readonly status_rules?: readonly {
    /** 0 at least so many children, 1 so many percent of them, 2 less than so many, 3 less than so many percent; 4 to 7 the same of their weights. */
    readonly type: string | number;
    /** How many; percent: 1 to 100. */
    readonly limit_value: string | number;
    /** Children with this status count; so do worse ones, with "less than" better ones. */
    readonly limit_status: string | number;
    /** The status that the rule sets. */
    readonly new_status: string | number;
  }[] | undefined;
}

/** Parameters of `service.update`: omitted fields keep their values. */
export type ServiceUpdate = Partial<ServiceCreate> & { readonly serviceid: string };

/** What forms and readers of answers have to know of it. */
export const SERVICE = {
  object: "service",
  id: "serviceid",
  ids: "serviceids",
  fields: {
    serviceid: { type: "id", readOnly: true },
    uuid: { type: "uuid" },
    name: { type: "text", max: 128, required: true },
    status: { type: "code", codes: ["-1", "0", "1", "2", "3", "4", "5"], readOnly: true },
    algorithm: {
      type: "code",
      codes: ["0", "1", "2"],
      required: true,
      names: { OK: "0", MOST_CRITICAL_OF_ALL: "1", MOST_CRITICAL: "2" },
    },
    sortorder: { type: "int", min: 0, max: 999, required: true },
    weight: { type: "int", min: 0, max: 1000000, default: "0" },
    propagation_rule: {
      type: "code",
      codes: ["0", "1", "2", "3", "4"],
      default: "0",
      names: { AS_IS: "0", INCREASE: "1", DECREASE: "2", IGNORE: "3", FIXED: "4" },
    },
    propagation_value: { type: "int", min: -2147483648, max: 2147483647, default: "0" },
    description: { type: "text", max: 65535 },
    created_at: { type: "time", readOnly: true },
    readonly: { type: "bool", readOnly: true },
    tags: {
      type: "list",
      fields: {
        tag: { type: "text", max: 255, required: true },
        value: { type: "text", max: 255 },
      },
      notAnswered: true,
    },
    problem_tags: {
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
    },
    parents: {
      type: "list",
      fields: { serviceid: { type: "id", required: true } },
      notAnswered: true,
    },
    children: {
      type: "list",
      fields: { serviceid: { type: "id", required: true } },
      notAnswered: true,
    },
    status_rules: {
      type: "list",
      fields: {
        type: { type: "code", codes: ["0", "1", "2", "3", "4", "5", "6", "7"], required: true },
        limit_value: { type: "int", min: 1, max: 1000000, required: true },
        limit_status: {
          type: "code",
          codes: ["-1", "0", "1", "2", "3", "4", "5"],
          required: true,
        },
        new_status: { type: "code", codes: ["0", "1", "2", "3", "4", "5"], required: true },
      },
      notAnswered: true,
    },
  },
  selects: {
    children: { param: "selectChildren", objects: "service" },
    parents: { param: "selectParents", objects: "service" },
    tags: { param: "selectTags" },
    problem_tags: { param: "selectProblemTags" },
    problem_events: {
      param: "selectProblemEvents",
      list: {
        eventid: { type: "id", readOnly: true },
        severity: { type: "code", codes: ["0", "1", "2", "3", "4", "5"], readOnly: true },
        name: { type: "text", max: 2048, readOnly: true },
      },
    },
    status_rules: { param: "selectStatusRules" },
    status_timeline: {
      param: "selectStatusTimeline",
      list: {
        start_value: { type: "code", codes: ["-1", "0", "1", "2", "3", "4", "5"], readOnly: true },
        alarms: {
          type: "list",
          fields: {
            clock: { type: "time", readOnly: true },
            value: { type: "code", codes: ["-1", "0", "1", "2", "3", "4", "5"], readOnly: true },
          },
          readOnly: true,
        },
      },
    },
  },
} as const;
