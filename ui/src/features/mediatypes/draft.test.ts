import { expect, test } from "vitest";
import { changeOf, EMAIL, fieldsOf, isComplete, newParameter, SCRIPT, WEBHOOK } from "./draft";

const EMPTY = fieldsOf(undefined);

test("only what a type knows is sent", () => {
  const email = changeOf({ ...EMPTY, name: " m ", smtp_server: "s", smtp_email: "a@b.c" });
  expect(email).toMatchObject({ name: "m", type: EMAIL, smtp_server: "s" });
  for (const name of ["script", "exec_path", "passwd", "smtp_verify_peer", "parameters"]) {
    expect(email).not.toHaveProperty(name);
  }
  const secure = changeOf({ ...EMPTY, smtp_security: "1", smtp_authentication: "1", passwd: "p" });
  expect(secure).toMatchObject({ smtp_verify_peer: "0", passwd: "p" });
  const named = { ...newParameter(), name: " to ", value: "x" };
  const hook = changeOf({ ...EMPTY, type: WEBHOOK, parameters: [named, newParameter()] });
  expect(hook["parameters"]).toEqual([{ name: "to", value: "x" }]);
  expect(hook).not.toHaveProperty("smtp_server");
  const script = changeOf({ ...EMPTY, type: SCRIPT, parameters: [named, newParameter()] });
  expect(script["parameters"]).toEqual([
    { sortorder: 0, value: "x" },
    { sortorder: 1, value: "" },
  ]);
});

test("what a type needs has to be there", () => {
  expect(isComplete({ ...EMPTY, name: "m" })).toBe(false);
  expect(isComplete({ ...EMPTY, name: "m", smtp_server: "s", smtp_email: "a@b.c" })).toBe(true);
  expect(isComplete({ ...EMPTY, name: "m", type: WEBHOOK })).toBe(false);
  expect(isComplete({ ...EMPTY, name: "m", type: WEBHOOK, script: "return 1" })).toBe(true);
  expect(isComplete({ ...EMPTY, name: "m", type: SCRIPT, exec_path: "a.sh" })).toBe(true);
  const many = { ...EMPTY, name: "m", type: SCRIPT, exec_path: "a.sh", maxsessions: "101" };
  expect(isComplete(many)).toBe(false);
});
