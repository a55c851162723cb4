// Global regular expressions: kept by JSON-RPC, tried on the server, whose expressions they are.

import * as z from "zod/mini";
import { checked } from "./checked";
import { http } from "./http";
import { call } from "./rpc";
import * as schema from "./schema";
import type { Id } from "./types";

/** One of its conditions: all have to hold. */
export interface RegexpExpression {
  readonly expression: string;
  /** 0 string included, 1 any string included, 2 string not included, 3 matches, 4 does not match */
  readonly expression_type: string;
  /** between the strings of type 1 */
  readonly exp_delimiter: string;
  /** "1": case matters */
  readonly case_sensitive: string;
}

export interface Regexp {
  readonly regexpid: Id;
  readonly name: string;
  readonly test_string: string;
  readonly expressions: readonly RegexpExpression[];
}

export type RegexpDraft = Omit<Regexp, "regexpid">;

const regexp: z.ZodMiniType<Regexp> = z.object({
  regexpid: z.string(),
  name: z.string(),
  test_string: z.string(),
  expressions: z.array(
    z.object({
      expression: z.string(),
      expression_type: z.string(),
      exp_delimiter: z.string(),
      case_sensitive: z.string(),
    }),
  ),
});

export async function fetchRegexps(signal?: AbortSignal): Promise<readonly Regexp[]> {
  return call(
    "regexp.get",
    { output: "extend", selectExpressions: "extend", sortfield: "name" },
    schema.listOf(regexp),
    signal,
  );
}

export async function fetchRegexp(regexpid: Id, signal?: AbortSignal): Promise<Regexp | undefined> {
  const found = await call(
    "regexp.get",
    { regexpids: [regexpid], output: "extend", selectExpressions: "extend" },
    schema.listOf(regexp),
    signal,
  );
  return found[0];
}

export async function createRegexp(draft: RegexpDraft): Promise<Id> {
  const ids = await call("regexp.create", draft, schema.createdIds("regexpids"));
  return ids[0] ?? "";
}

export async function updateRegexp(regexpid: Id, draft: Partial<RegexpDraft>): Promise<void> {
  await call("regexp.update", { regexpid, ...draft }, schema.changed);
}

export async function deleteRegexps(regexpids: readonly Id[]): Promise<void> {
  await call("regexp.delete", regexpids, schema.changed);
}

/** What a text does to each expression: it holds, it does not, or it can't be used at all. */
export interface RegexpTrial {
  /** all expressions together; null where one can't be used */
  readonly holds: boolean | null;
  readonly expressions: readonly { readonly holds?: boolean; readonly error?: string }[];
}

const trial = z.object({
  holds: z.nullable(z.boolean()),
  expressions: z.array(
    z.object({
      holds: z.optional(z.boolean()),
      error: z.optional(z.string()),
    }),
  ),
});

export async function tryRegexp(
  text: string,
  expressions: readonly RegexpExpression[],
  signal?: AbortSignal,
): Promise<RegexpTrial> {
  const body = { text, expressions };
  const answer = await http("/api/v1/check/regexp", { method: "POST", body, signal });
  return checked("regular expression test", answer, trial) as RegexpTrial;
}
