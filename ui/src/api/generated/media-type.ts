// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { Action } from "./action";
import type { GetParams, Output } from "./get";
import type { User } from "./user";

/** How messages reach users. */
export interface MediaType {
  /** Id. */
  readonly mediatypeid: string;
  /** 0 e-mail, 1 script, 2 SMS (nothing sends it), 4 webhook. */
  readonly type: string;
  /** Name, which no other has. */
  readonly name: string;
  /** Of e-mail: 0 any SMTP server, 1 Gmail, 2 Gmail relay, 3 Office 365, 4 Office 365 relay. Default: 0. */
  readonly provider: string;
  /** Name or address of the SMTP server. */
  readonly smtp_server: string;
  /** Name in the greeting; empty: the domain of the sender. */
  readonly smtp_helo: string;
  /** Sender: an address, or a name and an address in angle brackets. */
  readonly smtp_email: string;
  /** 0 none, 1 STARTTLS, 2 TLS from the start. Default: 0. */
  readonly smtp_security: string;
  /** 0 none, 1 user name and password, 2 OAuth 2.0 (XOAUTH2). Default: 0. */
  readonly smtp_authentication: string;
  /** Of scripts: file name in the folder that the server's settings name. */
  readonly exec_path: string;
  /** Of SMS: device; nothing sends SMS. */
  readonly gsm_modem: string;
  /** User name; for OAuth empty: the sender. */
  readonly username: string;
  /** Password. */
  readonly passwd: string;
  /** 0 enabled, 1 disabled. Default: 0. */
  readonly status: string;
  /** Port of the SMTP server. Default: 25. */
  readonly smtp_port: string;
  /** 1: the certificate is checked. Default: 0. */
  readonly smtp_verify_peer: string;
  /** 1: so is its name. Default: 0. */
  readonly smtp_verify_host: string;
  /** Messages sent at once; 0 as many as the server allows. Default: 1. */
  readonly maxsessions: string;
  /** How often a message is tried before it is given up. Default: 3. */
  readonly maxattempts: string;
  /** Between attempts, up to an hour. Default: 10s. */
  readonly attempt_interval: string;
  /** Of e-mail: 0 plain text, 1 HTML. Default: 1. */
  readonly message_format: string;
  /** Of webhooks: JavaScript. */
  readonly script: string;
  /** Of webhooks: for one run, 1 s to 60 s. Default: 30s. */
  readonly timeout: string;
  /** Of webhooks: 1 tags of the result are added to the event. Default: 0. */
  readonly process_tags: string;
  /** Of webhooks: 1 the menu of events has an entry. Default: 0. */
  readonly show_event_menu: string;
  /** Address of that entry. */
  readonly event_menu_url: string;
  /** Name of that entry. */
  readonly event_menu_name: string;
  /** Description. */
  readonly description: string;
  /** OAuth: kept for clients. */
  readonly redirection_url: string;
  /** OAuth: id of this client. */
  readonly client_id: string;
  /** OAuth: secret of this client. */
  readonly client_secret: string;
  /** OAuth: kept for clients. */
  readonly authorization_url: string;
  /** OAuth: where access tokens are renewed. */
  readonly token_url: string;
  /** OAuth: 1 the access token is valid, 2 the refresh token is, 3 both are. Default: 0. */
  readonly tokens_status: string;
  /** OAuth: access token. */
  readonly access_token: string;
  /** OAuth: when the access token was given. Default: 0. */
  readonly access_token_updated: string;
  /** OAuth: how long the access token is good, in seconds; 0 no end. Default: 0. */
  readonly access_expires_in: string;
  /** OAuth: gets new access tokens. */
  readonly refresh_token: string;
  /** Arguments of a script by sortorder, parameters of a webhook by name. */
  readonly parameters: readonly {
    /** Of scripts: its place among the arguments. */
    readonly sortorder: string;
    /** Of webhooks: its name. */
    readonly name: string;
    /** Value, which may hold macros. */
    readonly value: string;
  }[];
}

