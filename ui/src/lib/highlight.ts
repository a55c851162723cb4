// An expression cut into coloured pieces. Unlike the check it never gives up: what one is typing is wrong most of the
// time. The pieces, put together, are the text.

import { FUNCTIONS } from "@/lib/completion";
import { skipMacro, skipQuoted } from "@/lib/item-key";

export type TokenKind =
  | "function"
  | "host"
  | "key"
  | "macro"
  | "number"
  | "operator"
  | "text"
  | "bracket"
  | "plain";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** position of its first letter in the whole */
  readonly from: number;
}

const KNOWN: ReadonlySet<string> = new Set(FUNCTIONS);
const NUMBER = /[#]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?[KMGTsmhdwy]?/y;
const WORD = /[A-Za-z_][A-Za-z_0-9]*/y;
const OPERATOR = /<>|<=|>=|[=<>+\-*/]/y;
const SPACE = /\s+/y;
// names of hosts may have spaces, which one that is not followed by a key does not show
const HOST = /\/(?:[^/(),"\n]+(?=\/)|[^/(),"\s]*)/y;
// parameters in brackets are cut out afterwards: macros within them have their own colour
const KEY = /\/[A-Za-z0-9_.\-*]*/y;
const FILTER = /\?\[[^\]]*\]?/y;

function match(pattern: RegExp, source: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0];
}

class Cutter {
  readonly source: string;
  readonly tokens: Token[] = [];
  at = 0;

  constructor(source: string) {
    this.source = source;
  }

  push(kind: TokenKind, end: number): void {
    if (end <= this.at) return;
    this.tokens.push({ kind, text: this.source.slice(this.at, end), from: this.at });
    this.at = end;
  }

  /** Takes what fits, if anything does. */
  takes(kind: TokenKind, pattern: RegExp): boolean {
    const found = match(pattern, this.source, this.at);
    if (found === undefined || found === "") return false;
    this.push(kind, this.at + found.length);
    return true;
  }

  step(): void {
    const char = this.source[this.at] ?? "";
    if (this.takes("plain", SPACE)) return;
    if (char === "/" && this.afterBracket()) this.reference();
    else if (char === '"') this.push("text", skipQuoted(this.source, this.at) ?? this.end());
    else if (char === "{") this.macro();
    else if (char === "(" || char === ")") this.push("bracket", this.at + 1);
    else if (this.takes("number", NUMBER) || this.takes("operator", OPERATOR)) return;
    else if (!this.word()) this.push("plain", this.at + 1);
  }

  end(): number {
    return this.source.length;
  }

  macro(): void {
    // one that is not closed yet ends where it can no longer be one
    const open = /\{[$#?]?[A-Za-z0-9_.:]*/y;
    const close = skipMacro(this.source, this.at);
    this.push("macro", close ?? this.at + (match(open, this.source, this.at)?.length ?? 1));
  }

  word(): boolean {
    const word = match(WORD, this.source, this.at);
    if (word === undefined) return false;
    const isOperator = word === "and" || word === "or" || word === "not";
    this.push(
      isOperator ? "operator" : KNOWN.has(word) ? "function" : "plain",
      this.at + word.length,
    );
    return true;
  }

  /** A slash after a bracket or a comma names an item; any other divides. */
  afterBracket(): boolean {
    const before = this.tokens.filter((it) => it.text.trim() !== "").at(-1);
    return before !== undefined && (before.text === "(" || before.text === ",");
  }

  reference(): void {
    this.named("host", HOST);
    if (this.source[this.at] !== "/") return;
    this.named("key", KEY);
    if (this.source[this.at] === "[") this.parameters();
    this.takes("text", FILTER);
  }

  /** A name with macros in it. */
  named(kind: "host" | "key", pattern: RegExp): void {
    const slash = this.at;
    const whole = match(pattern, this.source, this.at)?.length ?? 1;
    if (kind === "host") {
      this.pieces(kind, this.at + whole);
      return;
    }
    this.push(kind, slash + whole);
    while (this.source[this.at] === "{") {
      this.macro();
      this.takes(kind, /[A-Za-z0-9_.\-*]+/y);
    }
  }

  /** The bracket of a key with all that is in it. */
  parameters(): void {
    let depth = 0;
    let end = this.at;
    while (end < this.end()) {
      const char = this.source[end];
      if (char === '"') {
        end = skipQuoted(this.source, end) ?? this.end();
        continue;
      }
      if (char === "{") {
        end = skipMacro(this.source, end) ?? end + 1;
        continue;
      }
      if (char === "[") depth += 1;
      if (char === "]") depth -= 1;
      end += 1;
      if (depth === 0) break;
    }
    this.pieces("key", end);
  }

  /** Up to a place: one kind, but for the macros in it. */
  pieces(kind: TokenKind, end: number): void {
    while (this.at < end) {
      if (this.source[this.at] === "{") {
        const close = skipMacro(this.source, this.at);
        if (close !== undefined && close <= end) {
          this.push("macro", close);
          continue;
        }
      }
      const next = this.source.indexOf("{", this.at + 1);
      this.push(kind, next < 0 || next > end ? end : next);
    }
  }
}

/** The pieces of an expression, or of as much of one as was typed. */
export function tokensOf(expression: string): readonly Token[] {
  const cutter = new Cutter(expression);
  while (cutter.at < cutter.end()) cutter.step();
  return cutter.tokens;
}

/** Start and end of the piece at a position; after the last piece both are the end of the text. */
export function spanAt(tokens: readonly Token[], position: number): readonly [number, number] {
  const token = tokens.find(({ from, text }) => position >= from && position < from + text.length);
  if (token === undefined) return [position, position + 1];
  return [position, token.from + token.text.length];
}

/** The brackets that belong together at the caret: the one before or after it, and its counterpart. */
export function bracketsAt(tokens: readonly Token[], caret: number): readonly number[] {
  const brackets = tokens.filter(({ kind }) => kind === "bracket");
  const at = brackets.findIndex(({ from }) => from === caret - 1 || from === caret);
  const own = brackets[at];
  if (own === undefined) return [];
  const step = own.text === "(" ? 1 : -1;
  let depth = 0;
  for (let n = at; n >= 0 && n < brackets.length; n += step) {
    const other = brackets[n];
    if (other === undefined) break;
    depth += other.text === "(" ? 1 : -1;
    if (depth === 0) return [own.from, other.from];
  }
  return [];
}
