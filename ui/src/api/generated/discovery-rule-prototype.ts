// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { DiscoveryRule } from "./discovery-rule";
import type { GetParams, Output } from "./get";
import type { GraphPrototype } from "./graph-prototype";
import type { Host } from "./host";
import type { HostPrototype } from "./host-prototype";
import type { ItemPrototype } from "./item-prototype";
import type {
  LldFilter,
  LldFilterCreate,
  LldMacroPath,
  LldMacroPathCreate,
  LldOverride,
  LldOverrideCreate,
  NamedValue,
  NamedValueCreate,
  PreprocessingStep,
  PreprocessingStepCreate,
} from "./parts";
import type { TriggerPrototype } from "./trigger-prototype";

/** A pattern of the rules of a discovery rule. */
export interface DiscoveryRulePrototype {
  /** Id. */
  readonly itemid: string;
  /** Identity in exports of templates. */
  readonly uuid: string;
  /** Host or template that it belongs to. Not changed later. */
  readonly hostid: string;
  /** Rule, or prototype of a rule, that it belongs to. */
  readonly ruleid: string;
  /** Name. */
  readonly name: string;
  /** Type of check, by Zabbix's codes. */
  readonly type: string;
  /** Key; of a prototype with an LLD macro at least. */
  readonly key_: string;
  /** 0 after, 1 never, 2 at once. Default: 0. */
  readonly lifetime_type: string;
  /** How long lost objects are kept: 0, or 1 hour to 25 years. Default: 7d. */
  readonly lifetime: string;
  /** 0 after, 1 never, 2 at once. Default: 2. */
  readonly enabled_lifetime_type: string;
  /** How long they stay enabled: 0, or 1 hour to 25 years. Default: 0. */
  readonly enabled_lifetime: string;
  /** Description. */
  readonly description: string;
  /** Notes, shown only to users who may change it; empty for others. */
  readonly notes: string;
  /** 0 enabled, 1 disabled. Default: 0. */
  readonly status: string;
  /** 0: rows make rules, 1: they don't. Default: 0. */
  readonly discover: string;
  /** The object of the directly linked template that it comes from; 0: none. */
  readonly templateid: string;
  /** Always 3. */
  readonly flags: string;
  /** Interface; 0: the host's main one of the type. Default: 0. */
  readonly interfaceid: string;
  /** How to log in. Default: 0. */
  readonly authtype: string;
  /** User name. */
  readonly username: string;
  /** Password. */
  readonly password: string;
  /** Formula or script. */
  readonly params: string;
  /** Time-out, 1 to 600 seconds; empty: the global one. */
  readonly timeout: string;
  /** Update interval, with flexible and scheduling parts after semicolons. Default: 0. */
  readonly delay: string;
  /** Who may send values. */
  readonly trapper_hosts: string;
  /** Of dependent items: where the value comes from. Default: 0. */
  readonly master_itemid: string;
  /** Of HTTP agents. */
  readonly url: string;
  /** Of HTTP agents. */
  readonly query_fields: readonly NamedValue[];
  /** 0 GET, 1 POST, 2 PUT, 3 HEAD. Default: 0. */
  readonly request_method: string;
  /** 0 raw, 2 JSON, 3 XML. Default: 0. */
  readonly post_type: string;
  /** Body of HTTP agents' requests. */
  readonly posts: string;
  /** Of HTTP agents. */
  readonly headers: readonly NamedValue[];
  /** Of HTTP agents: accepted ones. Default: 200. */
  readonly status_codes: string;
  /** Of HTTP agents. Default: 1. */
  readonly follow_redirects: string;
  /** 0 body, 1 headers, 2 both. Default: 0. */
  readonly retrieve_mode: string;
  /** 0 raw, 1 JSON. Default: 0. */
  readonly output_format: string;
  /** Of HTTP agents. */
  readonly http_proxy: string;
  /** Of HTTP agents. Default: 0. */
  readonly verify_peer: string;
  /** Of HTTP agents. Default: 0. */
  readonly verify_host: string;
  /** Of HTTP agents. */
  readonly ssl_cert_file: string;
  /** Of HTTP agents. */
  readonly ssl_key_file: string;
  /** Of HTTP agents. */
  readonly ssl_key_password: string;
  /** Of HTTP agents: take sent values. Default: 0. */
  readonly allow_traps: string;
  /** Of IPMI. */
  readonly ipmi_sensor: string;
  /** Of JMX. */
  readonly jmx_endpoint: string;
  /** Of scripts. */
  readonly parameters: readonly NamedValue[];
  /** Of SNMP. */
  readonly snmp_oid: string;
  /** Of SSH. */
  readonly publickey: string;
  /** Of SSH. */
  readonly privatekey: string;
}

