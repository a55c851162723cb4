import { expect, test } from "vitest";
import { csvCell, csvLine } from "./csv";

test("cells are quoted, and none is a formula", () => {
  expect(csvLine(["a", 1, 'say "x", then\ny'])).toBe('"a",1,"say ""x"", then\ny"\r\n');
  for (const text of ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "  =cmd|' /C calc'!A0", "\r=1"]) {
    expect(csvCell(text)).toBe(`"'${text}"`);
  }
  for (const text of ["", "a=b", "1-2", "a@b.c"]) expect(csvCell(text)).toBe(`"${text}"`);
});
