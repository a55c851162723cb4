// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { DiscoveryRule } from "./discovery-rule";
import type { DiscoveryRulePrototype } from "./discovery-rule-prototype";
import type { GetParams, Output } from "./get";
import type { Host } from "./host";
import type { SnmpDetails, SnmpDetailsCreate, Tag, TagCreate } from "./parts";
import type { Template } from "./template";

/** A pattern of the hosts of a discovery rule. */
export interface HostPrototype {
  /** Id. */
  readonly hostid: string;
  /** Discovery rule. Not changed later. */
  readonly ruleid: string;
  /** Technical name, with LLD macros. */
  readonly host: string;
  /** Visible name; the technical one if left out. */
  readonly name: string;
  /** Of new hosts: 0 monitored, 1 not. Default: 0. */
  readonly status: string;
  /** 0: rows make hosts, 1: they don't. Default: 0. */
  readonly discover: string;
  /** -1 disabled, 0 manual, 1 automatic. Default: -1. */
  readonly inventory_mode: string;
  /** 0: interfaces of the host that the rule is on, 1: its own. Default: 0. */
  readonly custom_interfaces: string;
  /** The prototype of the directly linked template that it comes from; 0: none. */
  readonly templateid: string;
  /** Identity in exports. */
  readonly uuid: string;
}

/** The properties of `select…` parameters. */
export interface HostPrototypeSelects {
  /** `selectDiscoveryRule`. */
  readonly discoveryRule: DiscoveryRule | readonly [];
  /** `selectDiscoveryRulePrototype`. */
  readonly discoveryRulePrototype: DiscoveryRulePrototype | readonly [];
  /** `selectParentHost`. */
  readonly parentHost: Host | readonly [];
  /** `selectGroupLinks`. */
  readonly groupLinks: readonly {
    /** Id; in an update it names the one that stays or is renamed. */
    readonly group_prototypeid: string;
    /** Id of the group. */
    readonly groupid: string;
    /** That of the directly linked template from which it comes; 0: none. */
    readonly templateid: string;
  }[];
  /** `selectGroupPrototypes`. */
  readonly groupPrototypes: readonly {
    /** Id; in an update it names the one that stays or is renamed. */
    readonly group_prototypeid: string;
    /** Name of a group, created if it does not exist; with LLD macros. */
    readonly name: string;
    /** That of the directly linked template from which it comes; 0: none. */
    readonly templateid: string;
  }[];
  /** `selectTemplates`; its number, as a text, with "count". */
  readonly templates: readonly Template[] | string;
  /** `selectMacros`. */
  readonly macros: readonly {
    /** Id. */
    readonly hostmacroid: string;
    /** Macro as written, with {$ and }. */
    readonly macro: string;
    /** 0 text, 1 secret, 2 vault. Default: 0. */
    readonly type: string;
    /** Value. */
    readonly value: string;
    /** Description. */
    readonly description: string;
  }[];
  /** `selectTags`. */
  readonly tags: readonly Tag[];
  /** `selectInterfaces`. */
  readonly interfaces: readonly {
    /** 1 agent, 2 SNMP, 3 IPMI, 4 JMX. */
    readonly type: string;
    /** 1: connect by IP, 0: by DNS name. */
    readonly useip: string;
    /** IP address; may hold macros. */
    readonly ip: string;
    /** DNS name; may hold macros. */
    readonly dns: string;
    /** Port; may be a macro. */
    readonly port: string;
    /** 1: the default interface of its type. */
    readonly main: string;
    /** How SNMP is spoken. */
    readonly details: SnmpDetails | readonly [];
  }[];
}

/** Parameters of `hostprototype.get`. */
export interface HostPrototypeGet extends GetParams<keyof HostPrototype> {
  readonly selectDiscoveryRule?: Output<keyof DiscoveryRule> | undefined;
  readonly selectDiscoveryRulePrototype?: Output<keyof DiscoveryRulePrototype> | undefined;
  readonly selectParentHost?: Output<keyof Host> | undefined;
  readonly selectGroupLinks?: Output<string> | undefined;
  readonly selectGroupPrototypes?: Output<string> | undefined;
  readonly selectTemplates?: Output<keyof Template> | "count" | undefined;
  readonly selectMacros?: Output<string> | undefined;
  readonly selectTags?: Output<keyof Tag> | undefined;
  readonly selectInterfaces?: Output<string> | undefined;
}

