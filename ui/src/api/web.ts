// Web scenarios: `httptest.*`, and what became of their last runs.

import * as z from "zod/mini";
import { call } from "./rpc";
import * as schema from "./schema";
import type { Id } from "./types";

const text = z._default(z.string(), "");
const required = z.string();
const pair = z.object({ name: required, value: text });
const pairs = z._default(z.array(pair), []);

const step = z.object({
  httpstepid: z.optional(z.string()),
  name: required,
  no: required,
  url: text,
  query_fields: pairs,
  posts: z.union([z.string(), z.array(pair)]),
  headers: pairs,
  variables: pairs,
  timeout: text,
  required: text,
  status_codes: text,
  follow_redirects: text,
  retrieve_mode: text,
});

const scenario = z.object({
  httptestid: required,
  hostid: required,
  name: required,
  delay: text,
  retries: text,
  agent: text,
  http_proxy: text,
  status: text,
  authentication: text,
  http_user: text,
  http_password: text,
  verify_peer: text,
  verify_host: text,
  ssl_cert_file: text,
  ssl_key_file: text,
  ssl_key_password: text,
  headers: pairs,
  variables: pairs,
  templateid: text,
  steps: z._default(z.array(step), []),
  tags: z._default(z.array(z.object({ tag: required, value: text })), []),
  hosts: z._default(z.array(z.object({ hostid: required, name: required })), []),
});

const result = z.object({
  itemid: required,
  hostid: required,
  key_: required,
  lastvalue: text,
  lastclock: text,
  state: text,
  error: text,
});

export type WebScenario = z.infer<typeof scenario>;
export type WebStep = z.infer<typeof step>;
export type WebDraft = Omit<WebScenario, "httptestid" | "templateid" | "hosts">;

/** What became of the last run of a scenario. */
export interface WebResult {
  /** seconds since 1970; 0: it never ran */
  readonly clock: number;
  /** number of the step that failed; 0: none */
  readonly failed: number;
  readonly error: string;
  /** why it cannot be run at all */
  readonly refusal: string;
}

const ALL = {
  output: "extend",
  selectSteps: "extend",
  selectTags: "extend",
  selectHosts: ["hostid", "name"],
  sortfield: "name",
} as const;

export async function fetchScenarios(
  ownerid: Id,
  signal?: AbortSignal,
): Promise<readonly WebScenario[]> {
  return call("httptest.get", { ...ALL, hostids: [ownerid] }, schema.listOf(scenario), signal);
}

/** Enabled ones of monitored hosts. */
export async function fetchMonitoredScenarios(
  signal?: AbortSignal,
): Promise<readonly WebScenario[]> {
  const params = { ...ALL, monitored: true, templated: false, limit: 1_000 };
  return call("httptest.get", params, schema.listOf(scenario), signal);
}

export async function fetchScenario(
  id: Id,
  signal?: AbortSignal,
): Promise<WebScenario | undefined> {
  const params = { ...ALL, httptestids: [id] };
  return (await call("httptest.get", params, schema.listOf(scenario), signal))[0];
}

/** By the id of the scenario, which is that of its item for the step that failed. */
export async function fetchWebResults(
  scenarios: readonly WebScenario[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<Id, WebResult>> {
  if (scenarios.length === 0) return new Map();
  const items = await call(
    "item.get",
    {
      output: ["itemid", "hostid", "key_", "lastvalue", "lastclock", "state", "error"],
      hostids: [...new Set(scenarios.map((it) => it.hostid))],
      webitems: true,
      search: { key_: ["web.test.fail[", "web.test.error["] },
      searchByAny: true,
      startSearch: true,
    },
    schema.listOf(result),
    signal,
  );
  const errors = new Map(items.map((it) => [`${it.hostid} ${it.key_}`, it.lastvalue]));
  return new Map(
    items
      .filter((it) => it.key_.startsWith("web.test.fail["))
      .map((it) => {
        const key = it.key_.replace("web.test.fail[", "web.test.error[");
        const failed = Number(it.lastvalue);
        return [
          it.itemid,
          {
            clock: Number(it.lastclock),
            failed,
            error: failed === 0 ? "" : (errors.get(`${it.hostid} ${key}`) ?? ""),
            refusal: it.state === "1" ? it.error : "",
          },
        ];
      }),
  );
}

/** Lists of fields are sent under a name of their own. */
function sentSteps(steps: readonly WebStep[]) {
  return steps.map(({ posts, ...step }) =>
    typeof posts === "string" ? { ...step, posts } : { ...step, post_fields: posts },
  );
}

export async function createScenario({ steps, ...draft }: WebDraft): Promise<Id> {
  const sent = { ...draft, steps: sentSteps(steps) };
  const ids = await call("httptest.create", sent, schema.createdIds("httptestids"));
  return ids[0] ?? "";
}

export async function updateScenario(
  httptestid: Id,
  { hostid: _, steps, ...draft }: Partial<WebDraft>,
): Promise<void> {
  const fields = steps === undefined ? draft : { ...draft, steps: sentSteps(steps) };
  await call("httptest.update", { httptestid, ...fields }, schema.changed);
}

export async function setScenariosStatus(ids: readonly Id[], status: string): Promise<void> {
  const changes = ids.map((httptestid) => ({ httptestid, status }));
  await call("httptest.update", changes, schema.changed);
}

export async function deleteScenarios(ids: readonly Id[]): Promise<void> {
  await call("httptest.delete", ids, schema.changed);
}
