// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { DiscoveredHost } from "./discovered-host";
import type { GetParams, Output } from "./get";
import type { Host } from "./host";
import type { NetworkDiscoveryRule } from "./network-discovery-rule";

/** A service of such a device: a check that was answered. */
export interface DiscoveredService {
  /** Id. */
  readonly dserviceid: string;
  /** The device. */
  readonly dhostid: string;
  /** What an agent or SNMP answered last. */
  readonly value: string;
  /** Port; 0 of pings. */
  readonly port: string;
  /** 0 up, 1 down. */
  readonly status: string;
  /** Since when it is up; 0 while it is down. */
  readonly lastup: string;
  /** Since when it is down; 0 while it is up. */
  readonly lastdown: string;
  /** The check that it answered. */
  readonly dcheckid: string;
  /** Address. */
  readonly ip: string;
  /** Name of the address; empty if it has none. */
  readonly dns: string;
}

/** The properties of `select…` parameters. */
export interface DiscoveredServiceSelects {
  /** `selectDRules`. */
  readonly drules: readonly NetworkDiscoveryRule[];
  /** `selectDHosts`. */
  readonly dhosts: readonly DiscoveredHost[];
  /** `selectHosts`; its number, as a text, with "count". */
  readonly hosts: readonly Host[] | string;
}

/** Parameters of `dservice.get`. */
export interface DiscoveredServiceGet extends GetParams<keyof DiscoveredService> {
  readonly selectDRules?: Output<keyof NetworkDiscoveryRule> | undefined;
  readonly selectDHosts?: Output<keyof DiscoveredHost> | undefined;
  readonly selectHosts?: Output<keyof Host> | "count" | undefined;
}

/** What forms and readers of answers have to know of it. */
export const DISCOVERED_SERVICE = {
  object: "dservice",
  id: "dserviceid",
  ids: "dserviceids",
  fields: {
    dserviceid: { type: "id", readOnly: true },
    dhostid: { type: "id", readOnly: true },
    value: { type: "text", max: 255, readOnly: true },
    port: { type: "int", min: 0, max: 65535, readOnly: true },
    status: { type: "code", codes: ["0", "1"], readOnly: true },
    lastup: { type: "time", readOnly: true },
    lastdown: { type: "time", readOnly: true },
    dcheckid: { type: "id", readOnly: true },
    ip: { type: "text", max: 255, readOnly: true },
    dns: { type: "text", max: 255, readOnly: true },
  },
  selects: {
    drules: { param: "selectDRules", objects: "drule" },
    dhosts: { param: "selectDHosts", objects: "dhost" },
    hosts: { param: "selectHosts", objects: "host" },
  },
} as const;
