// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { DiscoveryRule } from "./discovery-rule";
import type { GetParams, Output } from "./get";
import type { Graph } from "./graph";
import type { HostGroup } from "./host-group";
import type { HostInterface } from "./host-interface";
import type { Item } from "./item";
import type {
  HostMacro,
  HostMacroCreate,
  HostTag,
  HostTagCreate,
  InterfaceOfHostCreate,
  Inventory,
  InventoryCreate,
  Tag,
} from "./parts";
import type { Template } from "./template";
import type { TemplateDashboard } from "./template-dashboard";
import type { Trigger } from "./trigger";
import type { ValueMap } from "./value-map";
import type { WebScenario } from "./web-scenario";

/** A monitored device or service. */
export interface Host {
  /** Id. */
  readonly hostid: string;
  /** Technical name: what agents and senders call themselves. */
  readonly host: string;
  /** Visible name; the technical one if left out. */
  readonly name: string;
  /** 0 monitored, 1 not monitored. Default: 0. */
  readonly status: string;
  /** Description. */
  readonly description: string;
  /** Inventory: -1 none, 0 by hand, 1 filled by items too; none, or 0 for new hosts with `inventory`. */
  readonly inventory_mode: string;
  /** 0 plain, 4 discovered. */
  readonly flags: string;
  /** Active agent: 0 unknown, 1 available, 2 not. */
  readonly active_available: string;
  /** 1 while in maintenance. */
  readonly maintenance_status: string;
  /** 0 with, 1 without data. */
  readonly maintenance_type: string;
  /** Start of the maintenance. */
  readonly maintenance_from: string;
  /** Maintenance in effect. */
  readonly maintenanceid: string;
  /** 0: the server. Default: 0. */
  readonly monitored_by: string;
  /** Proxy; not used yet. Default: 0. */
  readonly proxyid: string;
  /** Proxy group; not used yet. Default: 0. */
  readonly proxy_groupid: string;
  /** Proxy that the group chose. */
  readonly assigned_proxyid: string;
  /** IPMI authentication algorithm: -1 default, 0 none, 1 MD2, 2 MD5, 4 straight, 5 OEM, 6 RMCP+; items are not asked for by 1 and 5. Default: -1. */
  readonly ipmi_authtype: string;
  /** IPMI privilege level: 1 callback, 2 user, 3 operator, 4 admin, 5 OEM. Default: 2. */
  readonly ipmi_privilege: string;
  /** IPMI user name. */
  readonly ipmi_username: string;
  /** IPMI password; never returned. */
  readonly ipmi_password: string;
  /** How the server connects to its agent: 1 unencrypted, 2 pre-shared key, 4 certificate. Default: 1. */
  readonly tls_connect: string;
  /** How its agent and senders may connect: sum of 1 unencrypted, 2 pre-shared key, 4 certificate. Default: 1. */
  readonly tls_accept: string;
  /** Issuer that its certificate has to have, as in RFC 4514; empty: any of the authorities. */
  readonly tls_issuer: string;
  /** Subject that its certificate has to have, as in RFC 4514; empty: any. */
  readonly tls_subject: string;
  /** Always 0. */
  readonly templateid: string;
  /** Always 0. */
  readonly custom_interfaces: string;
  /** Always empty. */
  readonly uuid: string;
  /** Always empty. */
  readonly vendor_name: string;
  /** Always empty. */
  readonly vendor_version: string;
}

