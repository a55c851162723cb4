// Expressions of a global regular expression while they are edited.

import { REGEXP } from "@/api/generated/regexp";
import type { RegexpExpression } from "@/api/regexps";
import { t } from "@/lib/i18n";
import { type Keyed, keyed } from "@/widgets/keyed";

export type ExpressionDraft = Keyed<RegexpExpression>;

export const { ANY_INCLUDED } = REGEXP.fields.expressions.fields.expression_type.names;

export const DELIMITERS = [",", ".", "/"] as const;

const KINDS = [
  t("Character string included"),
  t("Any character string included"),
  t("Character string not included"),
  t("Result is TRUE"),
  t("Result is FALSE"),
] as const;

export function kindOptions(): { value: string; label: string }[] {
  return KINDS.map((name, code) => ({ value: String(code), label: name }));
}

export function kindName(code: string): string {
  return KINDS[Number(code)] ?? code;
}

export function newExpression(): ExpressionDraft {
  return keyed({
    expression: "",
    expression_type: "0",
    exp_delimiter: ",",
    case_sensitive: "0",
  });
}

export function toExpression(draft: ExpressionDraft): RegexpExpression {
  const { expression, expression_type, case_sensitive } = draft;
  const exp_delimiter = expression_type === ANY_INCLUDED ? draft.exp_delimiter : "";
  return { expression, expression_type, exp_delimiter, case_sensitive };
}

/** In a line of the list: what all expressions ask for. */
export function summary(expressions: readonly RegexpExpression[]): string {
  return expressions
    .map(({ expression, expression_type }) => `${kindName(expression_type)}: ${expression}`)
    .join("; ");
}
