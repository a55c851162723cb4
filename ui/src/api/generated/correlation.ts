// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams, Output } from "./get";

/** Which open problems are closed when a new one begins, by their tags. */
export interface Correlation {
  /** Id. */
  readonly correlationid: string;
  /** Name. */
  readonly name: string;
  /** Description. */
  readonly description: string;
  /** 0 enabled, 1 disabled. Default: 0. */
  readonly status: string;
}

/** The properties of `select…` parameters. */
export interface CorrelationSelects {
  /** `selectFilter`. */
  readonly filter: {
    /** 0 and/or: conditions of one type are alternatives; 1 and, 2 or, 3 as the formula says. */
    readonly evaltype: string;
    /** Letters of conditions joined by and, or, not and parentheses. */
    readonly formula: string;
    /** The formula that the conditions are joined by, whatever evaltype is. */
    readonly eval_formula: string;
    /** Conditions. */
    readonly conditions: readonly {
      /** Letters that stand for the condition in a custom formula: A, B, …. */
      readonly formulaid: string;
      /** 0 tag of the old event, 1 tag of the new event, 2 host group of the new event, 3 pair of tags, 4 value of a tag of the old event, 5 value of a tag of the new event. */
      readonly type: string;
      /** 0 equals, 1 does not equal; of values also 2 contains, 3 does not contain. */
      readonly operator: string;
      /** Name of the tag. */
      readonly tag: string;
      /** Host group. */
      readonly groupid: string;
      /** Name of the tag of the old event. */
      readonly oldtag: string;
      /** Name of the tag of the new event. */
      readonly newtag: string;
      /** Value of the tag, or a part of it. */
      readonly value: string;
    }[];
  } | readonly [];
  /** `selectOperations`. */
  readonly operations: readonly {
    /** 0 close old events, 1 close the new event. */
    readonly type: string;
  }[];
}

/** Parameters of `correlation.get`. */
export interface CorrelationGet extends GetParams<keyof Correlation> {
  readonly selectFilter?: Output<string> | undefined;
  readonly selectOperations?: Output<string> | undefined;
}

/** Parameters of `correlation.create`. */
export interface CorrelationCreate {
  /** Name. */
  readonly name: string;
  /** Description. */
  readonly description?: string | undefined;
  /** 0 enabled, 1 disabled. Default: 0. */
  readonly status?: string | number | undefined;
  /** Which events it is for. */
  readonly filter: {
    /** 0 and/or: conditions of one type are alternatives; 1 and, 2 or, 3 as the formula says. */
    readonly evaltype: string | number;
    /** Letters of conditions joined by and, or, not and parentheses. */
    readonly formula?: string | undefined;
    /** The formula that the conditions are joined by, whatever evaltype is. */
    readonly eval_formula?: string | undefined;
    /** Conditions. */
    readonly conditions: readonly {
      /** Letters that stand for the condition in a custom formula: A, B, …. */
      readonly formulaid?: string | undefined;
      /** 0 tag of the old event, 1 tag of the new event, 2 host group of the new event, 3 pair of tags, 4 value of a tag of the old event, 5 value of a tag of the new event. */
      readonly type: string | number;
      /** 0 equals, 1 does not equal; of values also 2 contains, 3 does not contain. */
      readonly operator?: string | number | undefined;
      /** Name of the tag. */
      readonly tag?: string | undefined;
      /** Host group. */
      readonly groupid?: string | number | undefined;
      /** Name of the tag of the old event. */
      readonly oldtag?: string | undefined;
      /** Name of the tag of the new event. */
      readonly newtag?: string | undefined;
      /** Value of the tag, or a part of it. */
      readonly value?: string | undefined;
    }[];
  };
  /** What is closed. */
  readonly operations: readonly {
    /** 0 close old events, 1 close the new event. */
    readonly type: string | number;
  }[];
}

/** Parameters of `correlation.update`: omitted fields keep their values. */
export type CorrelationUpdate = Partial<CorrelationCreate> & { readonly correlationid: string };

/** What forms and readers of answers have to know of it. */
export const CORRELATION = {
  object: "correlation",
  id: "correlationid",
  ids: "correlationids",
  fields: {
    correlationid: { type: "id", readOnly: true },
    name: { type: "text", max: 255, required: true },
    description: { type: "text", max: 65535 },
    status: {
      type: "code",
      codes: ["0", "1"],
      default: "0",
      names: { ENABLED: "0", DISABLED: "1" },
    },
    filter: {
      type: "object",
      fields: {
        evaltype: {
          type: "code",
          codes: ["0", "1", "2", "3"],
          required: true,
          names: { AND_OR: "0", AND: "1", OR: "2", FORMULA: "3" },
        },
        formula: {
          type: "text",
          max: 255,
          only: [{ field: "evaltype", oneOf: ["3"] }],
          needed: [{ field: "evaltype", oneOf: ["3"] }],
        },
        eval_formula: { type: "text", max: 255, readOnly: true },
        conditions: {
          type: "list",
          fields: {
            formulaid: {
              type: "text",
              max: 255,
              only: [{ field: "evaltype", oneOf: ["3"] }],
              needed: [{ field: "evaltype", oneOf: ["3"] }],
            },
            type: {
              type: "code",
              codes: ["0", "1", "2", "3", "4", "5"],
              required: true,
              names: {
                OLD_TAG: "0",
                NEW_TAG: "1",
                NEW_HOST_GROUP: "2",
                TAG_PAIR: "3",
                OLD_TAG_VALUE: "4",
                NEW_TAG_VALUE: "5",
              },
            },
            operator: { type: "code", codes: ["0", "1", "2", "3"] },
            tag: {
              type: "text",
              max: 255,
              only: [{ field: "type", oneOf: ["0", "1", "4", "5"] }],
              needed: [{ field: "type", oneOf: ["0", "1", "4", "5"] }],
            },
            groupid: {
              type: "id",
              only: [{ field: "type", oneOf: ["2"] }],
              needed: [{ field: "type", oneOf: ["2"] }],
            },
            oldtag: {
              type: "text",
              max: 255,
              only: [{ field: "type", oneOf: ["3"] }],
              needed: [{ field: "type", oneOf: ["3"] }],
            },
            newtag: {
              type: "text",
              max: 255,
              only: [{ field: "type", oneOf: ["3"] }],
              needed: [{ field: "type", oneOf: ["3"] }],
            },
            value: {
              type: "text",
              max: 255,
              only: [{ field: "type", oneOf: ["4", "5"] }],
              needed: [{ field: "type", oneOf: ["4", "5"] }],
            },
          },
          required: true,
        },
      },
      notAnswered: true,
      required: true,
    },
    operations: {
      type: "list",
      fields: {
        type: {
          type: "code",
          codes: ["0", "1"],
          required: true,
          names: { CLOSE_OLD: "0", CLOSE_NEW: "1" },
        },
      },
      notAnswered: true,
      required: true,
    },
  },
  selects: { filter: { param: "selectFilter" }, operations: { param: "selectOperations" } },
} as const;
