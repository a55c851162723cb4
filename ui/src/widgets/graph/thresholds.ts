// What triggers hold items against, read out of their expressions: only where it is one function over one item
// that is compared with one constant. Anything else has no level to draw.

import { parseSuffixed } from "@/lib/suffix";

export interface Threshold {
  readonly operator: string;
  /** a number, or a user macro that is one */
  readonly constant: string;
}

const COMPARED =
  /^\s*(?:min|max|avg|last)\((\/[^/]+\/.+)\)\s*(>=|<=|<>|>|<|=)\s*(-?\d[\w.+-]*|\{\$.+\})\s*$/;

export function thresholdOf(expression: string): Threshold | undefined {
  const match = COMPARED.exec(expression);
  const [, call = "", operator = "", constant = ""] = match ?? [];
  if (match === null || !isBalanced(call) || !isOneMacro(constant)) return undefined;
  return { operator, constant };
}

/** The value of a constant that is no macro. */
export function constantValue(constant: string): number | undefined {
  return parseSuffixed(constant);
}

export const isMacro = (constant: string): boolean => constant.startsWith("{$");

/** No bracket closes what was opened before: that would be two calls. */
function isBalanced(text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (const char of text) {
    if (char === '"') quoted = !quoted;
    if (quoted) continue;
    if (char === "(") depth += 1;
    if (char === ")") depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

function isOneMacro(constant: string): boolean {
  if (!isMacro(constant)) return true;
  return constant.indexOf("}") === constant.length - 1 || /^\{\$[A-Z0-9_.]+:.*"\}$/.test(constant);
}
