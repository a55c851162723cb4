// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { Action } from "./action";
import type { GetParams, Output } from "./get";
import type { Host } from "./host";
import type { HostGroup } from "./host-group";

/** What actions and users start on hosts and for problems. */
export interface Script {
  /** Id. */
  readonly scriptid: string;
  /** Name, which no other has in the same menu. */
  readonly name: string;
  /** Who starts it: 1 operations of actions, 2 users on hosts, 4 users on problems. */
  readonly scope: string;
  /** 0 shell command, 1 IPMI, 2 SSH, 3 Telnet, 5 webhook, 6 URL that pages open. */
  readonly type: string;
  /** On hosts of this group and those below it; 0 all. Default: 0. */
  readonly groupid: string;
  /** Description. */
  readonly description: string;
  /** Folders in the menu, divided by slashes. */
  readonly menu_path: string;
  /** Whose users may start it; 0 all. Default: 0. */
  readonly usrgrpid: string;
  /** Right on the host that users need: 2 read, 3 write. Default: 2. */
  readonly host_access: string;
  /** Question that the user confirms before the script runs. */
  readonly confirmation: string;
  /** Command, or source of a webhook. */
  readonly command: string;
  /** Of shell commands: 0 agent, 1 server, 2 server or the host's proxy. Default: 2. */
  readonly execute_on: string;
  /** Of SSH and Telnet, if it is not the usual one. */
  readonly port: string;
  /** Of SSH: 0 password, 1 key. Default: 0. */
  readonly authtype: string;
  /** Of SSH: name of the file. */
  readonly publickey: string;
  /** Of SSH: name of the file. */
  readonly privatekey: string;
  /** Of SSH and Telnet. */
  readonly username: string;
  /** Of SSH and Telnet; of the key. */
  readonly password: string;
  /** Of webhooks: 1 s to 60 s. Default: 30s. */
  readonly timeout: string;
  /** Of webhooks. */
  readonly parameters: readonly {
    /** Name, by which the script finds it. */
    readonly name: string;
    /** Value, which may hold macros. */
    readonly value: string;
  }[];
  /** Of URLs: where to, which may hold macros. */
  readonly url: string;
  /** Of URLs: 1 opens a window of its own. Default: 1. */
  readonly new_window: string;
  /** 1: users are asked for {MANUALINPUT}. Default: 0. */
  readonly manualinput: string;
  /** What they are asked. */
  readonly manualinput_prompt: string;
  /** 0 regular expression, 1 list of values. Default: 0. */
  readonly manualinput_validator_type: string;
  /** Regular expression that the input has to match, or values to choose from, divided by commas. */
  readonly manualinput_validator: string;
  /** What stands there at first. */
  readonly manualinput_default_value: string;
}

/** The properties of `select…` parameters. */
export interface ScriptSelects {
  /** `selectHostGroups`. */
  readonly hostgroups: readonly HostGroup[];
  /** `selectGroups`. */
  readonly groups: readonly HostGroup[];
  /** `selectHosts`. */
  readonly hosts: readonly Host[];
  /** `selectActions`. */
  readonly actions: readonly Action[];
}

/** Parameters of `script.get`. */
export interface ScriptGet extends GetParams<keyof Script> {
  readonly selectHostGroups?: Output<keyof HostGroup> | undefined;
  readonly selectGroups?: Output<keyof HostGroup> | undefined;
  readonly selectHosts?: Output<keyof Host> | undefined;
  readonly selectActions?: Output<keyof Action> | undefined;
}