/** The properties of `select…` parameters. */
export interface DiscoveryRulePrototypeSelects {
  /** `selectHosts`. */
  readonly hosts: readonly Host[];
  /** `selectDiscoveryRule`. */
  readonly discoveryRule: DiscoveryRule | readonly [];
  /** `selectDiscoveryRulePrototype`. */
  readonly discoveryRulePrototype: DiscoveryRulePrototype | readonly [];
  /** `selectItems`; its number, as a text, with "count". */
  readonly items: readonly ItemPrototype[] | string;
  /** `selectTriggers`; its number, as a text, with "count". */
  readonly triggers: readonly TriggerPrototype[] | string;
  /** `selectGraphs`; its number, as a text, with "count". */
  readonly graphs: readonly GraphPrototype[] | string;
  /** `selectHostPrototypes`; its number, as a text, with "count". */
  readonly hostPrototypes: readonly HostPrototype[] | string;
  /** `selectDiscoveryRulePrototypes`; its number, as a text, with "count". */
  readonly discoveryRulePrototypes: readonly DiscoveryRulePrototype[] | string;
  /** `selectFilter`. */
  readonly filter: LldFilter | readonly [];
  /** `selectLLDMacroPaths`. */
  readonly lld_macro_paths: readonly LldMacroPath[];
  /** `selectPreprocessing`. */
  readonly preprocessing: readonly PreprocessingStep[];
  /** `selectOverrides`. */
  readonly overrides: readonly LldOverride[];
}

/** Parameters of `discoveryruleprototype.get`. */
export interface DiscoveryRulePrototypeGet extends GetParams<keyof DiscoveryRulePrototype> {
  readonly selectHosts?: Output<keyof Host> | undefined;
  readonly selectDiscoveryRule?: Output<keyof DiscoveryRule> | undefined;
  readonly selectDiscoveryRulePrototype?: Output<keyof DiscoveryRulePrototype> | undefined;
  readonly selectItems?: Output<keyof ItemPrototype> | "count" | undefined;
  readonly selectTriggers?: Output<keyof TriggerPrototype> | "count" | undefined;
  readonly selectGraphs?: Output<keyof GraphPrototype> | "count" | undefined;
  readonly selectHostPrototypes?: Output<keyof HostPrototype> | "count" | undefined;
  readonly selectDiscoveryRulePrototypes?: Output<keyof DiscoveryRulePrototype> | "count" | undefined;
  readonly selectFilter?: Output<keyof LldFilter> | undefined;
  readonly selectLLDMacroPaths?: Output<keyof LldMacroPath> | undefined;
  readonly selectPreprocessing?: Output<keyof PreprocessingStep> | undefined;
  readonly selectOverrides?: Output<keyof LldOverride> | undefined;
}

