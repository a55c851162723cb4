// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams, Output } from "./get";

/** A global regular expression: conditions on a text under one name. */
export interface Regexp {
  /** Id. */
  readonly regexpid: string;
  /** Name; used as @name. */
  readonly name: string;
  /** Text to try it on. */
  readonly test_string: string;
}

/** The properties of `select…` parameters. */
export interface RegexpSelects {
  /** `selectExpressions`. */
  readonly expressions: readonly {
    /** 0 character string included, 1 any character string included, 2 character string not included, 3 result is TRUE, 4 result is FALSE. */
    readonly expression_type: string;
    /** Text, texts or regular expression. */
    readonly expression: string;
    /** Between the texts of type 1, a comma if it is left out; kept as a comma for the others. */
    readonly exp_delimiter: string;
    /** 1: case matters. Default: 0. */
    readonly case_sensitive: string;
  }[];
}

/** Parameters of `regexp.get`. */
export interface RegexpGet extends GetParams<keyof Regexp> {
  readonly selectExpressions?: Output<string> | undefined;
}

/** Parameters of `regexp.create`. */
export interface RegexpCreate {
  /** Name; used as @name. */
  readonly name: string;
  /** Text to try it on. */
  readonly test_string?: string | undefined;
  /** All have to hold. */
  readonly expressions: readonly {
    /** 0 character string included, 1 any character string included, 2 character string not included, 3 result is TRUE, 4 result is FALSE. */
    readonly expression_type: string | number;
    /** Text, texts or regular expression. */
    readonly expression: string;
    /** Between the texts of type 1, a comma if it is left out; kept as a comma for the others. */
    readonly exp_delimiter?: string | undefined;
    /** 1: case matters. Default: 0. */
    readonly case_sensitive?: string | number | undefined;
  }[];
}

/** Parameters of `regexp.update`: omitted fields keep their values. */
export type RegexpUpdate = Partial<RegexpCreate> & { readonly regexpid: string };

/** What forms and readers of answers have to know of it. */
export const REGEXP = {
  object: "regexp",
  id: "regexpid",
  ids: "regexpids",
  fields: {
    regexpid: { type: "id", readOnly: true },
    name: { type: "text", max: 128, required: true },
    test_string: { type: "text", max: 65535 },
    expressions: {
      type: "list",
      fields: {
        expression_type: {
          type: "code",
          codes: ["0", "1", "2", "3", "4"],
          required: true,
          names: { INCLUDED: "0", ANY_INCLUDED: "1", NOT_INCLUDED: "2", TRUE: "3", FALSE: "4" },
        },
        expression: { type: "text", max: 255, required: true },
        exp_delimiter: {
          type: "text",
          max: 255,
          only: [{ field: "expression_type", oneOf: ["1"] }],
        },
        case_sensitive: { type: "code", codes: ["0", "1"], default: "0" },
      },
      notAnswered: true,
      required: true,
    },
  },
  selects: { expressions: { param: "selectExpressions" } },
} as const;