/** Parameters of `script.create`. */
export interface ScriptCreate {
  /** Name, which no other has in the same menu. */
  readonly name: string;
  /** Who starts it: 1 operations of actions, 2 users on hosts, 4 users on problems. */
  readonly scope: string | number;
  /** 0 shell command, 1 IPMI, 2 SSH, 3 Telnet, 5 webhook, 6 URL that pages open. */
  readonly type: string | number;
  /** On hosts of this group and those below it; 0 all. Default: 0. */
  readonly groupid?: string | number | undefined;
  /** Description. */
  readonly description?: string | undefined;
  /** Folders in the menu, divided by slashes. */
  readonly menu_path?: string | undefined;
  /** Whose users may start it; 0 all. Default: 0. */
  readonly usrgrpid?: string | number | undefined;
  /** Right on the host that users need: 2 read, 3 write. Default: 2. */
  readonly host_access?: string | number | undefined;
  /** Question that the user confirms before the script runs. */
  readonly confirmation?: string | undefined;
  /** Command, or source of a webhook. */
  readonly command?: string | undefined;
  /** Of shell commands: 0 agent, 1 server, 2 server or the host's proxy. Default: 2. */
  readonly execute_on?: string | number | undefined;
  /** Of SSH and Telnet, if it is not the usual one. */
  readonly port?: string | undefined;
  /** Of SSH: 0 password, 1 key. Default: 0. */
  readonly authtype?: string | number | undefined;
  /** Of SSH: name of the file. */
  readonly publickey?: string | undefined;
  /** Of SSH: name of the file. */
  readonly privatekey?: string | undefined;
  /** Of SSH and Telnet. */
  readonly username?: string | undefined;
  /** Of SSH and Telnet; of the key. */
  readonly password?: string | undefined;
  /** Of webhooks: 1 s to 60 s. Default: 30s. */
  readonly timeout?: string | undefined;
  /** Of webhooks. */
  readonly parameters?: readonly {
    /** Name, by which the script finds it. */
    readonly name: string;
    /** Value, which may hold macros. */
    readonly value: string;
  }[] | undefined;
  /** Of URLs: where to, which may hold macros. */
  readonly url?: string | undefined;
  /** Of URLs: 1 opens a window of its own. Default: 1. */
  readonly new_window?: string | number | undefined;
  /** 1: users are asked for {MANUALINPUT}. Default: 0. */
  readonly manualinput?: string | number | undefined;
  /** What they are asked. */
  readonly manualinput_prompt?: string | undefined;
  /** 0 regular expression, 1 list of values. Default: 0. */
  readonly manualinput_validator_type?: string | number | undefined;
  /** Regular expression that the input has to match, or values to choose from, divided by commas. */
  readonly manualinput_validator?: string | undefined;
  /** What stands there at first. */
  readonly manualinput_default_value?: string | undefined;
}

/** Parameters of `script.update`: omitted fields keep their values. */
export type ScriptUpdate = Partial<ScriptCreate> & { readonly scriptid: string };