/** Parameters of `discoveryruleprototype.create`. */
export interface DiscoveryRulePrototypeCreate {
  /** Identity in exports of templates. */
  readonly uuid?: string | undefined;
  /** Host or template that it belongs to. Not changed later. */
  readonly hostid?: string | number | undefined;
  /** Rule, or prototype of a rule, that it belongs to. */
  readonly ruleid: string | number;
  /** Name. */
  readonly name: string;
  /** Type of check, by Zabbix's codes. */
  readonly type: string | number;
  /** Key; of a prototype with an LLD macro at least. */
  readonly key_: string;
  /** 0 after, 1 never, 2 at once. Default: 0. */
  readonly lifetime_type?: string | number | undefined;
  /** How long lost objects are kept: 0, or 1 hour to 25 years. Default: 7d. */
  readonly lifetime?: string | undefined;
  /** 0 after, 1 never, 2 at once. Default: 2. */
  readonly enabled_lifetime_type?: string | number | undefined;
  /** How long they stay enabled: 0, or 1 hour to 25 years. Default: 0. */
  readonly enabled_lifetime?: string | undefined;
  /** Description. */
  readonly description?: string | undefined;
  /** Notes, shown only to users who may change it; empty for others. */
  readonly notes?: string | undefined;
  /** 0 enabled, 1 disabled. Default: 0. */
  readonly status?: string | number | undefined;
  /** 0: rows make rules, 1: they don't. Default: 0. */
  readonly discover?: string | number | undefined;
  /** Preprocessing, in order. */
  readonly preprocessing?: readonly PreprocessingStepCreate[] | undefined;
  /** Paths of macros. */
  readonly lld_macro_paths?: readonly LldMacroPathCreate[] | undefined;
  /** Filter of rows. */
  readonly filter?: LldFilterCreate | undefined;
  /** Changes to single objects. */
  readonly overrides?: readonly LldOverrideCreate[] | undefined;
  /** Interface; 0: the host's main one of the type. Default: 0. */
  readonly interfaceid?: string | number | undefined;
  /** How to log in. Default: 0. */
  readonly authtype?: string | number | undefined;
  /** User name. */
  readonly username?: string | undefined;
  /** Password. */
  readonly password?: string | undefined;
  /** Formula or script. */
  readonly params?: string | undefined;
  /** Time-out, 1 to 600 seconds; empty: the global one. */
  readonly timeout?: string | undefined;
  /** Update interval, with flexible and scheduling parts after semicolons. Default: 0. */
  readonly delay?: string | undefined;
  /** Who may send values. */
  readonly trapper_hosts?: string | undefined;
  /** Of dependent items: where the value comes from. Default: 0. */
  readonly master_itemid?: string | number | undefined;
  /** Of HTTP agents. */
  readonly url?: string | undefined;
  /** Of HTTP agents. */
  readonly query_fields?: readonly NamedValueCreate[] | undefined;
  /** 0 GET, 1 POST, 2 PUT, 3 HEAD. Default: 0. */
  readonly request_method?: string | number | undefined;
  /** 0 raw, 2 JSON, 3 XML. Default: 0. */
  readonly post_type?: string | number | undefined;
  /** Body of HTTP agents' requests. */
  readonly posts?: string | undefined;
  /** Of HTTP agents. */
  readonly headers?: readonly NamedValueCreate[] | undefined;
  /** Of HTTP agents: accepted ones. Default: 200. */
  readonly status_codes?: string | undefined;
  /** Of HTTP agents. Default: 1. */
  readonly follow_redirects?: string | number | undefined;
  /** 0 body, 1 headers, 2 both. Default: 0. */
  readonly retrieve_mode?: string | number | undefined;
  /** 0 raw, 1 JSON. Default: 0. */
  readonly output_format?: string | number | undefined;
  /** Of HTTP agents. */
  readonly http_proxy?: string | undefined;
  /** Of HTTP agents. Default: 0. */
  readonly verify_peer?: string | number | undefined;
  /** Of HTTP agents. Default: 0. */
  readonly verify_host?: string | number | undefined;
  /** Of HTTP agents. */
  readonly ssl_cert_file?: string | undefined;
  /** Of HTTP agents. */
  readonly ssl_key_file?: string | undefined;
  /** Of HTTP agents. */
  readonly ssl_key_password?: string | undefined;
  /** Of HTTP agents: take sent values. Default: 0. */
  readonly allow_traps?: string | number | undefined;
  /** Of IPMI. */
  readonly ipmi_sensor?: string | undefined;
  /** Of JMX. */
  readonly jmx_endpoint?: string | undefined;
  /** Of scripts. */
  readonly parameters?: readonly NamedValueCreate[] | undefined;
  /** Of SNMP. */
  readonly snmp_oid?: string | undefined;
  /** Of SSH. */
  readonly publickey?: string | undefined;
  /** Of SSH. */
  readonly privatekey?: string | undefined;
}

/** Parameters of `discoveryruleprototype.update`: omitted fields keep their values. */
export type DiscoveryRulePrototypeUpdate = Partial<Omit<DiscoveryRulePrototypeCreate, "hostid">> & { readonly itemid: string };

