import { expect, test } from "vitest";
import { checkFormula, formulaOf, freeLetter, letterAt, tokensOf } from "./formula";

test("conditions have letters, and a new one takes the first that is free", () => {
  expect([0, 25, 26, 27, 52].map(letterAt)).toEqual(["A", "Z", "AA", "AB", "BA"]);
  expect(freeLetter(["A", "C"])).toBe("B");
  expect(freeLetter([])).toBe("A");
});

test("what conditions amount to is shown", () => {
  const conditions = [
    { kind: "{#T}", formulaid: "A" },
    { kind: "{#T}", formulaid: "B" },
    { kind: "{#N}", formulaid: "C" },
  ];
  expect(formulaOf("0", "", conditions)).toBe("(A or B) and C");
  expect(formulaOf("0", "", conditions.slice(0, 2))).toBe("A or B");
  expect(formulaOf("1", "", conditions)).toBe("A and B and C");
  expect(formulaOf("2", "", conditions)).toBe("A or B or C");
});

test("formulas are checked as one types", () => {
  const letters = ["A", "B"];
  for (const good of ["A and B", "not (A or not B)", "(A) or ((B))"]) {
    expect(checkFormula(good, letters), good).toEqual({ ok: true });
  }
  for (const wrong of ["", "A", "A B", "A and", "A and C and B", "(A or B", "A) or B", "A && B"]) {
    expect(checkFormula(wrong, letters).ok, wrong).toBe(false);
  }
});

test("a formula names each condition, and nothing else", () => {
  expect(tokensOf("not(A and B) or AA")).toEqual(["not", "(", "A", "and", "B", ")", "or", "AA"]);
  expect(checkFormula("A and (B or not A)", ["A", "B"])).toEqual({ ok: true });
  for (const [formula, message] of [
    ["", "a formula is required"],
    ["A xor B", "a formula has letters, and, or, not and parentheses"],
    ["A and C", "there is no condition C"],
    ["A B", "not a formula such as A and (B or not C)"],
    ["A", "B is not in the formula"],
  ] as const) {
    expect(checkFormula(formula, ["A", "B"])).toMatchObject({ ok: false, message });
  }
});
