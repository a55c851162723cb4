// How conditions are joined, of actions, correlation rules and filters of discovery: the letters that stand for
// them, and formulas of letters.

import { bad, type Check, OK } from "@/lib/check";
import { t } from "@/lib/i18n";

/** How conditions are joined, by the API's codes. */
export const AND_OR = "0";
export const AND = "1";
export const OR = "2";
export const FORMULA = "3";

const LETTERS = 26;

/** A to Z, AA, AB, … */
export function letterAt(at: number): string {
  const last = String.fromCharCode(65 + (at % LETTERS));
  return at < LETTERS ? last : letterAt(Math.floor(at / LETTERS) - 1) + last;
}

/** The first letter that no condition has. */
export function freeLetter(taken: readonly string[]): string {
  let at = 0;
  while (taken.includes(letterAt(at))) at += 1;
  return letterAt(at);
}

export interface LetteredCondition {
  /** with and/or, conditions of one kind are alternatives */
  readonly kind: string;
  readonly formulaid: string;
}

/** The formula that the conditions are joined by, in letters. */
export function formulaOf(
  evaltype: string,
  formula: string,
  conditions: readonly LetteredCondition[],
): string {
  const letters = conditions.map(({ formulaid }) => formulaid);
  if (evaltype === FORMULA) return formula;
  if (evaltype === AND) return letters.join(" and ");
  if (evaltype === OR) return letters.join(" or ");
  const groups = new Map<string, string[]>();
  for (const { kind, formulaid } of conditions) {
    groups.set(kind, [...(groups.get(kind) ?? []), formulaid]);
  }
  const parts = [...groups.values()].map((group) => {
    const any = group.join(" or ");
    return group.length > 1 && groups.size > 1 ? `(${any})` : any;
  });
  return parts.join(" and ");
}

const TOKEN = /\s*([A-Z]+|and\b|or\b|not\b|[()])/y;

/** undefined: something stands in it that no formula has */
export function tokensOf(formula: string): readonly string[] | undefined {
  const tokens: string[] = [];
  const text = formula.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const match = TOKEN.exec(text);
    if (match?.[1] === undefined) return undefined;
    tokens.push(match[1]);
  }
  return tokens;
}

export function isLetter(token: string): boolean {
  return /^[A-Z]+$/.test(token);
}

/** What can be said before the server looks: its form, letters without a condition, conditions without a place. */
export function checkFormula(formula: string, letters: readonly string[]): Check {
  if (formula.trim() === "") return bad(t("a formula is required"), 0);
  const tokens = tokensOf(formula);
  if (tokens === undefined) {
    return bad(t("a formula has letters, and, or, not and parentheses"), 0);
  }
  const used = tokens.filter(isLetter);
  const unknown = used.find((it) => !letters.includes(it));
  if (unknown !== undefined) {
    const at = formula.indexOf(unknown);
    return bad(t("there is no condition {letter}", { letter: unknown }), at);
  }
  if (!isComplete(formula)) return bad(t("not a formula such as A and (B or not C)"), 0);
  const left = letters.find((it) => !used.includes(it));
  return left === undefined
    ? OK
    : bad(t("{letter} is not in the formula", { letter: left }), formula.length);
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