/** The properties of `select…` parameters. */
export interface HostSelects {
  /** `selectInterfaces`; its number, as a text, with "count". */
  readonly interfaces: readonly HostInterface[] | string;
  /** `selectHostGroups`. */
  readonly hostgroups: readonly HostGroup[];
  /** `selectGroups`. */
  readonly groups: readonly HostGroup[];
  /** `selectParentTemplates`; its number, as a text, with "count". */
  readonly parentTemplates: readonly Template[] | string;
  /** `selectParents`. */
  readonly parents: readonly Host[];
  /** `selectChildren`. */
  readonly children: readonly Host[];
  /** `selectTags`. */
  readonly tags: readonly HostTag[];
  /** `selectInheritedTags`. */
  readonly inheritedTags: readonly Tag[];
  /** `selectMacros`. */
  readonly macros: readonly HostMacro[];
  /** `selectItems`; its number, as a text, with "count". */
  readonly items: readonly Item[] | string;
  /** `selectTriggers`; its number, as a text, with "count". */
  readonly triggers: readonly Trigger[] | string;
  /** `selectDiscoveries`; its number, as a text, with "count". */
  readonly discoveries: readonly DiscoveryRule[] | string;
  /** `selectGraphs`; its number, as a text, with "count". */
  readonly graphs: readonly Graph[] | string;
  /** `selectHttpTests`; its number, as a text, with "count". */
  readonly httpTests: readonly WebScenario[] | string;
  /** `selectDashboards`; its number, as a text, with "count". */
  readonly dashboards: readonly TemplateDashboard[] | string;
  /** `selectInventory`. */
  readonly inventory: Inventory | readonly [];
  /** `selectValueMaps`. */
  readonly valuemaps: readonly ValueMap[];
  /** `selectDiscoveryRule`. */
  readonly discoveryRule: DiscoveryRule | readonly [];
  /** `selectHostDiscovery`. */
  readonly hostDiscovery: {
    /** The host. */
    readonly hostid: string;
    /** Technical name. */
    readonly host: string;
    /** The prototype. */
    readonly parent_hostid: string;
    /** The discovery rule. */
    readonly parent_itemid: string;
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
}

/** Parameters of `host.get`. */
export interface HostGet extends GetParams<keyof Host> {
  readonly selectInterfaces?: Output<keyof HostInterface> | "count" | undefined;
  readonly selectHostGroups?: Output<keyof HostGroup> | undefined;
  readonly selectGroups?: Output<keyof HostGroup> | undefined;
  readonly selectParentTemplates?: Output<keyof Template> | "count" | undefined;
  readonly selectParents?: Output<keyof Host> | undefined;
  readonly selectChildren?: Output<keyof Host> | undefined;
  readonly selectTags?: Output<keyof HostTag> | undefined;
  readonly selectInheritedTags?: Output<keyof Tag> | undefined;
  readonly selectMacros?: Output<keyof HostMacro> | undefined;
  readonly selectItems?: Output<keyof Item> | "count" | undefined;
  readonly selectTriggers?: Output<keyof Trigger> | "count" | undefined;
  readonly selectDiscoveries?: Output<keyof DiscoveryRule> | "count" | undefined;
  readonly selectGraphs?: Output<keyof Graph> | "count" | undefined;
  readonly selectHttpTests?: Output<keyof WebScenario> | "count" | undefined;
  readonly selectDashboards?: Output<keyof TemplateDashboard> | "count" | undefined;
  readonly selectInventory?: Output<keyof Inventory> | undefined;
  readonly selectValueMaps?: Output<keyof ValueMap> | undefined;
  readonly selectDiscoveryRule?: Output<keyof DiscoveryRule> | undefined;
  readonly selectHostDiscovery?: Output<string> | undefined;
}

/** Parameters of `host.create`. */
export interface HostCreate {
  /** Technical name: what agents and senders call themselves. */
  readonly host: string;
  /** Visible name; the technical one if left out. */
  readonly name?: string | undefined;
  /** 0 monitored, 1 not monitored. Default: 0. */
  readonly status?: string | number | undefined;
  /** Description. */
  readonly description?: string | undefined;
  /** Host groups. */
  readonly groups: readonly {
    /** Id. */
    readonly groupid: string | number;
  }[];
  /** Interfaces. */
  readonly interfaces?: readonly InterfaceOfHostCreate[] | undefined;
  /** Templates to link. */
  readonly templates?: readonly {
    /** Id. */
    readonly templateid: string | number;
  }[] | undefined;
  /** Update only: templates to unlink, with all inherited objects. */
  readonly templates_clear?: readonly {
    /** Id. */
    readonly templateid: string | number;
  }[] | undefined;
  /** Tags. */
  readonly tags?: readonly HostTagCreate[] | undefined;
  /** Saker's own: hosts by which it is reached; while all of them are down its unreachability problems are symptoms. */
  readonly parents?: readonly {
    /** Id. */
    readonly hostid: string | number;
  }[] | undefined;
  /** User macros. */
  readonly macros?: readonly HostMacroCreate[] | undefined;
  /** Inventory: -1 none, 0 by hand, 1 filled by items too; none, or 0 for new hosts with `inventory`. */
  readonly inventory_mode?: string | number | undefined;
  /** Fields of the inventory; omitted fields keep their values, as do those that items fill. */
  readonly inventory?: InventoryCreate | undefined;
  /** 0: the server. Default: 0. */
  readonly monitored_by?: string | number | undefined;
  /** Proxy; not used yet. Default: 0. */
  readonly proxyid?: string | number | undefined;
  /** Proxy group; not used yet. Default: 0. */
  readonly proxy_groupid?: string | number | undefined;
  /** IPMI authentication algorithm: -1 default, 0 none, 1 MD2, 2 MD5, 4 straight, 5 OEM, 6 RMCP+; items are not asked for by 1 and 5. Default: -1. */
  readonly ipmi_authtype?: string | number | undefined;
  /** IPMI privilege level: 1 callback, 2 user, 3 operator, 4 admin, 5 OEM. Default: 2. */
  readonly ipmi_privilege?: string | number | undefined;
  /** IPMI user name. */
  readonly ipmi_username?: string | undefined;
  /** IPMI password; never returned. */
  readonly ipmi_password?: string | undefined;
  /** How the server connects to its agent: 1 unencrypted, 2 pre-shared key, 4 certificate. Default: 1. */
  readonly tls_connect?: string | number | undefined;
  /** How its agent and senders may connect: sum of 1 unencrypted, 2 pre-shared key, 4 certificate. Default: 1. */
  readonly tls_accept?: string | number | undefined;
  /** Issuer that its certificate has to have, as in RFC 4514; empty: any of the authorities. */
  readonly tls_issuer?: string | undefined;
  /** Subject that its certificate has to have, as in RFC 4514; empty: any. */
  readonly tls_subject?: string | undefined;
  /** Identity of the pre-shared key; needed if it is used in either direction. */
  readonly tls_psk_identity?: string | undefined;
  /** The pre-shared key: at least 32 hexadecimal digits; one identity has one key everywhere. */
  readonly tls_psk?: string | undefined;
}

/** Parameters of `host.update`: omitted fields keep their values. */
export type HostUpdate = Partial<HostCreate> & { readonly hostid: string };

/** What forms and readers of answers have to know of it. */
export const HOST = {
  object: "host",
  id: "hostid",
  ids: "hostids",
  fields: {
    hostid: { type: "id", readOnly: true },
    host: { type: "text", max: 128, required: true },
    name: { type: "text", max: 128 },
    status: { type: "code", codes: ["0", "1"], default: "0" },
    description: { type: "text", max: 65535 },
    groups: {
      type: "list",
      fields: { groupid: { type: "id", required: true } },
      notAnswered: true,
      required: true,
    },
    interfaces: {
      type: "list",
      fields: {
        interfaceid: { type: "id", readOnly: true },
        main: { type: "code", codes: ["0", "1"], required: true },
        type: { type: "code", codes: ["1", "2", "3", "4"], required: true },
        useip: { type: "code", codes: ["0", "1"], required: true },
        ip: { type: "text", max: 255, required: true },
        dns: { type: "text", max: 255, required: true },
        port: { type: "text", max: 64, required: true },
        details: {
          type: "object",
          fields: {
            version: { type: "code", codes: ["1", "2", "3"], required: true },
            bulk: { type: "code", codes: ["0", "1"], default: "1" },
            community: { type: "text", max: 255 },
            max_repetitions: { type: "int", min: 1, max: 2147483647, default: "10" },
            securityname: { type: "text", max: 255 },
            securitylevel: { type: "code", codes: ["0", "1", "2"], default: "0" },
            authpassphrase: { type: "text", max: 255 },
            privpassphrase: { type: "text", max: 255 },
            authprotocol: { type: "code", codes: ["0", "1", "2", "3", "4", "5"], default: "0" },
            privprotocol: { type: "code", codes: ["0", "1", "2", "3", "4", "5"], default: "0" },
            contextname: { type: "text", max: 255 },
          },
        },
        hostid: { type: "id", notAnswered: true },
      },
      notAnswered: true,
    },
    templates: {
      type: "list",
      fields: { templateid: { type: "id", required: true } },
      notAnswered: true,
    },
    templates_clear: {
      type: "list",
      fields: { templateid: { type: "id", required: true } },
      notAnswered: true,
    },
    tags: {
      type: "list",
      fields: {
        tag: { type: "text", max: 255, required: true },
        value: { type: "text", max: 255 },
        automatic: { type: "code", codes: ["0", "1"], default: "0" },
      },
      notAnswered: true,
    },
    parents: {
      type: "list",
      fields: { hostid: { type: "id", required: true } },
      notAnswered: true,
    },
    macros: {
      type: "list",
      fields: {
        hostmacroid: { type: "id", readOnly: true },
        hostid: { type: "id", readOnly: true },
        macro: { type: "text", max: 255, required: true, form: "user-macro" },
        type: { type: "code", codes: ["0", "1", "2"], default: "0" },
        value: { type: "text", max: 2048, required: true },
        description: { type: "text", max: 65535 },
        automatic: { type: "code", codes: ["0", "1"], default: "0" },
      },
      notAnswered: true,
    },
    inventory_mode: {
      type: "code",
      codes: ["-1", "0", "1"],
      names: { DISABLED: "-1", MANUAL: "0", AUTOMATIC: "1" },
    },
    inventory: { type: "object", notAnswered: true },
    flags: {
      type: "code",
      codes: ["0", "4"],
      readOnly: true,
      names: { PLAIN: "0", DISCOVERED: "4" },
    },
    active_available: { type: "code", codes: ["0", "1", "2"], readOnly: true },
    maintenance_status: { type: "code", codes: ["0", "1"], readOnly: true },
    maintenance_type: { type: "code", codes: ["0", "1"], readOnly: true },
    maintenance_from: { type: "time", readOnly: true },
    maintenanceid: { type: "id", readOnly: true },
    monitored_by: { type: "code", codes: ["0"], default: "0" },
    proxyid: { type: "id", default: "0" },
    proxy_groupid: { type: "id", default: "0" },
    assigned_proxyid: { type: "id", readOnly: true },
    ipmi_authtype: { type: "code", codes: ["-1", "0", "1", "2", "4", "5", "6"], default: "-1" },
    ipmi_privilege: { type: "code", codes: ["1", "2", "3", "4", "5"], default: "2" },
    ipmi_username: { type: "text", max: 16 },
    ipmi_password: { type: "text", max: 20 },
    tls_connect: { type: "code", codes: ["1", "2", "4"], default: "1" },
    tls_accept: { type: "int", min: 1, max: 7, default: "1" },
    tls_issuer: { type: "text", max: 1024 },
    tls_subject: { type: "text", max: 1024 },
    tls_psk_identity: { type: "text", max: 128, notAnswered: true },
    tls_psk: { type: "text", max: 512, notAnswered: true },
    templateid: { type: "id", readOnly: true },
    custom_interfaces: { type: "code", codes: ["0", "1"], readOnly: true },
    uuid: { type: "text", max: 0, readOnly: true },
    vendor_name: { type: "text", max: 0, readOnly: true },
    vendor_version: { type: "text", max: 0, readOnly: true },
  },
  selects: {
    interfaces: { param: "selectInterfaces", objects: "hostinterface" },
    hostgroups: { param: "selectHostGroups", objects: "hostgroup" },
    groups: { param: "selectGroups", objects: "hostgroup" },
    parentTemplates: { param: "selectParentTemplates", objects: "template" },
    parents: { param: "selectParents", objects: "host" },
    children: { param: "selectChildren", objects: "host" },
    tags: { param: "selectTags" },
    inheritedTags: {
      param: "selectInheritedTags",
      list: { tag: { type: "text", max: 255, required: true }, value: { type: "text", max: 255 } },
    },
    macros: { param: "selectMacros" },
    items: { param: "selectItems", objects: "item" },
    triggers: { param: "selectTriggers", objects: "trigger" },
    discoveries: { param: "selectDiscoveries", objects: "discoveryrule" },
    graphs: { param: "selectGraphs", objects: "graph" },
    httpTests: { param: "selectHttpTests", objects: "httptest" },
    dashboards: { param: "selectDashboards", objects: "templatedashboard" },
    inventory: {
      param: "selectInventory",
      one: {
        type: { type: "text", max: 64 },
        type_full: { type: "text", max: 64 },
        name: { type: "text", max: 128 },
        alias: { type: "text", max: 128 },
        os: { type: "text", max: 128 },
        os_full: { type: "text", max: 255 },
        os_short: { type: "text", max: 128 },
        serialno_a: { type: "text", max: 64 },
        serialno_b: { type: "text", max: 64 },
        tag: { type: "text", max: 64 },
        asset_tag: { type: "text", max: 64 },
        macaddress_a: { type: "text", max: 64 },
        macaddress_b: { type: "text", max: 64 },
        hardware: { type: "text", max: 255 },
        hardware_full: { type: "text", max: 65535 },
        software: { type: "text", max: 255 },
        software_full: { type: "text", max: 65535 },
        software_app_a: { type: "text", max: 64 },
        software_app_b: { type: "text", max: 64 },
        software_app_c: { type: "text", max: 64 },
        software_app_d: { type: "text", max: 64 },
        software_app_e: { type: "text", max: 64 },
        contact: { type: "text", max: 65535 },
        location: { type: "text", max: 65535 },
        location_lat: { type: "text", max: 16 },
        location_lon: { type: "text", max: 16 },
        notes: { type: "text", max: 65535 },
        chassis: { type: "text", max: 64 },
        model: { type: "text", max: 64 },
        hw_arch: { type: "text", max: 32 },
        vendor: { type: "text", max: 64 },
        contract_number: { type: "text", max: 64 },
        installer_name: { type: "text", max: 64 },
        deployment_status: { type: "text", max: 64 },
        url_a: { type: "text", max: 2048 },
        url_b: { type: "text", max: 2048 },
        url_c: { type: "text", max: 2048 },
        host_networks: { type: "text", max: 65535 },
        host_netmask: { type: "text", max: 39 },
        host_router: { type: "text", max: 39 },
        oob_ip: { type: "text", max: 39 },
        oob_netmask: { type: "text", max: 39 },
        oob_router: { type: "text", max: 39 },
        date_hw_purchase: { type: "text", max: 64 },
        date_hw_install: { type: "text", max: 64 },
        date_hw_expiry: { type: "text", max: 64 },
        date_hw_decomm: { type: "text", max: 64 },
        site_address_a: { type: "text", max: 128 },
        site_address_b: { type: "text", max: 128 },
        site_address_c: { type: "text", max: 128 },
        site_city: { type: "text", max: 128 },
        site_state: { type: "text", max: 64 },
        site_country: { type: "text", max: 64 },
        site_zip: { type: "text", max: 64 },
        site_rack: { type: "text", max: 128 },
        site_notes: { type: "text", max: 65535 },
        poc_1_name: { type: "text", max: 128 },
        poc_1_email: { type: "text", max: 128 },
        poc_1_phone_a: { type: "text", max: 64 },
        poc_1_phone_b: { type: "text", max: 64 },
        poc_1_cell: { type: "text", max: 64 },
        poc_1_screen: { type: "text", max: 64 },
        poc_1_notes: { type: "text", max: 65535 },
        poc_2_name: { type: "text", max: 128 },
        poc_2_email: { type: "text", max: 128 },
        poc_2_phone_a: { type: "text", max: 64 },
        poc_2_phone_b: { type: "text", max: 64 },
        poc_2_cell: { type: "text", max: 64 },
        poc_2_screen: { type: "text", max: 64 },
        poc_2_notes: { type: "text", max: 65535 },
      },
    },
    valuemaps: { param: "selectValueMaps", objects: "valuemap" },
    discoveryRule: { param: "selectDiscoveryRule", object: "discoveryrule" },
    hostDiscovery: {
      param: "selectHostDiscovery",
      one: {
        hostid: { type: "id", readOnly: true },
        host: { type: "text", max: 128, readOnly: true },
        parent_hostid: { type: "id", readOnly: true },
        parent_itemid: { type: "id", readOnly: true },
        lastcheck: { type: "time", readOnly: true },
        status: { type: "code", codes: ["0", "1"], readOnly: true },
        ts_delete: { type: "time", readOnly: true },
        ts_disable: { type: "time", readOnly: true },
        disable_source: { type: "code", codes: ["0", "1"], readOnly: true },
      },
    },
  },
} as const;
