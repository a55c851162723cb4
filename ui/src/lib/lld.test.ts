import { expect, test } from "vitest";
import { checkFormula, checkLldMacro, formulaOf, freeLetter, letterAt } from "./lld";

test("macros have braces, a number sign and capital letters", () => {
  for (const good of ["{#FSNAME}", "{#A.B_1}"]) expect(checkLldMacro(good).ok, good).toBe(true);
  for (const wrong of ["", "FSNAME", "{#fs}", "{$A}", "{#A} "]) {
    expect(checkLldMacro(wrong).ok, wrong).toBe(false);
  }
});

test("conditions have letters, and a new one takes the first that is free", () => {
  expect([0, 25, 26, 27, 52].map(letterAt)).toEqual(["A", "Z", "AA", "AB", "BA"]);
  expect(freeLetter(["A", "C"])).toBe("B");
  expect(freeLetter([])).toBe("A");
});

test("what conditions amount to is shown", () => {
  const conditions = [
    { macro: "{#T}", formulaid: "A" },
    { macro: "{#T}", formulaid: "B" },
    { macro: "{#N}", formulaid: "C" },
  ];
  expect(formulaOf("0", conditions)).toBe("(A or B) and C");
  expect(formulaOf("0", conditions.slice(0, 2))).toBe("A or B");
  expect(formulaOf("1", conditions)).toBe("A and B and C");
  expect(formulaOf("2", conditions)).toBe("A or B or C");
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