/** The properties of `select…` parameters. */
export interface MediaTypeSelects {
  /** `selectMessageTemplates`. */
  readonly message_templates: readonly {
    /** Of what events: 0 trigger, 1 discovery, 2 autoregistration, 3 internal, 4 service. */
    readonly eventsource: string;
    /** Of what operations: 0 problems, 1 recoveries, 2 updates. */
    readonly recovery: string;
    /** Subject, which may hold macros. */
    readonly subject: string;
    /** Text, which may hold macros. */
    readonly message: string;
  }[];
  /** `selectActions`. */
  readonly actions: readonly Action[];
  /** `selectUsers`. */
  readonly users: readonly User[];
}

/** Parameters of `mediatype.get`. */
export interface MediaTypeGet extends GetParams<keyof MediaType> {
  readonly selectMessageTemplates?: Output<string> | undefined;
  readonly selectActions?: Output<keyof Action> | undefined;
  readonly selectUsers?: Output<keyof User> | undefined;
}

/** Parameters of `mediatype.create`. */
export interface MediaTypeCreate {
  /** 0 e-mail, 1 script, 2 SMS (nothing sends it), 4 webhook. */
  readonly type: string | number;
  /** Name, which no other has. */
  readonly name: string;
  /** Of e-mail: 0 any SMTP server, 1 Gmail, 2 Gmail relay, 3 Office 365, 4 Office 365 relay. Default: 0. */
  readonly provider?: string | number | undefined;
  /** Name or address of the SMTP server. */
  readonly smtp_server?: string | undefined;
  /** Name in the greeting; empty: the domain of the sender. */
  readonly smtp_helo?: string | undefined;
  /** Sender: an address, or a name and an address in angle brackets. */
  readonly smtp_email?: string | undefined;
  /** 0 none, 1 STARTTLS, 2 TLS from the start. Default: 0. */
  readonly smtp_security?: string | number | undefined;
  /** 0 none, 1 user name and password, 2 OAuth 2.0 (XOAUTH2). Default: 0. */
  readonly smtp_authentication?: string | number | undefined;
  /** Of scripts: file name in the folder that the server's settings name. */
  readonly exec_path?: string | undefined;
  /** Of SMS: device; nothing sends SMS. */
  readonly gsm_modem?: string | undefined;
  /** User name; for OAuth empty: the sender. */
  readonly username?: string | undefined;
  /** Password. */
  readonly passwd?: string | undefined;
  /** 0 enabled, 1 disabled. Default: 0. */
  readonly status?: string | number | undefined;
  /** Port of the SMTP server. Default: 25. */
  readonly smtp_port?: string | number | undefined;
  /** 1: the certificate is checked. Default: 0. */
  readonly smtp_verify_peer?: string | number | undefined;
  /** 1: so is its name. Default: 0. */
  readonly smtp_verify_host?: string | number | undefined;
  /** Messages sent at once; 0 as many as the server allows. Default: 1. */
  readonly maxsessions?: string | number | undefined;
  /** How often a message is tried before it is given up. Default: 3. */
  readonly maxattempts?: string | number | undefined;
  /** Between attempts, up to an hour. Default: 10s. */
  readonly attempt_interval?: string | undefined;
  /** Of e-mail: 0 plain text, 1 HTML. Default: 1. */
  readonly message_format?: string | number | undefined;
  /** Of webhooks: JavaScript. */
  readonly script?: string | undefined;
  /** Of webhooks: for one run, 1 s to 60 s. Default: 30s. */
  readonly timeout?: string | undefined;
  /** Of webhooks: 1 tags of the result are added to the event. Default: 0. */
  readonly process_tags?: string | number | undefined;
  /** Of webhooks: 1 the menu of events has an entry. Default: 0. */
  readonly show_event_menu?: string | number | undefined;
  /** Address of that entry. */
  readonly event_menu_url?: string | undefined;
  /** Name of that entry. */
  readonly event_menu_name?: string | undefined;
  /** Description. */
  readonly description?: string | undefined;
  /** OAuth: kept for clients. */
  readonly redirection_url?: string | undefined;
  /** OAuth: id of this client. */
  readonly client_id?: string | undefined;
  /** OAuth: secret of this client. */
  readonly client_secret?: string | undefined;
  /** OAuth: kept for clients. */
  readonly authorization_url?: string | undefined;
  /** OAuth: where access tokens are renewed. */
  readonly token_url?: string | undefined;
  /** OAuth: 1 the access token is valid, 2 the refresh token is, 3 both are. Default: 0. */
  readonly tokens_status?: string | number | undefined;
  /** OAuth: access token. */
  readonly access_token?: string | undefined;
  /** OAuth: when the access token was given. Default: 0. */
  readonly access_token_updated?: string | number | undefined;
  /** OAuth: how long the access token is good, in seconds; 0 no end. Default: 0. */
  readonly access_expires_in?: string | number | undefined;
  /** OAuth: gets new access tokens. */
  readonly refresh_token?: string | undefined;
  /** Arguments of a script by sortorder, parameters of a webhook by name. */
  readonly parameters?: readonly {
    /** Of scripts: its place among the arguments. */
    readonly sortorder?: string | number | undefined;
    /** Of webhooks: its name. */
    readonly name?: string | undefined;
    /** Value, which may hold macros. */
    readonly value?: string | undefined;
  }[] | undefined;
  /** Default messages. */
  readonly message_templates?: readonly {
    /** Of what events: 0 trigger, 1 discovery, 2 autoregistration, 3 internal, 4 service. */
    readonly eventsource: string | number;
    /** Of what operations: 0 problems, 1 recoveries, 2 updates. */
    readonly recovery: string | number;
    /** Subject, which may hold macros. */
    readonly subject?: string | undefined;
    /** Text, which may hold macros. */
    readonly message?: string | undefined;
  }[] | undefined;
}