/** What forms and readers of answers have to know of it. */
export const SCRIPT = {
  object: "script",
  id: "scriptid",
  ids: "scriptids",
  fields: {
    scriptid: { type: "id", readOnly: true },
    name: { type: "text", max: 255, required: true },
    scope: {
      type: "code",
      codes: ["1", "2", "4"],
      required: true,
      names: { ACTIONS: "1", HOSTS: "2", EVENTS: "4" },
    },
    type: {
      type: "code",
      codes: ["0", "1", "2", "3", "5", "6"],
      required: true,
      names: { SHELL: "0", IPMI: "1", SSH: "2", TELNET: "3", WEBHOOK: "5", URL: "6" },
    },
    groupid: { type: "id", default: "0" },
    description: { type: "text", max: 65535 },
    menu_path: { type: "text", max: 255, only: [{ field: "scope", oneOf: ["2", "4"] }] },
    usrgrpid: { type: "id", default: "0", only: [{ field: "scope", oneOf: ["2", "4"] }] },
    host_access: {
      type: "code",
      codes: ["2", "3"],
      default: "2",
      names: { READ: "2", WRITE: "3" },
      only: [{ field: "scope", oneOf: ["2", "4"] }],
    },
    confirmation: { type: "text", max: 255, only: [{ field: "scope", oneOf: ["2", "4"] }] },
    command: {
      type: "text",
      max: 65535,
      only: [{ field: "type", oneOf: ["0", "1", "2", "3", "5"] }],
      needed: [{ field: "type", oneOf: ["0", "1", "2", "3", "5"] }],
    },
    execute_on: {
      type: "code",
      codes: ["0", "1", "2"],
      default: "2",
      only: [{ field: "type", oneOf: ["0"] }],
    },
    port: { type: "text", max: 64, form: "port", only: [{ field: "type", oneOf: ["2", "3"] }] },
    authtype: {
      type: "code",
      codes: ["0", "1"],
      default: "0",
      only: [{ field: "type", oneOf: ["2"] }],
    },
    publickey: {
      type: "text",
      max: 64,
      only: [{ field: "type", oneOf: ["2"] }, { field: "authtype", oneOf: ["1"] }],
      needed: [{ field: "type", oneOf: ["2"] }, { field: "authtype", oneOf: ["1"] }],
    },
    privatekey: {
      type: "text",
      max: 64,
      only: [{ field: "type", oneOf: ["2"] }, { field: "authtype", oneOf: ["1"] }],
      needed: [{ field: "type", oneOf: ["2"] }, { field: "authtype", oneOf: ["1"] }],
    },
    username: {
      type: "text",
      max: 64,
      only: [{ field: "type", oneOf: ["2", "3"] }],
      needed: [{ field: "type", oneOf: ["2", "3"] }],
    },
    password: { type: "text", max: 64, only: [{ field: "type", oneOf: ["2", "3"] }] },
    timeout: {
      type: "text",
      max: 255,
      default: "30s",
      form: "period-or-macro",
      within: [1, 60],
      only: [{ field: "type", oneOf: ["5"] }],
    },
    parameters: {
      type: "list",
      fields: {
        name: { type: "text", max: 255, required: true },
        value: { type: "text", max: 2048, required: true },
      },
      only: [{ field: "type", oneOf: ["5"] }],
    },
    url: {
      type: "text",
      max: 2048,
      only: [{ field: "type", oneOf: ["6"] }],
      needed: [{ field: "type", oneOf: ["6"] }],
    },
    new_window: {
      type: "code",
      codes: ["0", "1"],
      default: "1",
      only: [{ field: "type", oneOf: ["6"] }],
    },
    manualinput: {
      type: "code",
      codes: ["0", "1"],
      default: "0",
      only: [{ field: "scope", oneOf: ["2", "4"] }],
    },
    manualinput_prompt: {
      type: "text",
      max: 255,
      only: [{ field: "scope", oneOf: ["2", "4"] }, { field: "manualinput", oneOf: ["1"] }],
      needed: [{ field: "scope", oneOf: ["2", "4"] }, { field: "manualinput", oneOf: ["1"] }],
    },
    manualinput_validator_type: {
      type: "code",
      codes: ["0", "1"],
      default: "0",
      names: { REGULAR_EXPRESSION: "0", LIST: "1" },
      only: [{ field: "scope", oneOf: ["2", "4"] }, { field: "manualinput", oneOf: ["1"] }],
    },
    manualinput_validator: {
      type: "text",
      max: 2048,
      only: [{ field: "scope", oneOf: ["2", "4"] }, { field: "manualinput", oneOf: ["1"] }],
      needed: [{ field: "scope", oneOf: ["2", "4"] }, { field: "manualinput", oneOf: ["1"] }],
    },
    manualinput_default_value: {
      type: "text",
      max: 255,
      only: [
        { field: "scope", oneOf: ["2", "4"] },
        { field: "manualinput", oneOf: ["1"] },
        { field: "manualinput_validator_type", oneOf: ["0"] },
      ],
    },
  },
  selects: {
    hostgroups: { param: "selectHostGroups", objects: "hostgroup" },
    groups: { param: "selectGroups", objects: "hostgroup" },
    hosts: { param: "selectHosts", objects: "host" },
    actions: { param: "selectActions", objects: "action" },
  },
} as const;
