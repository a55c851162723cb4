// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { DiscoveryRulePrototype } from "./discovery-rule-prototype";
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

/** A rule that makes items and triggers from what a device has. */
export interface DiscoveryRule {
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
  /** 1: made by a user, 5: by another rule. */
  readonly flags: string;
  /** 0 normal, 1 not supported. */
  readonly state: string;
  /** Why it is not supported; else what was wrong with its last values. */
  readonly error: string;
  /** How long lost objects are kept. Default: 7d. */
  readonly lifetime: string;
  /** 0 after, 1 never, 2 at once. Default: 0. */
  readonly lifetime_type: string;
  /** How long they stay enabled. Default: 0. */
  readonly enabled_lifetime: string;
  /** 0 after, 1 never, 2 at once. Default: 2. */
  readonly enabled_lifetime_type: string;
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
export interface DiscoveryRuleSelects {
  /** `selectHosts`. */
  readonly hosts: readonly Host[];
  /** `selectDiscoveryRule`. */
  readonly discoveryRule: DiscoveryRule | readonly [];
  /** `selectDiscoveryData`. */
  readonly discoveryData: {
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

/** Parameters of `discoveryrule.get`. */
export interface DiscoveryRuleGet extends GetParams<keyof DiscoveryRule> {
  readonly selectHosts?: Output<keyof Host> | undefined;
  readonly selectDiscoveryRule?: Output<keyof DiscoveryRule> | undefined;
  readonly selectDiscoveryData?: Output<string> | undefined;
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

/** Parameters of `discoveryrule.create`. */
export interface DiscoveryRuleCreate {
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
  /** Which rows are used. */
  readonly filter?: LldFilterCreate | undefined;
  /** Where macros are found. */
  readonly lld_macro_paths?: readonly LldMacroPathCreate[] | undefined;
  /** Changes to single objects. */
  readonly overrides?: readonly LldOverrideCreate[] | undefined;
  /** Description. */
  readonly description?: string | undefined;
  /** Notes, shown only to users who may change it; empty for others. */
  readonly notes?: string | undefined;
  /** Preprocessing, in order. */
  readonly preprocessing?: readonly PreprocessingStepCreate[] | undefined;
  /** Identity in exports of templates. */
  readonly uuid?: string | undefined;
  /** How long lost objects are kept. Default: 7d. */
  readonly lifetime?: string | undefined;
  /** 0 after, 1 never, 2 at once. Default: 0. */
  readonly lifetime_type?: string | number | undefined;
  /** How long they stay enabled. Default: 0. */
  readonly enabled_lifetime?: string | undefined;
  /** 0 after, 1 never, 2 at once. Default: 2. */
  readonly enabled_lifetime_type?: string | number | undefined;
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

/** Parameters of `discoveryrule.update`: what is left out stays. */
export type DiscoveryRuleUpdate = Partial<Omit<DiscoveryRuleCreate, "hostid">> & { readonly itemid: string };
