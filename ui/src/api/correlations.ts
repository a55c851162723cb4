// Rules of global correlation.

import { CORRELATION } from "./generated/correlation";
import { type AnswerOf, type DraftOf, objectsOf } from "./objects";

export const CORRELATIONS = objectsOf(CORRELATION, {
  selects: { filter: ["evaltype", "formula", "conditions"], operations: "extend" },
});

export type Correlation = AnswerOf<typeof CORRELATIONS>;
/** Only what its type has is there. */
export type CorrelationCondition = Correlation["filter"]["conditions"][number];
export type CorrelationDraft = DraftOf<"correlation">;