/** What forms and readers of answers have to know of it. */
export const DISCOVERY_RULE_PROTOTYPE = {
  object: "discoveryruleprototype",
  id: "itemid",
  ids: "itemids",
  fields: {
    itemid: { type: "id", readOnly: true },
    uuid: { type: "uuid" },
    hostid: { type: "id", fixed: true, default: "0" },
    ruleid: { type: "id", required: true },
    name: { type: "text", max: 255, required: true },
    type: {
      type: "code",
      codes: [
        "0",
        "2",
        "3",
        "5",
        "7",
        "10",
        "11",
        "12",
        "13",
        "14",
        "16",
        "18",
        "19",
        "20",
        "21",
        "22",
        "23",
      ],
      required: true,
    },
    key_: { type: "text", max: 2048, required: true },
    lifetime_type: { type: "code", codes: ["0", "1", "2"], default: "0" },
    lifetime: { type: "text", max: 255, default: "7d" },
    enabled_lifetime_type: { type: "code", codes: ["0", "1", "2"], default: "2" },
    enabled_lifetime: { type: "text", max: 255, default: "0" },
    description: { type: "text", max: 65535 },
    notes: { type: "text", max: 65535 },
    status: { type: "code", codes: ["0", "1"], default: "0" },
    discover: { type: "code", codes: ["0", "1"], default: "0" },
    preprocessing: {
      type: "list",
      fields: {
        type: {
          type: "code",
          codes: [
            "5",
            "11",
            "12",
            "14",
            "15",
            "16",
            "17",
            "20",
            "21",
            "23",
            "24",
            "25",
            "27",
            "28",
            "29",
            "30",
          ],
          required: true,
        },
        params: { type: "text", max: 65535 },
        error_handler: { type: "code", codes: ["0", "1", "2", "3"] },
        error_handler_params: { type: "text", max: 255 },
      },
      notAnswered: true,
    },
    lld_macro_paths: {
      type: "list",
      fields: {
        lld_macro: { type: "text", max: 255, required: true, form: "lld-macro" },
        path: { type: "text", max: 255, required: true },
      },
      notAnswered: true,
    },
    filter: {
      type: "object",
      fields: {
        evaltype: { type: "code", codes: ["0", "1", "2", "3"], required: true },
        formula: {
          type: "text",
          max: 255,
          form: "condition-formula",
          only: [{ field: "evaltype", oneOf: ["3"] }],
          needed: [{ field: "evaltype", oneOf: ["3"] }],
        },
        conditions: {
          type: "list",
          fields: {
            formulaid: { type: "text", max: 255 },
            macro: { type: "text", max: 255, required: true, form: "lld-macro" },
            operator: { type: "code", codes: ["8", "9", "12", "13"], default: "8" },
            value: {
              type: "text",
              max: 255,
              only: [{ field: "operator", oneOf: ["8", "9"] }],
              needed: [{ field: "operator", oneOf: ["8", "9"] }],
            },
          },
          required: true,
        },
        eval_formula: { type: "text", max: 255, notAnswered: true },
      },
      notAnswered: true,
    },
    overrides: {
      type: "list",
      fields: {
        name: { type: "text", max: 255, required: true },
        step: { type: "int", min: 1, max: 2147483647, required: true },
        stop: { type: "code", codes: ["0", "1"], default: "0" },
        filter: {
          type: "object",
          fields: {
            evaltype: { type: "code", codes: ["0", "1", "2", "3"], required: true },
            formula: {
              type: "text",
              max: 255,
              form: "condition-formula",
              only: [{ field: "evaltype", oneOf: ["3"] }],
              needed: [{ field: "evaltype", oneOf: ["3"] }],
            },
            conditions: {
              type: "list",
              fields: {
                formulaid: { type: "text", max: 255 },
                macro: { type: "text", max: 255, required: true, form: "lld-macro" },
                operator: { type: "code", codes: ["8", "9", "12", "13"], default: "8" },
                value: {
                  type: "text",
                  max: 255,
                  only: [{ field: "operator", oneOf: ["8", "9"] }],
                  needed: [{ field: "operator", oneOf: ["8", "9"] }],
                },
              },
              required: true,
            },
            eval_formula: { type: "text", max: 255, notAnswered: true },
          },
        },
        operations: {
          type: "list",
          fields: {
            operationobject: { type: "code", codes: ["0", "1", "2", "3", "4"], required: true },
            operator: { type: "code", codes: ["0", "1", "2", "3", "8", "9"], default: "0" },
            value: { type: "text", max: 255 },
            opdiscover: {
              type: "object",
              fields: { discover: { type: "code", codes: ["0", "1"], required: true } },
            },
            opstatus: {
              type: "object",
              fields: { status: { type: "code", codes: ["0", "1"], required: true } },
              only: [{ field: "operationobject", oneOf: ["0", "1", "3", "4"] }],
            },
            opperiod: {
              type: "object",
              fields: { delay: { type: "text", max: 255, required: true } },
              only: [{ field: "operationobject", oneOf: ["0", "4"] }],
            },
            ophistory: {
              type: "object",
              fields: { history: { type: "text", max: 255, required: true } },
              only: [{ field: "operationobject", oneOf: ["0"] }],
            },
            optrends: {
              type: "object",
              fields: { trends: { type: "text", max: 255, required: true } },
              only: [{ field: "operationobject", oneOf: ["0"] }],
            },
            opseverity: {
              type: "object",
              fields: {
                severity: { type: "code", codes: ["0", "1", "2", "3", "4", "5"], required: true },
              },
              only: [{ field: "operationobject", oneOf: ["1"] }],
            },
            optag: {
              type: "list",
              fields: {
                tag: { type: "text", max: 255, required: true },
                value: { type: "text", max: 255 },
              },
              only: [{ field: "operationobject", oneOf: ["0", "1", "3"] }],
            },
            optemplate: {
              type: "list",
              fields: { templateid: { type: "id", required: true } },
              only: [{ field: "operationobject", oneOf: ["3"] }],
            },
            opinventory: {
              type: "object",
              fields: {
                inventory_mode: { type: "code", codes: ["-1", "0", "1"], required: true },
              },
              only: [{ field: "operationobject", oneOf: ["3"] }],
            },
          },
        },
      },
      notAnswered: true,
    },
    templateid: { type: "id", readOnly: true },
    flags: { type: "code", codes: ["3"], readOnly: true },
    interfaceid: { type: "id", default: "0" },
    authtype: { type: "code", codes: ["0", "1", "2", "3", "4"], default: "0" },
    username: { type: "text", max: 255 },
    password: { type: "text", max: 255 },
    params: { type: "text", max: 65535 },
    timeout: { type: "text", max: 255 },
    delay: { type: "text", max: 1024, default: "0" },
    trapper_hosts: { type: "text", max: 255 },
    master_itemid: { type: "id", default: "0" },
    url: { type: "text", max: 2048 },
    query_fields: {
      type: "list",
      fields: {
        name: { type: "text", max: 65535, required: true },
        value: { type: "text", max: 65535, required: true },
      },
    },
    request_method: { type: "code", codes: ["0", "1", "2", "3"], default: "0" },
    post_type: { type: "code", codes: ["0", "2", "3"], default: "0" },
    posts: { type: "text", max: 65535 },
    headers: {
      type: "list",
      fields: {
        name: { type: "text", max: 65535, required: true },
        value: { type: "text", max: 65535, required: true },
      },
    },
    status_codes: { type: "text", max: 255, default: "200" },
    follow_redirects: { type: "code", codes: ["0", "1"], default: "1" },
    retrieve_mode: { type: "code", codes: ["0", "1", "2"], default: "0" },
    output_format: { type: "code", codes: ["0", "1"], default: "0" },
    http_proxy: { type: "text", max: 255 },
    verify_peer: { type: "code", codes: ["0", "1"], default: "0" },
    verify_host: { type: "code", codes: ["0", "1"], default: "0" },
    ssl_cert_file: { type: "text", max: 255 },
    ssl_key_file: { type: "text", max: 255 },
    ssl_key_password: { type: "text", max: 64 },
    allow_traps: { type: "code", codes: ["0", "1"], default: "0" },
    ipmi_sensor: { type: "text", max: 128 },
    jmx_endpoint: { type: "text", max: 255 },
    parameters: {
      type: "list",
      fields: {
        name: { type: "text", max: 255, required: true },
        value: { type: "text", max: 2048, required: true },
      },
    },
    snmp_oid: { type: "text", max: 512 },
    publickey: { type: "text", max: 255 },
    privatekey: { type: "text", max: 255 },
  },
  selects: {
    hosts: { param: "selectHosts", objects: "host" },
    discoveryRule: { param: "selectDiscoveryRule", object: "discoveryrule" },
    discoveryRulePrototype: {
      param: "selectDiscoveryRulePrototype",
      object: "discoveryruleprototype",
    },
    items: { param: "selectItems", objects: "itemprototype" },
    triggers: { param: "selectTriggers", objects: "triggerprototype" },
    graphs: { param: "selectGraphs", objects: "graphprototype" },
    hostPrototypes: { param: "selectHostPrototypes", objects: "hostprototype" },
    discoveryRulePrototypes: {
      param: "selectDiscoveryRulePrototypes",
      objects: "discoveryruleprototype",
    },
    filter: { param: "selectFilter" },
    lld_macro_paths: { param: "selectLLDMacroPaths" },
    preprocessing: { param: "selectPreprocessing" },
    overrides: { param: "selectOverrides" },
  },
} as const;
