import { expect, test } from "vitest";
import type { WebScenario } from "@/api/web";
import { keyed } from "@/widgets/keyed";
import { checkStepName, checkVariables, draftOf, fieldsOf, isComplete, newStep } from "./draft";

const SCENARIO: WebScenario = {
  httptestid: "9",
  hostid: "7",
  name: "Shop",
  delay: "1m",
  retries: "2",
  agent: "Probe",
  http_proxy: "",
  status: "1",
  authentication: "1",
  http_user: "ann",
  http_password: "secret",
  verify_peer: "1",
  verify_host: "0",
  ssl_cert_file: "",
  ssl_key_file: "",
  ssl_key_password: "",
  headers: [{ name: "A", value: "b" }],
  variables: [{ name: "{user}", value: "ann" }],
  templateid: "0",
  steps: [
    {
      httpstepid: "11",
      name: "Form",
      no: "1",
      url: "http://h/",
      query_fields: [],
      posts: [{ name: "a", value: "b" }],
      headers: [],
      variables: [],
      timeout: "15s",
      required: "Welcome",
      status_codes: "200",
      follow_redirects: "0",
      retrieve_mode: "0",
    },
  ],
  tags: [{ tag: "t", value: "v" }],
  hosts: [],
};

test("what was read is sent as it was", () => {
  const { httptestid: _id, templateid: _template, hosts: _hosts, ...same } = SCENARIO;
  const steps = same.steps.map(({ posts: post_fields, ...step }) => ({ ...step, post_fields }));
  expect(draftOf(fieldsOf(SCENARIO, "7"))).toEqual({ ...same, steps });
});

test("of an inherited one name and steps are not sent", () => {
  const draft = draftOf(fieldsOf({ ...SCENARIO, templateid: "3" }, "7"));
  expect(Object.keys(draft)).not.toContain("steps");
  expect(Object.keys(draft)).not.toContain("name");
  expect(draft.delay).toBe("1m");
});

test("steps have names of their own, and URLs", () => {
  const fields = fieldsOf(undefined, "7");
  expect(isComplete(fields)).toBe(false);
  const step = { ...newStep(1), url: "http://h/" };
  const whole = { ...fields, name: "n", steps: [step] };
  expect(isComplete(whole)).toBe(true);
  const doubled = [step, { ...newStep(2), name: "Step 1", url: "http://h/" }];
  expect(checkStepName(doubled, 1).ok).toBe(false);
  expect(isComplete({ ...whole, steps: doubled })).toBe(false);
});

test("variables are written with braces", () => {
  const of = (name: string) => [keyed({ name, value: "" })];
  expect(checkVariables(of("{token}")).ok).toBe(true);
  for (const wrong of ["token", "{}", "{{a}}", "{a"]) {
    expect(checkVariables(of(wrong)).ok).toBe(false);
  }
  expect(checkVariables([...of("{a}"), ...of("{a}")]).ok).toBe(false);
});
