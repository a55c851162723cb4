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
  /** Host or template that it belongs to. Not changed later. */
  readonly hostid: string;
  /** Name. */
  readonly name: string;
  /** Key; of a prototype with an LLD macro at least. */
  readonly key_: string;
  /** Type of check, by Zabbix's codes. */
  readonly type: string;
  /** 0 enabled, 1 disabled. Default: 0. */
  readonly status: string;
  /** Description. */
  readonly description: string;
  /** Notes, shown only to users who may change it; empty for others. */
  readonly notes: string;
  /** Identity in exports of templates. */
  readonly uuid: string;
  /** The object of the directly linked template that it comes from; 0: none. */
  readonly templateid: string;
  /** Field of the inventory to fill. Default: 0. */
  readonly inventory_link: string;
  /** 0 plain, 4 discovered. */
  readonly flags: string;
  /** 0 normal, 1 not supported. */
  readonly state: string;
  /** Why it is not supported; else what was wrong with its last values. */
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
  /** 0 float, 1 character, 2 log, 3 unsigned, 4 text, 5 binary. */
  readonly value_type: string;
  /** Units. */
  readonly units: string;
  /** How long values are kept. Default: 31d. */
  readonly history: string;
  /** How long trends are kept. Default: 365d. */
  readonly trends: string;
  /** Value map of the same holder. Default: 0. */
  readonly valuemapid: string;
  /** Of logs. */
  readonly logtimefmt: string;
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
  /** Time-out; empty: the global one. */
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

/** What `select…` parameters add. */
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
    /** When it was lost; 0: it is there. */
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
  /** Host or template that it belongs to. Not changed later. */
  readonly hostid?: string | number | undefined;
  /** Name. */
  readonly name: string;
  /** Key; of a prototype with an LLD macro at least. */
  readonly key_: string;
  /** Type of check, by Zabbix's codes. */
  readonly type: string | number;
  /** 0 enabled, 1 disabled. Default: 0. */
  readonly status?: string | number | undefined;
  /** Description. */
  readonly description?: string | undefined;
  /** Notes, shown only to users who may change it; empty for others. */
  readonly notes?: string | undefined;
  /** Preprocessing, in order. */
  readonly preprocessing?: readonly PreprocessingStepCreate[] | undefined;
  /** Identity in exports of templates. */
  readonly uuid?: string | undefined;
  /** Field of the inventory to fill. Default: 0. */
  readonly inventory_link?: string | number | undefined;
  /** 0 float, 1 character, 2 log, 3 unsigned, 4 text, 5 binary. */
  readonly value_type: string | number;
  /** Units. */
  readonly units?: string | undefined;
  /** How long values are kept. Default: 31d. */
  readonly history?: string | undefined;
  /** How long trends are kept. Default: 365d. */
  readonly trends?: string | undefined;
  /** Value map of the same holder. Default: 0. */
  readonly valuemapid?: string | number | undefined;
  /** Of logs. */
  readonly logtimefmt?: string | undefined;
  /** Tags. */
  readonly tags?: readonly TagCreate[] | undefined;
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
  /** Time-out; empty: the global one. */
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

/** Parameters of `item.update`: what is left out stays. */
export type ItemUpdate = Partial<Omit<ItemCreate, "hostid">> & { readonly itemid: string };
