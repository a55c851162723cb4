// Web scenarios: `httptest.*`, and what became of their last runs.

import { ITEM } from "./generated/item";
import { WEB_SCENARIO } from "./generated/web-scenario";
import { type AnswerOf, type DraftOf, objectsOf, readerOf } from "./objects";
import type { Id } from "./types";

const { fields: FIELDS } = WEB_SCENARIO;
const { fields: STEP } = FIELDS.steps;
/** Bodies are answered as texts or as fields of forms, which are sent under a name of their own. */
const WITH_FORMS = {
  ...WEB_SCENARIO,
  fields: {
    ...FIELDS,
    steps: {
      ...FIELDS.steps,
      fields: { ...STEP, posts: { ...STEP.posts, orList: STEP.post_fields.fields } },
    },
  },
} as const;

export const SCENARIOS = objectsOf(WITH_FORMS, {
  output: [
    "httptestid",
    "hostid",
    "name",
    "delay",
    "retries",
    "agent",
    "http_proxy",
    "status",
    "authentication",
    "http_user",
    "http_password",
    "verify_peer",
    "verify_host",
    "ssl_cert_file",
    "ssl_key_file",
    "ssl_key_password",
    "headers",
    "variables",
    "templateid",
  ],
  selects: {
    steps: [
      "httpstepid",
      "name",
      "no",
      "url",
      "query_fields",
      "posts",
      "headers",
      "variables",
      "timeout",
      "required",
      "status_codes",
      "follow_redirects",
      "retrieve_mode",
    ],
    tags: ["tag", "value"],
    hosts: ["hostid", "name"],
  },
});

export type WebScenario = AnswerOf<typeof SCENARIOS>;
export type WebStep = WebScenario["steps"][number];
export type WebDraft = DraftOf<"httptest">;
export type WebStepDraft = WebDraft["steps"][number];

const RESULTS = readerOf(ITEM, {
  output: ["itemid", "hostid", "key_", "lastvalue", "lastclock", "state", "error"],
  params: {
    webitems: true,
    search: { key_: ["web.test.fail[", "web.test.error["] },
    searchByAny: true,
    startSearch: true,
  },
});

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

/** Enabled ones of monitored hosts. */
export async function fetchMonitoredScenarios(
  signal?: AbortSignal,
): Promise<readonly WebScenario[]> {
  return SCENARIOS.get({ monitored: true, templated: false, limit: 1_000 }, signal);
}

/** By the id of the scenario, which is that of its item for the step that failed. */
export async function fetchWebResults(
  scenarios: readonly WebScenario[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<Id, WebResult>> {
  if (scenarios.length === 0) return new Map();
  const hostids = [...new Set(scenarios.map((it) => it.hostid))];
  const items = await RESULTS.get({ hostids }, signal);
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
