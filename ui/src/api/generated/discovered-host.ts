// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { DiscoveredService } from "./discovered-service";
import type { GetParams, Output } from "./get";
import type { NetworkDiscoveryRule } from "./network-discovery-rule";

/** A device that a rule of network discovery has found. */
export interface DiscoveredHost {
  /** Id. */
  readonly dhostid: string;
  /** The rule that found it. */
  readonly druleid: string;
  /** 0 up, 1 down. */
  readonly status: string;
  /** Since when it is up; 0 while it is down. */
  readonly lastup: string;
  /** Since when it is down; 0 while it is up. */
  readonly lastdown: string;
}

/** The properties of `select…` parameters. */
export interface DiscoveredHostSelects {
  /** `selectDRules`. */
  readonly drules: readonly NetworkDiscoveryRule[];
  /** `selectDServices`; its number, as a text, with "count". */
  readonly dservices: readonly DiscoveredService[] | string;
}

/** Parameters of `dhost.get`. */
export interface DiscoveredHostGet extends GetParams<keyof DiscoveredHost> {
  readonly selectDRules?: Output<keyof NetworkDiscoveryRule> | undefined;
  readonly selectDServices?: Output<keyof DiscoveredService> | "count" | undefined;
}

/** What forms and readers of answers have to know of it. */
export const DISCOVERED_HOST = {
  object: "dhost",
  id: "dhostid",
  ids: "dhostids",
  fields: {
    dhostid: { type: "id", readOnly: true },
    druleid: { type: "id", readOnly: true },
    status: { type: "code", codes: ["0", "1"], readOnly: true },
    lastup: { type: "time", readOnly: true },
    lastdown: { type: "time", readOnly: true },
  },
  selects: {
    drules: { param: "selectDRules", objects: "drule" },
    dservices: { param: "selectDServices", objects: "dservice" },
  },
} as const;
