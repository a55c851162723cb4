// Low-level discovery as users write it: macros, letters of conditions, formulas of filters.

import { bad, type Check, OK } from "@/lib/check";
import { t } from "@/lib/i18n";

export function checkLldMacro(name: string): Check {
  if (name.trim() === "") return bad(t("an LLD macro is required"), 0);
  return /^\{#[A-Z0-9_.]+\}$/.test(name) ? OK : bad(t("not an LLD macro such as {#FSNAME}"), 0);
}

/** A, B, … Z, AA, AB, … */
export function letterAt(position: number): string {
  let left = position;
  let letters = "";
  do {
    letters = String.fromCharCode(65 + (left % 26)) + letters;
    left = Math.floor(left / 26) - 1;
  } while (left >= 0);
  return letters;
}

/** The first letter that no condition has. */
export function freeLetter(used: readonly string[]): string {
  for (let at = 0; ; at += 1) {
    const letter = letterAt(at);
    if (!used.includes(letter)) return letter;
  }
}

/** How filters combine their conditions, by the API's codes. */
export const AND_OR = "0";
export const AND = "1";
export const OR = "2";
export const FORMULA = "3";

export interface NamedCondition {
  readonly macro: string;
  readonly formulaid: string;
}

/** What the conditions amount to where no formula is written: equal macros are alternatives. */
export function formulaOf(evaltype: string, conditions: readonly NamedCondition[]): string {
  const letters = conditions.map((it) => it.formulaid);
  if (evaltype === AND) return letters.join(" and ");
  if (evaltype === OR) return letters.join(" or ");
  const groups = new Map<string, string[]>();
  for (const { macro, formulaid } of conditions) {
    groups.set(macro, [...(groups.get(macro) ?? []), formulaid]);
  }
  return [...groups.values()]
    .map((group) =>
      group.length > 1 && groups.size > 1 ? `(${group.join(" or ")})` : group.join(" or "),
    )
    .join(" and ");
}

/** A formula of letters, `and`, `or`, `not` and brackets that uses each condition. */
export function checkFormula(formula: string, letters: readonly string[]): Check {
  if (formula.trim() === "") return bad(t("a formula is required"), 0);
  const used: readonly string[] = formula.match(/[A-Z]+/g) ?? [];
  const unknown = used.find((letter) => !letters.includes(letter));
  if (unknown !== undefined) {
    return bad(t("there is no condition {letter}", { letter: unknown }), formula.indexOf(unknown));
  }
  if (!isComplete(formula)) return bad(t("not a formula such as A and (B or not C)"), 0);
  const unused = letters.find((letter) => !used.includes(letter));
  return unused === undefined
    ? OK
    : bad(t("condition {letter} is not used", { letter: unused }), formula.length);
}

/** Reduces what is one operand to one operand, until nothing else is left. */
function isComplete(formula: string): boolean {
  if (/[^A-Z()\s]/.test(formula.replace(/\b(?:and|or|not)\b/g, ""))) return false;
  let before = "";
  let left = formula.replace(/[A-Z]+/g, "x");
  while (left !== before) {
    before = left;
    left = left
      .replace(/\(\s*x\s*\)/g, " x ")
      .replace(/\s+/g, " ")
      .replace(/\bnot x\b/g, "x")
      .replace(/\bx (?:and|or) x\b/g, "x")
      .trim();
  }
  return left === "x";
}
