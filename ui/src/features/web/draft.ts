// A web scenario while it is edited: what the form holds, what it checks, what is sent.

import { newFields } from "@/api/described";
import { WEB_SCENARIO } from "@/api/generated/web-scenario";
import type { Id, Tag } from "@/api/types";
import type { WebDraft, WebScenario, WebStep, WebStepDraft } from "@/api/web";
import { bad, type Check, OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import { type Keyed, keyed } from "@/widgets/keyed";
import { checkPairs, cleanPairs, type Pair } from "@/widgets/pair-editor";

export interface StepFields {
  readonly httpstepid: Id | undefined;
  readonly name: string;
  readonly url: string;
  readonly query: readonly Keyed<Pair>[];
  /** fields of a form instead of a text */
  readonly isForm: boolean;
  readonly body: string;
  readonly form: readonly Keyed<Pair>[];
  readonly headers: readonly Keyed<Pair>[];
  readonly variables: readonly Keyed<Pair>[];
  readonly timeout: string;
  readonly required: string;
  readonly statusCodes: string;
  readonly followRedirects: boolean;
  readonly retrieve: string;
}

export interface WebFields {
  readonly hostid: Id;
  /** of a template: name and steps are its own */
  readonly isInherited: boolean;
  readonly name: string;
  readonly delay: string;
  readonly retries: string;
  readonly agent: string;
  readonly proxy: string;
  readonly enabled: boolean;
  readonly auth: string;
  readonly user: string;
  readonly password: string;
  readonly verifyPeer: boolean;
  readonly verifyHost: boolean;
  readonly certFile: string;
  readonly keyFile: string;
  readonly keyPassword: string;
  readonly headers: readonly Keyed<Pair>[];
  readonly variables: readonly Keyed<Pair>[];
  readonly tags: readonly Keyed<Tag>[];
  readonly steps: readonly Keyed<StepFields>[];
}

export function newStep(n: number): Keyed<StepFields> {
  return keyed({
    httpstepid: undefined,
    name: t("Step {n}", { n }),
    url: "",
    query: [],
    isForm: true,
    body: "",
    form: [],
    headers: [],
    variables: [],
    timeout: "15s",
    required: "",
    statusCodes: "200",
    followRedirects: true,
    retrieve: "0",
  });
}

function stepOf(step: WebStep): Keyed<StepFields> {
  const isForm = typeof step.posts !== "string" || step.posts === "";
  return keyed({
    httpstepid: step.httpstepid,
    name: step.name,
    url: step.url,
    query: step.query_fields.map(keyed),
    isForm,
    body: typeof step.posts === "string" ? step.posts : "",
    form: typeof step.posts === "string" ? [] : step.posts.map(keyed),
    headers: step.headers.map(keyed),
    variables: step.variables.map(keyed),
    timeout: step.timeout,
    required: step.required,
    statusCodes: step.status_codes,
    followRedirects: step.follow_redirects !== "0",
    retrieve: step.retrieve_mode ?? "0",
  });
}

const NEW: WebScenario = {
  ...newFields(WEB_SCENARIO.fields),
  httptestid: "",
  templateid: "0",
  headers: [],
  variables: [],
  steps: [],
  tags: [],
  hosts: [],
};

export function fieldsOf(given: WebScenario | undefined, hostid: Id): WebFields {
  const scenario = given ?? NEW;
  return {
    hostid,
    isInherited: scenario.templateid !== "0",
    name: scenario.name,
    delay: scenario.delay,
    retries: scenario.retries,
    agent: scenario.agent,
    proxy: scenario.http_proxy,
    enabled: scenario.status !== "1",
    auth: scenario.authentication,
    user: scenario.http_user,
    password: scenario.http_password,
    verifyPeer: scenario.verify_peer === "1",
    verifyHost: scenario.verify_host === "1",
    certFile: scenario.ssl_cert_file,
    keyFile: scenario.ssl_key_file,
    keyPassword: scenario.ssl_key_password,
    headers: scenario.headers.map(keyed),
    variables: scenario.variables.map(keyed),
    tags: scenario.tags.map(keyed),
    steps: given === undefined ? [newStep(1)] : scenario.steps.map(stepOf),
  };
}

export function checkGiven(text: string): Check {
  return text.trim() === "" ? bad(t("this is required"), 0) : OK;
}

/** Variables are written with braces, once each. */
export function checkVariables(variables: readonly Pair[]): Check {
  const named = variables.filter(({ name }) => name.trim() !== "");
  if (named.some(({ name }) => !/^\{[^{}]+\}$/.test(name.trim()))) {
    return bad(t("write variable names as {name}", { name: "{name}" }), 0);
  }
  return checkPairs(variables, true);
}

export function checkStepName(steps: readonly StepFields[], at: number): Check {
  const name = steps[at]?.name.trim() ?? "";
  if (name === "") return bad(t("this is required"), 0);
  const isTaken = steps.some((it, other) => other !== at && it.name.trim() === name);
  return isTaken ? bad(t("another step has this name"), 0) : OK;
}

export function isComplete(fields: WebFields): boolean {
  return (
    checkGiven(fields.name).ok &&
    checkVariables(fields.variables).ok &&
    fields.steps.length > 0 &&
    fields.steps.every(
      (step, at) =>
        checkStepName(fields.steps, at).ok &&
        checkGiven(step.url).ok &&
        checkVariables(step.variables).ok,
    )
  );
}

export function draftOf(fields: WebFields): WebDraft {
  const flag = (it: boolean) => (it ? "1" : "0");
  const own = {
    hostid: fields.hostid,
    delay: fields.delay.trim(),
    retries: fields.retries,
    agent: fields.agent,
    status: flag(!fields.enabled),
    authentication: fields.auth,
    http_user: fields.auth === "0" ? "" : fields.user,
    http_password: fields.auth === "0" ? "" : fields.password,
    headers: cleanPairs(fields.headers),
    variables: cleanPairs(fields.variables),
    tags: fields.tags
      .filter(({ tag }) => tag.trim() !== "")
      .map(({ tag, value }) => ({ tag: tag.trim(), value })),
  };
  const ofTemplate = {
    name: fields.name.trim(),
    http_proxy: fields.proxy.trim(),
    verify_peer: flag(fields.verifyPeer),
    verify_host: flag(fields.verifyHost),
    ssl_cert_file: fields.certFile.trim(),
    ssl_key_file: fields.keyFile.trim(),
    ssl_key_password: fields.keyPassword,
    steps: fields.steps.map((step, at) => stepDraft(step, at + 1)),
  };
  // what is the template's is not sent: the server would refuse it
  return fields.isInherited ? (own as Partial<WebDraft> as WebDraft) : { ...own, ...ofTemplate };
}

/** Fields of a form have a name of their own. */
function bodyOf({ isForm, form, body }: StepFields): Pick<WebStepDraft, "posts" | "post_fields"> {
  if (!isForm) return { posts: body };
  const fields = cleanPairs(form);
  return fields.length === 0 ? { posts: "" } : { post_fields: fields };
}

function stepDraft(step: StepFields, no: number): WebStepDraft {
  return {
    ...(step.httpstepid === undefined ? {} : { httpstepid: step.httpstepid }),
    name: step.name.trim(),
    no: String(no),
    url: step.url.trim(),
    query_fields: cleanPairs(step.query),
    ...bodyOf(step),
    headers: cleanPairs(step.headers),
    variables: cleanPairs(step.variables),
    timeout: step.timeout.trim(),
    required: step.required,
    status_codes: step.statusCodes.trim(),
    follow_redirects: step.followRedirects ? "1" : "0",
    retrieve_mode: step.retrieve,
  };
}