/** Parameters of `mediatype.update`: omitted fields keep their values. */
export type MediaTypeUpdate = Partial<MediaTypeCreate> & { readonly mediatypeid: string };

/** What forms and readers of answers have to know of it. */
export const MEDIA_TYPE = {
  object: "mediatype",
  id: "mediatypeid",
  ids: "mediatypeids",
  fields: {
    mediatypeid: { type: "id", readOnly: true },
    type: {
      type: "code",
      codes: ["0", "1", "2", "4"],
      required: true,
      names: { EMAIL: "0", SCRIPT: "1", SMS: "2", WEBHOOK: "4" },
    },
    name: { type: "text", max: 100, required: true },
    provider: {
      type: "code",
      codes: ["0", "1", "2", "3", "4"],
      default: "0",
      names: { SMTP: "0", GMAIL: "1", GMAIL_RELAY: "2", OFFICE365: "3", OFFICE365_RELAY: "4" },
    },
    smtp_server: {
      type: "text",
      max: 255,
      only: [{ field: "type", oneOf: ["0"] }],
      needed: [{ field: "type", oneOf: ["0"] }],
    },
    smtp_helo: { type: "text", max: 255, only: [{ field: "type", oneOf: ["0"] }] },
    smtp_email: {
      type: "text",
      max: 255,
      only: [{ field: "type", oneOf: ["0"] }],
      needed: [{ field: "type", oneOf: ["0"] }],
    },
    smtp_security: {
      type: "code",
      codes: ["0", "1", "2"],
      default: "0",
      names: { NONE: "0", STARTTLS: "1", SSL_OR_TLS: "2" },
      only: [{ field: "type", oneOf: ["0"] }],
    },
    smtp_authentication: {
      type: "code",
      codes: ["0", "1", "2"],
      default: "0",
      names: { NONE: "0", PASSWORD: "1", OAUTH: "2" },
      only: [{ field: "type", oneOf: ["0"] }],
    },
    exec_path: {
      type: "text",
      max: 255,
      only: [{ field: "type", oneOf: ["1"] }],
      needed: [{ field: "type", oneOf: ["1"] }],
    },
    gsm_modem: {
      type: "text",
      max: 255,
      only: [{ field: "type", oneOf: ["2"] }],
      needed: [{ field: "type", oneOf: ["2"] }],
    },
    username: {
      type: "text",
      max: 255,
      only: [{ field: "type", oneOf: ["0"] }, { field: "smtp_authentication", oneOf: ["1", "2"] }],
    },
    passwd: {
      type: "text",
      max: 255,
      only: [{ field: "type", oneOf: ["0"] }, { field: "smtp_authentication", oneOf: ["1"] }],
    },
    status: {
      type: "code",
      codes: ["0", "1"],
      default: "0",
      names: { ENABLED: "0", DISABLED: "1" },
    },
    smtp_port: {
      type: "int",
      min: 0,
      max: 65535,
      default: "25",
      only: [{ field: "type", oneOf: ["0"] }],
    },
    smtp_verify_peer: {
      type: "code",
      codes: ["0", "1"],
      default: "0",
      names: { NO: "0", YES: "1" },
      only: [{ field: "type", oneOf: ["0"] }, { field: "smtp_security", oneOf: ["1", "2"] }],
    },
    smtp_verify_host: {
      type: "code",
      codes: ["0", "1"],
      default: "0",
      names: { NO: "0", YES: "1" },
      only: [{ field: "type", oneOf: ["0"] }, { field: "smtp_security", oneOf: ["1", "2"] }],
    },
    maxsessions: {
      type: "int",
      min: 0,
      max: 100,
      default: "1",
      only: [{ field: "type", oneOf: ["0", "1", "4"] }],
    },
    maxattempts: { type: "int", min: 1, max: 100, default: "3" },
    attempt_interval: { type: "text", max: 32, default: "10s" },
    message_format: {
      type: "code",
      codes: ["0", "1"],
      default: "1",
      names: { TEXT: "0", HTML: "1", PLAIN_TEXT: "0" },
      only: [{ field: "type", oneOf: ["0"] }],
    },
    script: {
      type: "text",
      max: 65535,
      only: [{ field: "type", oneOf: ["4"] }],
      needed: [{ field: "type", oneOf: ["4"] }],
    },
    timeout: { type: "text", max: 255, default: "30s" },
    process_tags: {
      type: "code",
      codes: ["0", "1"],
      default: "0",
      names: { NO: "0", YES: "1" },
      only: [{ field: "type", oneOf: ["4"] }],
    },
    show_event_menu: {
      type: "code",
      codes: ["0", "1"],
      default: "0",
      names: { NO: "0", YES: "1" },
      only: [{ field: "type", oneOf: ["4"] }],
    },
    event_menu_url: {
      type: "text",
      max: 2048,
      only: [{ field: "type", oneOf: ["4"] }, { field: "show_event_menu", oneOf: ["1"] }],
      needed: [{ field: "type", oneOf: ["4"] }, { field: "show_event_menu", oneOf: ["1"] }],
    },
    event_menu_name: {
      type: "text",
      max: 255,
      only: [{ field: "type", oneOf: ["4"] }, { field: "show_event_menu", oneOf: ["1"] }],
      needed: [{ field: "type", oneOf: ["4"] }, { field: "show_event_menu", oneOf: ["1"] }],
    },
    description: { type: "text", max: 65535 },
    redirection_url: { type: "text", max: 2048 },
    client_id: { type: "text", max: 255 },
    client_secret: { type: "text", max: 255 },
    authorization_url: { type: "text", max: 2048 },
    token_url: { type: "text", max: 2048 },
    tokens_status: { type: "int", min: 0, max: 3, default: "0" },
    access_token: { type: "text", max: 65535 },
    access_token_updated: { type: "time", default: "0" },
    access_expires_in: { type: "int", min: 0, max: 2147483647, default: "0" },
    refresh_token: { type: "text", max: 65535 },
    parameters: {
      type: "list",
      fields: {
        sortorder: { type: "int", min: -2147483648, max: 2147483647 },
        name: { type: "text", max: 255 },
        value: { type: "text", max: 2048 },
      },
    },
    message_templates: {
      type: "list",
      fields: {
        eventsource: {
          type: "code",
          codes: ["0", "1", "2", "3", "4"],
          required: true,
          names: {
            TRIGGERS: "0",
            DISCOVERY: "1",
            AUTOREGISTRATION: "2",
            INTERNAL: "3",
            SERVICE: "4",
          },
        },
        recovery: {
          type: "code",
          codes: ["0", "1", "2"],
          required: true,
          names: { PROBLEM: "0", RECOVERY: "1", UPDATE: "2" },
        },
        subject: { type: "text", max: 255 },
        message: { type: "text", max: 65535 },
      },
      notAnswered: true,
    },
  },
  selects: {
    message_templates: { param: "selectMessageTemplates" },
    actions: { param: "selectActions", objects: "action" },
    users: { param: "selectUsers", objects: "user" },
  },
} as const;
