// Syntax of item keys, checked as one types: name of letters, digits and `_.-`, then optional parameters in
// brackets: quoted, unquoted, or one level of arrays. Meaning is the server's to check.

import type { Check } from "@/lib/check";
import { bad, OK, unexpected } from "@/lib/check";
import { t } from "@/lib/i18n";

const NAME = /[A-Za-z0-9_.\-{}#$]/;

export function checkItemKey(key: string): Check {
  if (key === "") return bad(t("a key is required"), 0);
  let at = 0;
  while (at < key.length && NAME.test(key[at] ?? "")) at += 1;
  if (at === 0) return bad(t("a key begins with a letter or digit"), 0);
  if (at === key.length) return OK;
  if (key[at] !== "[")
    return bad(t('"{char}" is not allowed in the name of a key', { char: key[at] ?? "" }), at);
  const end = skipParameters(key, at, 0);
  if (typeof end !== "number") return end;
  return end === key.length ? OK : bad(t("nothing may follow the closing bracket"), end);
}

/** Position after the closing bracket, or what is wrong. `open` is the opening one. */
function skipParameters(key: string, open: number, depth: number): number | Check {
  let at = open + 1;
  for (;;) {
    const end = skipParameter(key, at, depth);
    if (typeof end !== "number") return end;
    if (end >= key.length) return bad(t("the bracket is not closed"), open);
    if (key[end] === "]") return end + 1;
    if (key[end] !== ",") return bad(unexpected(key[end]), end);
    at = end + 1;
  }
}

/** Position of the comma or bracket after one parameter. */
function skipParameter(key: string, from: number, depth: number): number | Check {
  const start = skipSpaces(key, from);
  if (key[start] === '"') {
    const close = skipQuoted(key, start);
    if (close === undefined) return bad(t("the quote is not closed"), start);
    const end = skipSpaces(key, close);
    if (key[end] === "," || key[end] === "]") return end;
    return bad(t("a comma or bracket must follow the closing quote"), end);
  }
  if (key[start] === "[") {
    if (depth > 0) return bad(t("arrays cannot be nested further"), start);
    const end = skipParameters(key, start, depth + 1);
    return typeof end === "number" ? skipSpaces(key, end) : end;
  }
  return skipUnquoted(key, start);
}

function skipSpaces(key: string, from: number): number {
  let at = from;
  while (key[at] === " ") at += 1;
  return at;
}

function skipUnquoted(key: string, from: number): number {
  let at = from;
  while (at < key.length && key[at] !== "," && key[at] !== "]") {
    // a user macro may hold commas and brackets in its context
    const macro = key.startsWith("{$", at) ? skipMacro(key, at) : undefined;
    at = macro ?? at + 1;
  }
  return at;
}

export function skipQuoted(source: string, open: number): number | undefined {
  for (let at = open + 1; at < source.length; at += 1) {
    if (source[at] === "\\") at += 1;
    else if (source[at] === '"') return at + 1;
  }
  return undefined;
}

/** `{$NAME}`, `{$NAME:context}`, `{$NAME:"quoted context"}`, `{$NAME:regex:"…"}`. */
export function skipMacro(source: string, open: number): number | undefined {
  for (let at = open + 1; at < source.length; at += 1) {
    if (source[at] === '"') {
      const close = skipQuoted(source, at);
      if (close === undefined) return undefined;
      at = close - 1;
    } else if (source[at] === "{") {
      const close = skipMacro(source, at);
      if (close === undefined) return undefined;
      at = close - 1;
    } else if (source[at] === "}") return at + 1;
  }
  return undefined;
}

/** Where parameters of a key begin and end in a longer text; used by the expression check. */
export function skipKey(source: string, from: number): number | Check {
  let at = from;
  while (at < source.length) {
    const macro = source[at] === "{" ? skipMacro(source, at) : undefined;
    if (macro !== undefined) at = macro;
    else if (/[A-Za-z0-9_.-]/.test(source[at] ?? "")) at += 1;
    else break;
  }
  if (at === from) return bad(t("an item key is expected after the host"), from);
  return source[at] === "[" ? skipParameters(source, at, 0) : at;
}
