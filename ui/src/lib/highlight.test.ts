import { describe, expect, it } from "vitest";
import { bracketsAt, spanAt, type TokenKind, tokensOf } from "./highlight";

/** The pieces without spaces, each with the first letters of its kind. */
function cut(expression: string): readonly string[] {
  return tokensOf(expression)
    .filter(({ text }) => text.trim() !== "")
    .map(({ kind, text }) => `${kind}:${text}`);
}

describe("pieces of an expression", () => {
  it.each<[string, readonly string[]]>([
    [
      "last(/Linux by agent/proc.num)>1",
      [
        "function:last",
        "bracket:(",
        "host:/Linux by agent",
        "key:/proc.num",
        "bracket:)",
        "operator:>",
        "number:1",
      ],
    ],
    [
      "last(/web01/system.cpu.load[all,avg1])>5",
      [
        "function:last",
        "bracket:(",
        "host:/web01",
        "key:/system.cpu.load",
        "key:[all,avg1]",
        "bracket:)",
        "operator:>",
        "number:5",
      ],
    ],
    [
      'avg(//net[{#IF},"a)"],#5) >= {$MAX:"(,"} and not 1',
      [
        "function:avg",
        "bracket:(",
        "host:/",
        "key:/net",
        "key:[",
        "macro:{#IF}",
        'key:,"a)"]',
        "plain:,",
        "number:#5",
        "bracket:)",
        "operator:>=",
        'macro:{$MAX:"(,"}',
        "operator:and",
        "operator:not",
        "number:1",
      ],
    ],
    [
      'sum(last_foreach(/*/k?[group="L"]))/2',
      [
        "function:sum",
        "bracket:(",
        "function:last_foreach",
        "bracket:(",
        "host:/*",
        "key:/k",
        'text:?[group="L"]',
        "bracket:)",
        "bracket:)",
        "operator:/",
        "number:2",
      ],
    ],
    ["lasst(/h", ["plain:lasst", "bracket:(", "host:/h"]],
    [
      'find(/h/k,,"like","open',
      [
        "function:find",
        "bracket:(",
        "host:/h",
        "key:/k",
        "plain:,",
        "plain:,",
        'text:"like"',
        "plain:,",
        'text:"open',
      ],
    ],
    ["{$OPEN and 1", ["macro:{$OPEN", "operator:and", "number:1"]],
    ["10m * 1.5e3K", ["number:10m", "operator:*", "number:1.5e3K"]],
  ])("%j", (expression, pieces) => {
    expect(cut(expression)).toEqual(pieces);
  });

  it("are the text, whatever it is", () => {
    const letters = [
      "(",
      ")",
      "/",
      "{",
      "}",
      "$",
      "#",
      '"',
      "\\",
      "[",
      "]",
      ",",
      "a",
      "1",
      " ",
      "?",
      "\n",
      "é",
    ];
    // every text of up to three of these
    for (const a of letters)
      for (const b of letters)
        for (const c of letters) {
          const text = `last(${a}${b}${c}`;
          expect(
            tokensOf(text)
              .map((it) => it.text)
              .join(""),
          ).toBe(text);
        }
  });

  it("know all kinds", () => {
    const kinds = new Set<TokenKind>(tokensOf('last(/h/k,{$A})+1="a" x').map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(
      ["bracket", "function", "host", "key", "macro", "number", "operator", "plain", "text"].sort(),
    );
  });
});

describe("places", () => {
  const tokens = tokensOf("avg(/h/k,5m)>nope(1)");
  it("of an error reach to the end of the piece", () => {
    expect(spanAt(tokens, 13)).toEqual([13, 17]);
    expect(spanAt(tokens, 20)).toEqual([20, 21]);
  });

  it("of brackets come in pairs", () => {
    expect(bracketsAt(tokens, 4)).toEqual([3, 11]);
    expect(bracketsAt(tokens, 12)).toEqual([11, 3]);
    expect(bracketsAt(tokens, 1)).toEqual([]);
    expect(bracketsAt(tokensOf("(1"), 1)).toEqual([]);
  });
});
