// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams, Output } from "./get";

/** Where values or events are sent as they happen. */
export interface Connector {
  /** Id. */
  readonly connectorid: string;
  /** Name. */
  readonly name: string;
  /** 0 Zabbix streaming protocol v1.0: lines of JSON. Default: 0. */
  readonly protocol: string;
  /** 0 values of items, 1 events. Default: 0. */
  readonly data_type: string;
  /** Where they are sent by POST; may hold global macros. */
  readonly url: string;
  /** Types of values, added up: 1 float, 2 character, 4 log, 8 unsigned, 16 text, 32 binary. Default: 31. */
  readonly item_value_type: string;
  /** 0 none, 1 basic, 2 NTLM, 3 Kerberos, 4 digest, 5 bearer token. Default: 0. */
  readonly authtype: string;
  /** User name for basic, NTLM, Kerberos and digest authentication. */
  readonly username: string;
  /** Password for basic, NTLM, Kerberos and digest authentication. */
  readonly password: string;
  /** Bearer token. */
  readonly token: string;
  /** Most values or events of one request; 0 as many as there are. Default: 0. */
  readonly max_records: string;
  /** Requests at once; those of one item follow one another. Default: 1. */
  readonly max_senders: string;
  /** Attempts, one soon after the other; later ones come at growing intervals. Default: 1. */
  readonly max_attempts: string;
  /** Between attempts. Default: 5s. */
  readonly attempt_interval: string;
  /** For one request, or a global macro. Default: 5s. */
  readonly timeout: string;
  /** Proxy as [protocol://][user[:password]@]host[:port]; may hold global macros. */
  readonly http_proxy: string;
  /** 1: the certificate is checked. Default: 1. */
  readonly verify_peer: string;
  /** 1: its name has to be the one in the URL. Default: 1. */
  readonly verify_host: string;
  /** File of our certificate, for receivers that ask for one; may hold global macros. */
  readonly ssl_cert_file: string;
  /** File of its key; empty: it is in that of the certificate. */
  readonly ssl_key_file: string;
  /** Password of the key. */
  readonly ssl_key_password: string;
  /** Description. */
  readonly description: string;
  /** 0 disabled, 1 enabled. Default: 1. */
  readonly status: string;
  /** 0 And/Or: conditions on one tag are alternatives; 2 Or: one condition is enough. Default: 0. */
  readonly tags_evaltype: string;
}

/** The properties of `select…` parameters. */
export interface ConnectorSelects {
  /** `selectTags`; its number, as a text, with "count". */
  readonly tags: readonly {
    /** Name of the tag. */
    readonly tag: string;
    /** 0 equals, 1 does not equal, 2 contains, 3 does not contain, 12 exists, 13 does not exist. Default: 0. */
    readonly operator: string;
    /** Value of the tag, or a part of it. */
    readonly value: string;
  }[] | string;
}

/** Parameters of `connector.get`. */
export interface ConnectorGet extends GetParams<keyof Connector> {
  readonly selectTags?: Output<string> | "count" | undefined;
}

/** Parameters of `connector.create`. */
export interface ConnectorCreate {
  /** Name. */
  readonly name: string;
  /** 0 Zabbix streaming protocol v1.0: lines of JSON. Default: 0. */
  readonly protocol?: string | number | undefined;
  /** 0 values of items, 1 events. Default: 0. */
  readonly data_type?: string | number | undefined;
  /** Where they are sent by POST; may hold global macros. */
  readonly url: string;
  /** Types of values, added up: 1 float, 2 character, 4 log, 8 unsigned, 16 text, 32 binary. Default: 31. */
  readonly item_value_type?: string | number | undefined;
  /** 0 none, 1 basic, 2 NTLM, 3 Kerberos, 4 digest, 5 bearer token. Default: 0. */
  readonly authtype?: string | number | undefined;
  /** User name for basic, NTLM, Kerberos and digest authentication. */
  readonly username?: string | undefined;
  /** Password for basic, NTLM, Kerberos and digest authentication. */
  readonly password?: string | undefined;
  /** Bearer token. */
  readonly token?: string | undefined;
  /** Most values or events of one request; 0 as many as there are. Default: 0. */
  readonly max_records?: string | number | undefined;
  /** Requests at once; those of one item follow one another. Default: 1. */
  readonly max_senders?: string | number | undefined;
  /** Attempts, one soon after the other; later ones come at growing intervals. Default: 1. */
  readonly max_attempts?: string | number | undefined;
  /** Between attempts. Default: 5s. */
  readonly attempt_interval?: string | undefined;
  /** For one request, or a global macro. Default: 5s. */
  readonly timeout?: string | undefined;
  /** Proxy as [protocol://][user[:password]@]host[:port]; may hold global macros. */
  readonly http_proxy?: string | undefined;
  /** 1: the certificate is checked. Default: 1. */
  readonly verify_peer?: string | number | undefined;
  /** 1: its name has to be the one in the URL. Default: 1. */
  readonly verify_host?: string | number | undefined;
  /** File of our certificate, for receivers that ask for one; may hold global macros. */
  readonly ssl_cert_file?: string | undefined;
  /** File of its key; empty: it is in that of the certificate. */
  readonly ssl_key_file?: string | undefined;
  /** Password of the key. */
  readonly ssl_key_password?: string | undefined;
  /** Description. */
  readonly description?: string | undefined;
  /** 0 disabled, 1 enabled. Default: 1. */
  readonly status?: string | number | undefined;
  /** 0 And/Or: conditions on one tag are alternatives; 2 Or: one condition is enough. Default: 0. */
  readonly tags_evaltype?: string | number | undefined;
  /** Conditions on the tags of the item or event; without any all is sent. */
  readonly tags?: readonly {
    /** Name of the tag. */
    readonly tag: string;
    /** 0 equals, 1 does not equal, 2 contains, 3 does not contain, 12 exists, 13 does not exist. Default: 0. */
    readonly operator?: string | number | undefined;
    /** Value of the tag, or a part of it. */
    readonly value?: string | undefined;
  }[] | undefined;
}

