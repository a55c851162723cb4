// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams, Output } from "./get";
import type { Host } from "./host";
import type { NamedValue, NamedValueCreate, Tag, TagCreate } from "./parts";

/** Pages that are requested one after the other, as a user would. */
export interface WebScenario {
  /** Id. */
  readonly httptestid: string;
  /** Host or template that it belongs to. Not changed later. */
  readonly hostid: string;
  /** Name. */
  readonly name: string;
  /** Update interval. Default: 1m. */
  readonly delay: string;
  /** Attempts. Default: 1. */
  readonly retries: string;
  /** User agent. Default: Zabbix. */
  readonly agent: string;
  /** Proxy. */
  readonly http_proxy: string;
  /** Variables of all steps. */
  readonly variables: readonly NamedValue[];
  /** Headers of all steps. */
  readonly headers: readonly NamedValue[];
  /** 0 enabled, 1 disabled. Default: 0. */
  readonly status: string;
  /** 0 none, 1 basic, 2 NTLM, 3 Kerberos, 4 digest. Default: 0. */
  readonly authentication: string;
  /** User. */
  readonly http_user: string;
  /** Password. */
  readonly http_password: string;
  /** 1 check the server's certificate. Default: 0. */
  readonly verify_peer: string;
  /** 1 check the server's name. Default: 0. */
  readonly verify_host: string;
  /** File of the client's certificate. */
  readonly ssl_cert_file: string;
  /** File of its key. */
  readonly ssl_key_file: string;
  /** Password of its key. */
  readonly ssl_key_password: string;
  /** Identity in exports of templates. */
  readonly uuid: string;
  /** The object of the directly linked template that it comes from; 0: none. */
  readonly templateid: string;
}

/** The properties of `select…` parameters. */
export interface WebScenarioSelects {
  /** `selectHosts`. */
  readonly hosts: readonly Host[];
  /** `selectSteps`; its number, as a text, with "count". */
  readonly steps: readonly {
    /** Id; of a step that stays. */
    readonly httpstepid: string;
    /** The scenario. */
    readonly httptestid: string;
    /** Name; needed for a new step. */
    readonly name: string;
    /** Its number among the others; needed for a new step. */
    readonly no: string;
    /** URL; needed for a new step. */
    readonly url: string;
    /** Query fields. */
    readonly query_fields: readonly NamedValue[];
    /** Body of a POST: a text, or a list of fields of a form, each with `name` and `value`. */
    readonly posts: string;
    /** Variables for this step and those behind it. */
    readonly variables: readonly NamedValue[];
    /** Headers, in place of the scenario's. */
    readonly headers: readonly NamedValue[];
    /** 1 follow redirects. */
    readonly follow_redirects: string;
    /** What is searched: 0 body, 1 headers, 2 both. */
    readonly retrieve_mode: string;
    /** Time for its answers, 1s to 1h. */
    readonly timeout: string;
    /** Pattern that has to be found. */
    readonly required: string;
    /** Codes and ranges that are no failure. */
    readonly status_codes: string;
  }[] | string;
  /** `selectTags`. */
  readonly tags: readonly Tag[];
}

/** Parameters of `httptest.get`. */
export interface WebScenarioGet extends GetParams<keyof WebScenario> {
  readonly selectHosts?: Output<keyof Host> | undefined;
  readonly selectSteps?: Output<string> | "count" | undefined;
  readonly selectTags?: Output<keyof Tag> | undefined;
}

/** Parameters of `httptest.create`. */
export interface WebScenarioCreate {
  /** Host or template that it belongs to. Not changed later. */
  readonly hostid?: string | number | undefined;
  /** Name. */
  readonly name: string;
  /** Update interval. Default: 1m. */
  readonly delay?: string | undefined;
  /** Attempts. Default: 1. */
  readonly retries?: string | number | undefined;
  /** User agent. Default: Zabbix. */
  readonly agent?: string | undefined;
  /** Proxy. */
  readonly http_proxy?: string | undefined;
  /** Variables of all steps. */
  readonly variables?: readonly NamedValueCreate[] | undefined;
  /** Headers of all steps. */
  readonly headers?: readonly NamedValueCreate[] | undefined;
  /** 0 enabled, 1 disabled. Default: 0. */
  readonly status?: string | number | undefined;
  /** 0 none, 1 basic, 2 NTLM, 3 Kerberos, 4 digest. Default: 0. */
  readonly authentication?: string | number | undefined;
  /** User. */
  readonly http_user?: string | undefined;
  /** Password. */
  readonly http_password?: string | undefined;
  /** 1 check the server's certificate. Default: 0. */
  readonly verify_peer?: string | number | undefined;
  /** 1 check the server's name. Default: 0. */
  readonly verify_host?: string | number | undefined;
  /** File of the client's certificate. */
  readonly ssl_cert_file?: string | undefined;
  /** File of its key. */
  readonly ssl_key_file?: string | undefined;
  /** Password of its key. */
  readonly ssl_key_password?: string | undefined;
  /** Steps in order of `no`. */
  readonly steps: readonly {
    /** Id; of a step that stays. */
    readonly httpstepid?: string | number | undefined;
    /** The scenario. */
    readonly httptestid?: string | number | undefined;
    /** Name; needed for a new step. */
    readonly name: string;
    /** Its number among the others; needed for a new step. */
    readonly no: string | number;
    /** URL; needed for a new step. */
    readonly url: string;
    /** Query fields. */
    readonly query_fields?: readonly NamedValueCreate[] | undefined;
    /** Body of a POST: a text, or a list of fields of a form, each with `name` and `value`. */
    readonly posts?: string | undefined;
    /** Another way to give a list as `posts`. */
    readonly post_fields?: readonly NamedValueCreate[] | undefined;
    /** Variables for this step and those behind it. */
    readonly variables?: readonly NamedValueCreate[] | undefined;
    /** Headers, in place of the scenario's. */
    readonly headers?: readonly NamedValueCreate[] | undefined;
    /** 1 follow redirects. */
    readonly follow_redirects?: string | number | undefined;
    /** What is searched: 0 body, 1 headers, 2 both. */
    readonly retrieve_mode?: string | number | undefined;
    /** Time for its answers, 1s to 1h. */
    readonly timeout?: string | undefined;
    /** Pattern that has to be found. */
    readonly required?: string | undefined;
    /** Codes and ranges that are no failure. */
    readonly status_codes?: string | undefined;
  }[];
  /** Tags. */
  readonly tags?: readonly TagCreate[] | undefined;
  /** Identity in exports of templates. */
  readonly uuid?: string | undefined;
}

