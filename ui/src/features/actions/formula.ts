// How conditions are joined: the letters that stand for them, and the whole as people read it.

import type { ActionCondition } from "@/api/actions";
import { bad, type Check, OK } from "@/lib/check";
import { t } from "@/lib/i18n";

export const AND_OR = "0";
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

function joined(parts: readonly string[], by: string): string {
  return parts.join(` ${by} `);
}

/** The formula that the conditions are joined by, in letters. */
export function formulaOf(
  evaltype: string,
  formula: string,
  conditions: readonly ActionCondition[],
): string {
  const letters = conditions.map(({ formulaid }) => formulaid);
  if (evaltype === FORMULA) return formula;
  if (evaltype === "1") return joined(letters, "and");
  if (evaltype === "2") return joined(letters, "or");
  const groups = new Map<string, string[]>();
  for (const { conditiontype, formulaid } of conditions) {
    const group = groups.get(conditiontype);
    if (group === undefined) groups.set(conditiontype, [formulaid]);
    else group.push(formulaid);
  }
  const parts = [...groups.values()].map((group) => {
    const any = joined(group, "or");
    return group.length > 1 && groups.size > 1 ? `(${any})` : any;
  });
  return joined(parts, "and");
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

/** What can be said before the server looks: letters that have no condition, conditions that have no place. */
export function checkFormula(formula: string, letters: readonly string[]): Check {
  if (formula.trim() === "") return bad(t("a formula is required"), 0);
  const tokens = tokensOf(formula);
  if (tokens === undefined) {
    return bad(t("a formula has letters, and, or, not and parentheses"), 0);
  }
  const used = tokens.filter(isLetter);
  const unknown = used.find((it) => !letters.includes(it));
  if (unknown !== undefined)
    return bad(t("{letter} stands for no condition", { letter: unknown }), 0);
  const left = letters.find((it) => !used.includes(it));
  if (left !== undefined) return bad(t("{letter} is not in the formula", { letter: left }), 0);
  return OK;
}
