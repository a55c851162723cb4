// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { DiscoveryRule } from "./discovery-rule";
import type { GetParams, Output } from "./get";
import type { Host } from "./host";
import type { HostPrototype } from "./host-prototype";

/** A group of hosts, used for permissions. */
export interface HostGroup {
  /** Id. */
  readonly groupid: string;
  /** Name; slashes make subgroups. */
  readonly name: string;
  /** 0 plain, 4 discovered. */
  readonly flags: string;
  /** Identity in exports. */
  readonly uuid: string;
}

/** The properties of `select…` parameters. */
export interface HostGroupSelects {
  /** `selectHosts`; its number, as a text, with "count". */
  readonly hosts: readonly Host[] | string;
  /** `selectDiscoveryRule`. */
  readonly discoveryRule: DiscoveryRule | readonly [];
  /** `selectDiscoveryRules`. */
  readonly discoveryRules: readonly DiscoveryRule[];
  /** `selectHostPrototypes`. */
  readonly hostPrototypes: readonly HostPrototype[];
  /** `selectGroupDiscovery`. */
  readonly groupDiscovery: {
    /** The group. */
    readonly groupid: string;
    /** Name that the prototype gives, with LLD macros. */
    readonly name: string;
    /** When it was lost; 0: it still exists. */
    readonly lastcheck: string;
    /** 1: lost. */
    readonly status: string;
    /** When it will be deleted. */
    readonly ts_delete: string;
  } | readonly [];
  /** `selectGroupDiscoveries`. */
  readonly groupDiscoveries: readonly {
    /** The group. */
    readonly groupid: string;
    /** Name that the prototype gives, with LLD macros. */
    readonly name: string;
    /** When it was lost; 0: it still exists. */
    readonly lastcheck: string;
    /** 1: lost. */
    readonly status: string;
    /** When it will be deleted. */
    readonly ts_delete: string;
  }[];
}

/** Parameters of `hostgroup.get`. */
export interface HostGroupGet extends GetParams<keyof HostGroup> {
  readonly selectHosts?: Output<keyof Host> | "count" | undefined;
  readonly selectDiscoveryRule?: Output<keyof DiscoveryRule> | undefined;
  readonly selectDiscoveryRules?: Output<keyof DiscoveryRule> | undefined;
  readonly selectHostPrototypes?: Output<keyof HostPrototype> | undefined;
  readonly selectGroupDiscovery?: Output<string> | undefined;
  readonly selectGroupDiscoveries?: Output<string> | undefined;
}

/** Parameters of `hostgroup.create`. */
export interface HostGroupCreate {
  /** Name; slashes make subgroups. */
  readonly name: string;
  /** Identity in exports. */
  readonly uuid?: string | undefined;
}

/** Parameters of `hostgroup.update`: omitted fields keep their values. */
export type HostGroupUpdate = Partial<HostGroupCreate> & { readonly groupid: string };

/** What forms and readers of answers have to know of it. */
export const HOST_GROUP = {
  object: "hostgroup",
  id: "groupid",
  ids: "groupids",
  fields: {
    groupid: { type: "id", readOnly: true },
    name: { type: "text", max: 255, required: true },
    flags: { type: "code", codes: ["0", "4"], readOnly: true },
    uuid: { type: "uuid" },
  },
  selects: {
    hosts: { param: "selectHosts", objects: "host" },
    discoveryRule: { param: "selectDiscoveryRule", object: "discoveryrule" },
    discoveryRules: { param: "selectDiscoveryRules", objects: "discoveryrule" },
    hostPrototypes: { param: "selectHostPrototypes", objects: "hostprototype" },
    groupDiscovery: {
      param: "selectGroupDiscovery",
      one: {
        groupid: { type: "id", readOnly: true },
        name: { type: "text", max: 255, readOnly: true },
        lastcheck: { type: "time", readOnly: true },
        status: { type: "code", codes: ["0", "1"], readOnly: true },
        ts_delete: { type: "time", readOnly: true },
      },
    },
    groupDiscoveries: {
      param: "selectGroupDiscoveries",
      list: {
        groupid: { type: "id", readOnly: true },
        name: { type: "text", max: 255, readOnly: true },
        lastcheck: { type: "time", readOnly: true },
        status: { type: "code", codes: ["0", "1"], readOnly: true },
        ts_delete: { type: "time", readOnly: true },
      },
    },
  },
} as const;
