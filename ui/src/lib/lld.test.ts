import { expect, test } from "vitest";
import { checkLldMacro } from "./lld";

test("macros have braces, a number sign and capital letters", () => {
  for (const good of ["{#FSNAME}", "{#A.B_1}"]) expect(checkLldMacro(good).ok, good).toBe(true);
  for (const wrong of ["", "FSNAME", "{#fs}", "{$A}", "{#A} "]) {
    expect(checkLldMacro(wrong).ok, wrong).toBe(false);
  }
});
