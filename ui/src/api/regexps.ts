// Global regular expressions: kept by JSON-RPC, tried on the server, whose expressions they are.

import * as z from "zod/mini";
import { checked } from "./checked";
import { REGEXP } from "./generated/regexp";
import { http } from "./http";
import { type AnswerOf, type DraftOf, objectsOf } from "./objects";
import type * as schema from "./schema";

export const REGEXPS = objectsOf(REGEXP, { selects: { expressions: "extend" } });

export type Regexp = AnswerOf<typeof REGEXPS>;
/** One of its conditions: all have to hold. */
export type RegexpExpression = Regexp["expressions"][number];
export type RegexpDraft = DraftOf<"regexp">;

/** What a text does to each expression: it holds, it does not, or it can't be used at all. */
const trial = z.object({
  /** all expressions together; null where one can't be used */
  holds: z.nullable(z.boolean()),
  expressions: z.array(z.object({ holds: z.optional(z.boolean()), error: z.optional(z.string()) })),
});
export type RegexpTrial = schema.Read<typeof trial>;

export async function tryRegexp(
  text: string,
  expressions: readonly RegexpExpression[],
  signal?: AbortSignal,
): Promise<RegexpTrial> {
  const body = { text, expressions };
  const answer = await http("/api/v1/check/regexp", { method: "POST", body, signal });
  return checked("regular expression test", answer, trial);
}
