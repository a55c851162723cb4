// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { DiscoveryRule } from "./discovery-rule";
import type { DiscoveryRulePrototype } from "./discovery-rule-prototype";
import type { GetParams, Output } from "./get";
import type { GraphPrototype } from "./graph-prototype";
import type { Host } from "./host";
import type {
  NamedValue,
  NamedValueCreate,
  PreprocessingStep,
  PreprocessingStepCreate,
  Tag,
  TagCreate,
} from "./parts";
import type { TriggerPrototype } from "./trigger-prototype";
import type { ValueMap } from "./value-map";

/** A pattern of the items of a discovery rule. */
export interface ItemPrototype {
  /** Id. */
  readonly itemid: string;
  /** Identity in exports of templates. */
  readonly uuid: string;
  /** Host or template that it belongs to. Not changed later. */
  readonly hostid: string;
  /** Rule that it belongs to. */
  readonly ruleid: string;
  /** Name. */
  readonly name: string;
  /** Type of check, by Zabbix's codes. */
  readonly type: string;
  /** Key; of a prototype with an LLD macro at least. */
  readonly key_: string;
  /** 0 float, 1 character, 2 log, 3 unsigned, 4 text, 5 binary. */
  readonly value_type: string;
  /** Units. */
  readonly units: string;
  /** How long values are kept: 0 not at all, or 1 hour to 25 years. Default: 31d. */
  readonly history: string;
  /** How long trends are kept: 0 not at all, or 1 day to 25 years. Default: 365d. */
  readonly trends: string;
  /** Value map of the same holder. Default: 0. */
  readonly valuemapid: string;
  /** Of logs. */
  readonly logtimefmt: string;
  /** Description. */
  readonly description: string;
  /** Notes, shown only to users who may change it; empty for others. */
  readonly notes: string;
  /** 0 enabled, 1 disabled. Default: 0. */
  readonly status: string;
  /** 0: rows create items, 1: they don't. Default: 0. */
  readonly discover: string;
  /** The object of the directly linked template that it comes from; 0: none. */
  readonly templateid: string;
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
export interface ItemPrototypeSelects {
  /** `selectHosts`. */
  readonly hosts: readonly Host[];
  /** `selectDiscoveryRule`. */
  readonly discoveryRule: DiscoveryRule | readonly [];
  /** `selectDiscoveryRulePrototype`. */
  readonly discoveryRulePrototype: DiscoveryRulePrototype | readonly [];
  /** `selectTriggers`; its number, as a text, with "count". */
  readonly triggers: readonly TriggerPrototype[] | string;
  /** `selectGraphs`; its number, as a text, with "count". */
  readonly graphs: readonly GraphPrototype[] | string;
  /** `selectPreprocessing`. */
  readonly preprocessing: readonly PreprocessingStep[];
  /** `selectTags`. */
  readonly tags: readonly Tag[];
  /** `selectValueMap`. */
  readonly valuemap: ValueMap | readonly [];
}

/** Parameters of `itemprototype.get`. */
export interface ItemPrototypeGet extends GetParams<keyof ItemPrototype> {
  readonly selectHosts?: Output<keyof Host> | undefined;
  readonly selectDiscoveryRule?: Output<keyof DiscoveryRule> | undefined;
  readonly selectDiscoveryRulePrototype?: Output<keyof DiscoveryRulePrototype> | undefined;
  readonly selectTriggers?: Output<keyof TriggerPrototype> | "count" | undefined;
  readonly selectGraphs?: Output<keyof GraphPrototype> | "count" | undefined;
  readonly selectPreprocessing?: Output<keyof PreprocessingStep> | undefined;
  readonly selectTags?: Output<keyof Tag> | undefined;
  readonly selectValueMap?: Output<keyof ValueMap> | undefined;
}

/** Parameters of `itemprototype.create`. */
export interface ItemPrototypeCreate {
  /** Identity in exports of templates. */
  readonly uuid?: string | undefined;
  /** Host or template that it belongs to. Not changed later. */
  readonly hostid?: string | number | undefined;
  /** Rule that it belongs to. */
  readonly ruleid: string | number;
  /** Name. */
  readonly name: string;
  /** Type of check, by Zabbix's codes. */
  readonly type: string | number;
  /** Key; of a prototype with an LLD macro at least. */
  readonly key_: string;
  /** 0 float, 1 character, 2 log, 3 unsigned, 4 text, 5 binary. */
  readonly value_type: string | number;
  /** Units. */
  readonly units?: string | undefined;
  /** How long values are kept: 0 not at all, or 1 hour to 25 years. Default: 31d. */
  readonly history?: string | undefined;
  /** How long trends are kept: 0 not at all, or 1 day to 25 years. Default: 365d. */
  readonly trends?: string | undefined;
  /** Value map of the same holder. Default: 0. */
  readonly valuemapid?: string | number | undefined;
  /** Of logs. */
  readonly logtimefmt?: string | undefined;
  /** Description. */
  readonly description?: string | undefined;
  /** Notes, shown only to users who may change it; empty for others. */
  readonly notes?: string | undefined;
  /** 0 enabled, 1 disabled. Default: 0. */
  readonly status?: string | number | undefined;
  /** 0: rows create items, 1: they don't. Default: 0. */
  readonly discover?: string | number | undefined;
  /** Tags. */
  readonly tags?: readonly TagCreate[] | undefined;
  /** Preprocessing, in order. */
  readonly preprocessing?: readonly PreprocessingStepCreate[] | undefined;
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

/** Parameters of `itemprototype.update`: omitted fields keep their values. */
export type ItemPrototypeUpdate = Partial<Omit<ItemPrototypeCreate, "hostid">> & { readonly itemid: string };

/** What forms and readers of answers have to know of it. */
export const ITEM_PROTOTYPE = {
  object: "itemprototype",
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
        "15",
        "16",
        "17",
        "18",
        "19",
        "20",
        "21",
        "22",
      ],
      required: true,
    },
    key_: { type: "text", max: 2048, required: true },
    value_type: { type: "code", codes: ["0", "1", "2", "3", "4", "5"], required: true },
    units: { type: "text", max: 255 },
    history: { type: "text", max: 255, default: "31d" },
    trends: { type: "text", max: 255, default: "365d" },
    valuemapid: { type: "id", default: "0" },
    logtimefmt: { type: "text", max: 64 },
    description: { type: "text", max: 65535 },
    notes: { type: "text", max: 65535 },
    status: { type: "code", codes: ["0", "1"], default: "0" },
    discover: { type: "code", codes: ["0", "1"], default: "0" },
    tags: {
      type: "list",
      fields: {
        tag: { type: "text", max: 255, required: true },
        value: { type: "text", max: 255 },
      },
      notAnswered: true,
    },
    preprocessing: {
      type: "list",
      fields: {
        type: {
          type: "code",
          codes: [
            "1",
            "2",
            "3",
            "4",
            "5",
            "6",
            "7",
            "8",
            "9",
            "10",
            "11",
            "12",
            "13",
            "14",
            "15",
            "16",
            "17",
            "18",
            "19",
            "20",
            "21",
            "22",
            "23",
            "24",
            "25",
            "26",
            "27",
            "28",
            "29",
            "30",
            "1001",
            "1002",
            "1003",
          ],
          required: true,
        },
        params: { type: "text", max: 65535 },
        error_handler: { type: "code", codes: ["0", "1", "2", "3"] },
        error_handler_params: { type: "text", max: 255 },
      },
      notAnswered: true,
    },
    templateid: { type: "id", readOnly: true },
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
    triggers: { param: "selectTriggers", objects: "triggerprototype" },
    graphs: { param: "selectGraphs", objects: "graphprototype" },
    preprocessing: { param: "selectPreprocessing" },
    tags: { param: "selectTags" },
    valuemap: { param: "selectValueMap", object: "valuemap" },
  },
} as const;