/** Parameters of `hostprototype.create`. */
export interface HostPrototypeCreate {
  /** Discovery rule. Not changed later. */
  readonly ruleid: string | number;
  /** Technical name, with LLD macros. */
  readonly host: string;
  /** Visible name; the technical one if left out. */
  readonly name?: string | undefined;
  /** Of new hosts: 0 monitored, 1 not. Default: 0. */
  readonly status?: string | number | undefined;
  /** 0: rows make hosts, 1: they don't. Default: 0. */
  readonly discover?: string | number | undefined;
  /** -1 disabled, 0 manual, 1 automatic. Default: -1. */
  readonly inventory_mode?: string | number | undefined;
  /** 0: interfaces of the host that the rule is on, 1: its own. Default: 0. */
  readonly custom_interfaces?: string | number | undefined;
  /** Identity in exports. */
  readonly uuid?: string | undefined;
  /** Groups of the hosts. */
  readonly groupLinks: readonly {
    /** Id; in an update it names the one that stays or is renamed. */
    readonly group_prototypeid?: string | number | undefined;
    /** Id of the group. */
    readonly groupid: string | number;
    /** That of the directly linked template from which it comes; 0: none. */
    readonly templateid?: string | number | undefined;
  }[];
  /** More groups, by name. */
  readonly groupPrototypes?: readonly {
    /** Id; in an update it names the one that stays or is renamed. */
    readonly group_prototypeid?: string | number | undefined;
    /** Name of a group, created if it does not exist; with LLD macros. */
    readonly name: string;
    /** That of the directly linked template from which it comes; 0: none. */
    readonly templateid?: string | number | undefined;
  }[] | undefined;
  /** Templates that the hosts link. */
  readonly templates?: readonly {
    /** Id. */
    readonly templateid: string | number;
  }[] | undefined;
  /** User macros of the hosts. */
  readonly macros?: readonly {
    /** Id. */
    readonly hostmacroid?: string | number | undefined;
    /** Macro as written, with {$ and }. */
    readonly macro: string;
    /** 0 text, 1 secret, 2 vault. Default: 0. */
    readonly type?: string | number | undefined;
    /** Value. */
    readonly value: string;
    /** Description. */
    readonly description?: string | undefined;
  }[] | undefined;
  /** Tags of the hosts. */
  readonly tags?: readonly TagCreate[] | undefined;
  /** With custom_interfaces 1. */
  readonly interfaces?: readonly {
    /** 1 agent, 2 SNMP, 3 IPMI, 4 JMX. */
    readonly type: string | number;
    /** 1: connect by IP, 0: by DNS name. */
    readonly useip: string | number;
    /** IP address; may hold macros. */
    readonly ip?: string | undefined;
    /** DNS name; may hold macros. */
    readonly dns?: string | undefined;
    /** Port; may be a macro. */
    readonly port: string;
    /** 1: the default interface of its type. */
    readonly main: string | number;
    /** How SNMP is spoken. */
    readonly details?: SnmpDetailsCreate | undefined;
  }[] | undefined;
}

/** Parameters of `hostprototype.update`: omitted fields keep their values. */
export type HostPrototypeUpdate = Partial<Omit<HostPrototypeCreate, "ruleid">> & { readonly hostid: string };

