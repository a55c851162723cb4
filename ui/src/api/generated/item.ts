// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { DiscoveryRule } from "./discovery-rule";
import type { GetParams, Output } from "./get";
import type { Graph } from "./graph";
import type { Host } from "./host";
import type { HostInterface } from "./host-interface";
import type {
  NamedValue,
  NamedValueCreate,
  PreprocessingStep,
  PreprocessingStepCreate,
  Tag,
  TagCreate,
} from "./parts";
import type { Trigger } from "./trigger";
import type { ValueMap } from "./value-map";

/** A value that is collected. */
export interface Item {
  /** Id. */
  readonly itemid: string;
  /** Identity in exports of templates. */
  readonly uuid: string;
  /** Host or template that it belongs to. Not changed later. */
  readonly hostid: string;
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
  /** Field of the inventory to fill. Default: 0. */
  readonly inventory_link: string;
  /** 0 enabled, 1 disabled. Default: 0. */
  readonly status: string;
  /** The object of the directly linked template that it comes from; 0: none. */
  readonly templateid: string;
  /** 0 plain, 4 discovered. */
  readonly flags: string;
  /** 0 normal, 1 not supported. */
  readonly state: string;
  /** The error if it is not supported; else the error of its last values. */
  readonly error: string;
  /** Time of the newest value. */
  readonly lastclock: string;
  /** … nanoseconds. */
  readonly lastns: string;
  /** The newest value. */
  readonly lastvalue: string;
  /** The one before. */
  readonly prevvalue: string;
  /** Name with user macros resolved. */
  readonly name_resolved: string;
  /** Always 0. */
  readonly evaltype: string;
  /** Always empty. */
  readonly formula: string;
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
export interface ItemSelects {
  /** `selectHosts`. */
  readonly hosts: readonly Host[];
  /** `selectInterfaces`. */
  readonly interfaces: readonly HostInterface[];
  /** `selectTriggers`; its number, as a text, with "count". */
  readonly triggers: readonly Trigger[] | string;
  /** `selectGraphs`; its number, as a text, with "count". */
  readonly graphs: readonly Graph[] | string;
  /** `selectDiscoveryRule`. */
  readonly discoveryRule: DiscoveryRule | readonly [];
  /** `selectItemDiscovery`. */
  readonly itemDiscovery: {
    /** Id. */
    readonly itemdiscoveryid: string;
    /** The item. */
    readonly itemid: string;
    /** The prototype. */
    readonly parent_itemid: string;
    /** Key of the prototype. */
    readonly key_: string;
    /** When it was lost; 0: it still exists. */
    readonly lastcheck: string;
    /** 1: lost. */
    readonly status: string;
    /** When it will be deleted. */
    readonly ts_delete: string;
    /** When it will be disabled. */
    readonly ts_disable: string;
    /** 1: discovery disabled it. */
    readonly disable_source: string;
  } | readonly [];
  /** `selectPreprocessing`. */
  readonly preprocessing: readonly PreprocessingStep[];
  /** `selectTags`. */
  readonly tags: readonly Tag[];
  /** `selectValueMap`. */
  readonly valuemap: ValueMap | readonly [];
}

/** Parameters of `item.get`. */
export interface ItemGet extends GetParams<keyof Item> {
  readonly selectHosts?: Output<keyof Host> | undefined;
  readonly selectInterfaces?: Output<keyof HostInterface> | undefined;
  readonly selectTriggers?: Output<keyof Trigger> | "count" | undefined;
  readonly selectGraphs?: Output<keyof Graph> | "count" | undefined;
  readonly selectDiscoveryRule?: Output<keyof DiscoveryRule> | undefined;
  readonly selectItemDiscovery?: Output<string> | undefined;
  readonly selectPreprocessing?: Output<keyof PreprocessingStep> | undefined;
  readonly selectTags?: Output<keyof Tag> | undefined;
  readonly selectValueMap?: Output<keyof ValueMap> | undefined;
}

/** Parameters of `item.create`. */
export interface ItemCreate {
  /** Identity in exports of templates. */
  readonly uuid?: string | undefined;
  /** Host or template that it belongs to. Not changed later. */
  readonly hostid?: string | number | undefined;
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
  /** Field of the inventory to fill. Default: 0. */
  readonly inventory_link?: string | number | undefined;
  /** 0 enabled, 1 disabled. Default: 0. */
  readonly status?: string | number | undefined;
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

/** Parameters of `item.update`: omitted fields keep their values. */
export type ItemUpdate = Partial<Omit<ItemCreate, "hostid">> & { readonly itemid: string };

/** What forms and readers of answers have to know of it. */
export const ITEM = {
  object: "item",
  id: "itemid",
  ids: "itemids",
  fields: {
    itemid: { type: "id", readOnly: true },
    uuid: { type: "uuid" },
    hostid: { type: "id", fixed: true, default: "0" },
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
    inventory_link: { type: "int", min: 0, max: 70, default: "0" },
    status: { type: "code", codes: ["0", "1"], default: "0" },
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
    flags: {
      type: "code",
      codes: ["0", "4"],
      readOnly: true,
      names: { PLAIN: "0", DISCOVERED: "4" },
    },
    state: {
      type: "code",
      codes: ["0", "1"],
      readOnly: true,
      names: { NORMAL: "0", NOT_SUPPORTED: "1" },
    },
    error: { type: "text", max: 65535, readOnly: true },
    lastclock: { type: "time", readOnly: true },
    lastns: { type: "int", min: 0, max: 999999999, readOnly: true },
    lastvalue: { type: "text", max: 65535, readOnly: true },
    prevvalue: { type: "text", max: 65535, readOnly: true },
    name_resolved: { type: "text", max: 255, readOnly: true },
    evaltype: { type: "code", codes: ["0"], readOnly: true },
    formula: { type: "text", max: 255, readOnly: true },
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
    interfaces: { param: "selectInterfaces", objects: "hostinterface" },
    triggers: { param: "selectTriggers", objects: "trigger" },
    graphs: { param: "selectGraphs", objects: "graph" },
    discoveryRule: { param: "selectDiscoveryRule", object: "discoveryrule" },
    itemDiscovery: {
      param: "selectItemDiscovery",
      one: {
        itemdiscoveryid: { type: "id", readOnly: true },
        itemid: { type: "id", readOnly: true },
        parent_itemid: { type: "id", readOnly: true },
        key_: { type: "text", max: 2048, readOnly: true },
        lastcheck: { type: "time", readOnly: true },
        status: { type: "code", codes: ["0", "1"], readOnly: true },
        ts_delete: { type: "time", readOnly: true },
        ts_disable: { type: "time", readOnly: true },
        disable_source: { type: "code", codes: ["0", "1"], readOnly: true },
      },
    },
    preprocessing: { param: "selectPreprocessing" },
    tags: { param: "selectTags" },
    valuemap: { param: "selectValueMap", object: "valuemap" },
  },
} as const;
