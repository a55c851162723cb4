import { expect, test } from "vitest";
import { keyed } from "@/widgets/keyed";
import {
  draftOf,
  fieldsOf,
  IPMI,
  isComplete,
  labelOf,
  SSH,
  typeOptions,
  URL_TYPE,
  WEBHOOK,
} from "./draft";

const EMPTY = { ...fieldsOf(undefined), name: " s " };

test("what a type needs has to be there", () => {
  expect(isComplete({ ...EMPTY, command: "ls" })).toBe(true);
  expect(isComplete(EMPTY)).toBe(false);
  expect(isComplete({ ...EMPTY, type: URL_TYPE, command: "ls" })).toBe(false);
  expect(isComplete({ ...EMPTY, type: URL_TYPE, url: "https://a" })).toBe(true);
  const ssh = { ...EMPTY, type: SSH, command: "ls" };
  expect(isComplete(ssh)).toBe(false);
  expect(isComplete({ ...ssh, username: "a" })).toBe(true);
  expect(isComplete({ ...ssh, username: "a", authtype: "1" })).toBe(false);
  const asks = { ...EMPTY, command: "ls", manualinput: "1", manualinput_prompt: "p" };
  expect(isComplete(asks)).toBe(false);
  expect(isComplete({ ...asks, manualinput_validator: "x" })).toBe(true);
  expect(isComplete({ ...asks, scope: "1" })).toBe(true);
});

test("what goes with a type and a scope is sent, and nothing else", () => {
  const parameters = [keyed({ name: " a ", value: "b" }), keyed({ name: "", value: "" })];
  expect(draftOf({ ...EMPTY, parameters })).not.toHaveProperty("parameters");
  expect(draftOf({ ...EMPTY, type: WEBHOOK, parameters })).toMatchObject({
    name: "s",
    parameters: [{ name: "a", value: "b" }],
  });
  const asks = { ...EMPTY, manualinput: "1", manualinput_default_value: "x" };
  expect(draftOf(asks)).toHaveProperty("manualinput_default_value", "x");
  const listed = { ...asks, manualinput_validator_type: "1" };
  expect(draftOf(listed)).not.toHaveProperty("manualinput_default_value");
  expect(draftOf({ ...asks, scope: "1" })).not.toHaveProperty("manualinput");
  const ssh = { ...EMPTY, type: SSH, username: "u", publickey: "k" };
  expect(draftOf(ssh)).toHaveProperty("username", "u");
  expect(draftOf(ssh)).not.toHaveProperty("publickey");
  expect(draftOf({ ...ssh, type: URL_TYPE })).not.toHaveProperty("username");
});

test("a script of IPMI is kept as it is", () => {
  const { parameters: _, ...texts } = { ...EMPTY, type: IPMI, command: "power off", name: "s" };
  const script = { ...draftOf({ ...texts, parameters: [] }), scriptid: "7" };
  const stored = { ...texts, scriptid: "7", parameters: [] };
  const fields = fieldsOf(stored as Parameters<typeof fieldsOf>[0]);
  expect(isComplete(fields)).toBe(true);
  expect(isComplete({ ...fields, command: "" })).toBe(false);
  expect({ ...draftOf(fields), scriptid: "7" }).toEqual(script);
  expect(labelOf(typeOptions(), IPMI)).toBe("IPMI");
});