/** What forms and readers of answers have to know of it. */
export const HOST_PROTOTYPE = {
  object: "hostprototype",
  id: "hostid",
  ids: "hostids",
  fields: {
    hostid: { type: "id", readOnly: true },
    ruleid: { type: "id", fixed: true, required: true },
    host: { type: "text", max: 128, required: true },
    name: { type: "text", max: 128 },
    status: { type: "code", codes: ["0", "1"], default: "0" },
    discover: { type: "code", codes: ["0", "1"], default: "0" },
    inventory_mode: { type: "code", codes: ["-1", "0", "1"], default: "-1" },
    custom_interfaces: { type: "code", codes: ["0", "1"], default: "0" },
    templateid: { type: "id", readOnly: true },
    uuid: { type: "uuid" },
    groupLinks: {
      type: "list",
      fields: {
        group_prototypeid: { type: "id", readOnly: true },
        groupid: { type: "id", required: true },
        templateid: { type: "id", readOnly: true },
      },
      notAnswered: true,
      required: true,
    },
    groupPrototypes: {
      type: "list",
      fields: {
        group_prototypeid: { type: "id", readOnly: true },
        name: { type: "text", max: 255, required: true },
        templateid: { type: "id", readOnly: true },
      },
      notAnswered: true,
    },
    templates: {
      type: "list",
      fields: { templateid: { type: "id", required: true } },
      notAnswered: true,
    },
    macros: {
      type: "list",
      fields: {
        hostmacroid: { type: "id", readOnly: true },
        macro: { type: "text", max: 255, required: true, form: "user-macro" },
        type: { type: "code", codes: ["0", "1", "2"], default: "0" },
        value: { type: "text", max: 2048, required: true },
        description: { type: "text", max: 65535 },
      },
      notAnswered: true,
    },
    tags: {
      type: "list",
      fields: {
        tag: { type: "text", max: 255, required: true },
        value: { type: "text", max: 255 },
      },
      notAnswered: true,
    },
    interfaces: {
      type: "list",
      fields: {
        type: { type: "code", codes: ["1", "2", "3", "4"], required: true },
        useip: { type: "code", codes: ["0", "1"], required: true },
        ip: { type: "text", max: 64, needed: [{ field: "useip", oneOf: ["1"] }] },
        dns: { type: "text", max: 255, needed: [{ field: "useip", oneOf: ["0"] }] },
        port: { type: "text", max: 64, required: true },
        main: { type: "code", codes: ["0", "1"], required: true },
        details: {
          type: "object",
          fields: {
            version: { type: "code", codes: ["1", "2", "3"], required: true },
            bulk: { type: "code", codes: ["0", "1"], default: "1" },
            community: {
              type: "text",
              max: 64,
              only: [{ field: "version", oneOf: ["1", "2"] }],
              needed: [{ field: "version", oneOf: ["1", "2"] }],
            },
            max_repetitions: {
              type: "int",
              min: 1,
              max: 2147483647,
              default: "10",
              only: [{ field: "version", oneOf: ["2", "3"] }],
            },
            securityname: { type: "text", max: 64, only: [{ field: "version", oneOf: ["3"] }] },
            securitylevel: {
              type: "code",
              codes: ["0", "1", "2"],
              default: "0",
              only: [{ field: "version", oneOf: ["3"] }],
            },
            authpassphrase: {
              type: "text",
              max: 64,
              only: [
                { field: "version", oneOf: ["3"] },
                { field: "securitylevel", oneOf: ["1", "2"] },
              ],
            },
            privpassphrase: {
              type: "text",
              max: 64,
              only: [{ field: "version", oneOf: ["3"] }, { field: "securitylevel", oneOf: ["2"] }],
            },
            authprotocol: {
              type: "code",
              codes: ["0", "1", "2", "3", "4", "5"],
              default: "0",
              only: [
                { field: "version", oneOf: ["3"] },
                { field: "securitylevel", oneOf: ["1", "2"] },
              ],
            },
            privprotocol: {
              type: "code",
              codes: ["0", "1", "2", "3", "4", "5"],
              default: "0",
              only: [{ field: "version", oneOf: ["3"] }, { field: "securitylevel", oneOf: ["2"] }],
            },
            contextname: { type: "text", max: 255, only: [{ field: "version", oneOf: ["3"] }] },
          },
          only: [{ field: "type", oneOf: ["2"] }],
          needed: [{ field: "type", oneOf: ["2"] }],
        },
      },
      notAnswered: true,
    },
  },
  selects: {
    discoveryRule: { param: "selectDiscoveryRule", object: "discoveryrule" },
    discoveryRulePrototype: {
      param: "selectDiscoveryRulePrototype",
      object: "discoveryruleprototype",
    },
    parentHost: { param: "selectParentHost", object: "host" },
    groupLinks: { param: "selectGroupLinks" },
    groupPrototypes: { param: "selectGroupPrototypes" },
    templates: { param: "selectTemplates", objects: "template" },
    macros: { param: "selectMacros" },
    tags: { param: "selectTags" },
    interfaces: { param: "selectInterfaces" },
  },
} as const;