/** Parameters of `connector.update`: omitted fields keep their values. */
export type ConnectorUpdate = Partial<ConnectorCreate> & { readonly connectorid: string };

/** What forms and readers of answers have to know of it. */
export const CONNECTOR = {
  object: "connector",
  id: "connectorid",
  ids: "connectorids",
  fields: {
    connectorid: { type: "id", readOnly: true },
    name: { type: "text", max: 255, required: true },
    protocol: { type: "code", codes: ["0"], default: "0" },
    data_type: {
      type: "code",
      codes: ["0", "1"],
      default: "0",
      names: { ITEM_VALUES: "0", EVENTS: "1" },
    },
    url: { type: "text", max: 2048, required: true },
    item_value_type: {
      type: "int",
      min: 1,
      max: 63,
      default: "31",
      only: [{ field: "data_type", oneOf: ["0"] }],
    },
    authtype: {
      type: "code",
      codes: ["0", "1", "2", "3", "4", "5"],
      default: "0",
      names: { NONE: "0", BASIC: "1", NTLM: "2", KERBEROS: "3", DIGEST: "4", BEARER: "5" },
    },
    username: {
      type: "text",
      max: 255,
      only: [{ field: "authtype", oneOf: ["1", "2", "3", "4"] }],
    },
    password: {
      type: "text",
      max: 255,
      only: [{ field: "authtype", oneOf: ["1", "2", "3", "4"] }],
    },
    token: {
      type: "text",
      max: 128,
      only: [{ field: "authtype", oneOf: ["5"] }],
      needed: [{ field: "authtype", oneOf: ["5"] }],
    },
    max_records: { type: "int", min: 0, max: 2147483647, default: "0" },
    max_senders: { type: "int", min: 1, max: 100, default: "1" },
    max_attempts: { type: "int", min: 1, max: 5, default: "1" },
    attempt_interval: {
      type: "text",
      max: 32,
      default: "5s",
      form: "period",
      within: [0, 10],
      only: [{ field: "max_attempts", oneOf: ["2", "3", "4", "5"] }],
    },
    timeout: { type: "text", max: 255, default: "5s", form: "period-or-macro", within: [1, 60] },
    http_proxy: { type: "text", max: 255 },
    verify_peer: { type: "code", codes: ["0", "1"], default: "1" },
    verify_host: { type: "code", codes: ["0", "1"], default: "1" },
    ssl_cert_file: { type: "text", max: 255 },
    ssl_key_file: { type: "text", max: 255 },
    ssl_key_password: { type: "text", max: 64 },
    description: { type: "text", max: 65535 },
    status: {
      type: "code",
      codes: ["0", "1"],
      default: "1",
      names: { DISABLED: "0", ENABLED: "1" },
    },
    tags_evaltype: { type: "code", codes: ["0", "2"], default: "0" },
    tags: {
      type: "list",
      fields: {
        tag: { type: "text", max: 255, required: true },
        operator: {
          type: "code",
          codes: ["0", "1", "2", "3", "12", "13"],
          default: "0",
          names: {
            EQUALS: "0",
            NOT_EQUALS: "1",
            CONTAINS: "2",
            NOT_CONTAINS: "3",
            EXISTS: "12",
            NOT_EXISTS: "13",
          },
        },
        value: {
          type: "text",
          max: 255,
          only: [{ field: "operator", oneOf: ["0", "1", "2", "3"] }],
        },
      },
      notAnswered: true,
    },
  },
  selects: { tags: { param: "selectTags" } },
} as const;
