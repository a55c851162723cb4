// Local check of trigger expressions while one types: brackets, quotes, operators, shape of function calls.
// Whether hosts, items and functions exist is asked from the server afterwards.

import type { Check } from "@/lib/check";
import { bad, OK, unexpected } from "@/lib/check";
import { t } from "@/lib/i18n";
import { skipKey, skipMacro, skipQuoted } from "@/lib/item-key";

const DEPTH_MAX = 64;
const NUMBER = /-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?[KMGTsmhdw]?/y;
const NAME = /[a-z_][a-z_0-9]*/y;
const OPERATOR = /(?:<>|<=|>=|[=<>+\-*/]|and\b|or\b)/y;
// `5m`, `#5`, `1h:now-1d`, `{$P}:now/d`
const PERIOD =
  /(?:#?\d+[smhdwMy]?|\{[$#][^}]*\})(?::now(?:[+-](?:\d+[smhdwMy]?|\{[$#][^}]*\})|\/[hdwMy])*)?(?=\s*[,)])/y;

type Step = number | Check;

class Scanner {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  space(from: number): number {
    let at = from;
    while (/\s/.test(this.source[at] ?? "")) at += 1;
    return at;
  }

  match(pattern: RegExp, at: number): string | undefined {
    pattern.lastIndex = at;
    return pattern.exec(this.source)?.[0];
  }

  /** operand (operator operand)*; stops before what it cannot use. */
  expression(from: number, depth: number): Step {
    if (depth > DEPTH_MAX) return bad(t("nested too deeply"), from);
    let at = this.operand(from, depth);
    for (;;) {
      if (typeof at !== "number") return at;
      const next = this.space(at);
      const operator = this.match(OPERATOR, next);
      if (operator === undefined) return next;
      at = this.operand(next + operator.length, depth);
    }
  }

  operand(from: number, depth: number): Step {
    let at = this.space(from);
    while (this.match(/not\b/y, at) !== undefined) at = this.space(at + 3);
    while (this.source[at] === "-") at = this.space(at + 1);
    const char = this.source[at];
    if (char === undefined) return bad(t("the expression ends where a value is expected"), at);
    if (char === "(") return this.group(at, depth);
    if (char === '"') return skipQuoted(this.source, at) ?? bad(t("the quote is not closed"), at);
    if (char === "{") return skipMacro(this.source, at) ?? bad(t("the macro is not closed"), at);
    const number = this.match(NUMBER, at);
    if (number !== undefined) return at + number.length;
    const name = this.match(NAME, at);
    if (name !== undefined) return this.call(at, name, depth);
    if (char === ")") return bad(t("a closing bracket has no opening bracket"), at);
    return bad(unexpected(char), at);
  }

  group(open: number, depth: number): Step {
    const end = this.expression(open + 1, depth + 1);
    if (typeof end !== "number") return end;
    if (this.source[end] === ")") return end + 1;
    return end >= this.source.length
      ? bad(t("the bracket is not closed"), open)
      : bad(unexpected(this.source[end]), end);
  }

  call(from: number, name: string, depth: number): Step {
    if (name === "and" || name === "or")
      return bad(t('a value is missing before "{name}"', { name }), from);
    const open = this.space(from + name.length);
    if (this.source[open] !== "(")
      return bad(t('"(" must follow the function {name}', { name }), open);
    let at = this.space(open + 1);
    if (this.source[at] === ")") return at + 1;
    for (;;) {
      const end = this.argument(this.space(at), depth);
      if (typeof end !== "number") return end;
      at = this.space(end);
      const char = this.source[at];
      if (char === ")") return at + 1;
      if (char === undefined) return bad(t("the bracket is not closed"), open);
      if (char !== ",")
        return bad(t('a comma or ")" is expected instead of "{char}"', { char }), at);
      at += 1;
    }
  }

  argument(at: number, depth: number): Step {
    const char = this.source[at];
    if (char === "," || char === ")") return at;
    if (char === "/") return this.query(at);
    const period = this.match(PERIOD, at);
    if (period !== undefined) return at + period.length;
    return this.expression(at, depth + 1);
  }

  /** `/host/key[…]`; the host may be empty (`//key`), a macro or a wildcard in aggregates. */
  query(open: number): Step {
    const slash = this.source.indexOf("/", open + 1);
    const stop = this.source.slice(open + 1).search(/[,()"]/);
    if (slash < 0 || (stop >= 0 && slash > open + 1 + stop)) {
      return bad(t("an item is written as /host/key"), open);
    }
    const end = skipKey(this.source, slash + 1);
    if (typeof end !== "number" || !this.source.startsWith("?[", end)) return end;
    const close = this.source.indexOf("]", end);
    return close < 0 ? bad(t("the filter is not closed"), end) : close + 1;
  }
}

export function checkExpression(source: string): Check {
  if (source.trim() === "") return bad(t("an expression is required"), 0);
  const scanner = new Scanner(source);
  const end = scanner.expression(0, 0);
  if (typeof end !== "number") return end;
  if (end < source.length) {
    return source[end] === ")"
      ? bad(t("a closing bracket has no opening bracket"), end)
      : bad(
          t('an operator is expected before "{text}"', { text: source.slice(end, end + 12) }),
          end,
        );
  }
  return OK;
}