/** Parameters of `httptest.update`: omitted fields keep their values. */
export type WebScenarioUpdate = Partial<Omit<WebScenarioCreate, "hostid">> & { readonly httptestid: string };

/** What forms and readers of answers have to know of it. */
export const WEB_SCENARIO = {
  object: "httptest",
  id: "httptestid",
  ids: "httptestids",
  fields: {
    httptestid: { type: "id", readOnly: true },
    hostid: { type: "id", fixed: true, default: "0" },
    name: { type: "text", max: 64, required: true },
    delay: { type: "text", max: 255, default: "1m", form: "period-or-macro", within: [1, 86400] },
    retries: { type: "int", min: 1, max: 10, default: "1" },
    agent: { type: "text", max: 255, default: "Zabbix" },
    http_proxy: { type: "text", max: 255 },
    variables: {
      type: "list",
      fields: {
        name: { type: "text", max: 255, required: true, form: "variable" },
        value: { type: "text", max: 2048, required: true },
      },
    },
    headers: {
      type: "list",
      fields: {
        name: { type: "text", max: 255, required: true },
        value: { type: "text", max: 2048, required: true },
      },
    },
    status: { type: "code", codes: ["0", "1"], default: "0" },
    authentication: { type: "code", codes: ["0", "1", "2", "3", "4"], default: "0" },
    http_user: { type: "text", max: 255 },
    http_password: { type: "text", max: 255 },
    verify_peer: { type: "code", codes: ["0", "1"], default: "0" },
    verify_host: { type: "code", codes: ["0", "1"], default: "0" },
    ssl_cert_file: { type: "text", max: 255 },
    ssl_key_file: { type: "text", max: 255 },
    ssl_key_password: { type: "text", max: 255 },
    steps: {
      type: "list",
      fields: {
        httpstepid: { type: "id" },
        httptestid: { type: "id", readOnly: true },
        name: { type: "text", max: 64, required: true },
        no: { type: "int", min: -2147483648, max: 2147483647, required: true },
        url: { type: "text", max: 2048, required: true },
        query_fields: {
          type: "list",
          fields: {
            name: { type: "text", max: 255, required: true },
            value: { type: "text", max: 2048, required: true },
          },
        },
        posts: { type: "text", max: 65535 },
        post_fields: {
          type: "list",
          fields: {
            name: { type: "text", max: 255, required: true },
            value: { type: "text", max: 2048, required: true },
          },
          notAnswered: true,
        },
        variables: {
          type: "list",
          fields: {
            name: { type: "text", max: 255, required: true, form: "variable" },
            value: { type: "text", max: 2048, required: true },
          },
        },
        headers: {
          type: "list",
          fields: {
            name: { type: "text", max: 255, required: true },
            value: { type: "text", max: 2048, required: true },
          },
        },
        follow_redirects: { type: "code", codes: ["0", "1"] },
        retrieve_mode: { type: "code", codes: ["0", "1", "2"] },
        timeout: { type: "text", max: 255, form: "period-or-macro", within: [1, 3600] },
        required: { type: "text", max: 255 },
        status_codes: { type: "text", max: 255 },
      },
      notAnswered: true,
      required: true,
    },
    tags: {
      type: "list",
      fields: {
        tag: { type: "text", max: 255, required: true },
        value: { type: "text", max: 255 },
      },
      notAnswered: true,
    },
    uuid: { type: "uuid" },
    templateid: { type: "id", readOnly: true },
  },
  selects: {
    hosts: { param: "selectHosts", objects: "host" },
    steps: { param: "selectSteps" },
    tags: { param: "selectTags" },
  },
} as const;
