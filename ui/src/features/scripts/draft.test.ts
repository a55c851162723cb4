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

test("parameters are sent of webhooks, and lists of values have no default", () => {
  const parameters = [keyed({ name: " a ", value: "b" }), keyed({ name: "", value: "" })];
  expect(draftOf({ ...EMPTY, parameters })).not.toHaveProperty("parameters");
  expect(draftOf({ ...EMPTY, type: WEBHOOK, parameters })).toMatchObject({
    name: "s",
    parameters: [{ name: "a", value: "b" }],
  });
  const listed = { ...EMPTY, manualinput_validator_type: "1", manualinput_default_value: "x" };
  expect(draftOf(listed).manualinput_default_value).toBe("");
});

test("a script of IPMI is kept as it is", () => {
  const script = { ...draftOf({ ...EMPTY, type: IPMI, command: "power off" }), scriptid: "7" };
  const fields = fieldsOf({ ...script, parameters: [] } as Parameters<typeof fieldsOf>[0]);
  expect(isComplete(fields)).toBe(true);
  expect(isComplete({ ...fields, command: "" })).toBe(false);
  expect({ ...draftOf(fields), scriptid: "7" }).toEqual(script);
  expect(labelOf(typeOptions(), IPMI)).toBe("IPMI");
});
