// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams, Output } from "./get";
import type { Host } from "./host";

/** A group of hosts: rights are given on it. */
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

/** What `select…` parameters add. */
export interface HostGroupSelects {
  /** `selectHosts`; its number, as a text, with "count". */
  readonly hosts: readonly Host[] | string;
  /** `selectDiscoveryRule`. */
  readonly discoveryRule: readonly [];
  /** `selectDiscoveryRules`. */
  readonly discoveryRules: readonly [];
  /** `selectHostPrototypes`. */
  readonly hostPrototypes: readonly [];
  /** `selectGroupDiscovery`. */
  readonly groupDiscovery: readonly [];
  /** `selectGroupDiscoveries`. */
  readonly groupDiscoveries: readonly [];
}

/** Parameters of `hostgroup.get`. */
export interface HostGroupGet extends GetParams<keyof HostGroup> {
  readonly selectHosts?: Output<keyof Host> | "count" | undefined;
  readonly selectDiscoveryRule?: Output<string> | undefined;
  readonly selectDiscoveryRules?: Output<string> | undefined;
  readonly selectHostPrototypes?: Output<string> | undefined;
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

/** Parameters of `hostgroup.update`: what is left out stays. */
export type HostGroupUpdate = Partial<HostGroupCreate> & { readonly groupid: string };
