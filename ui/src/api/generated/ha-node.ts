// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams } from "./get";

/** The server itself, as a cluster of one. */
export interface HaNode {
  /** Id, a text. */
  readonly ha_nodeid: string;
  /** Always empty: there is no cluster. */
  readonly name: string;
  /** Always localhost. */
  readonly address: string;
  /** Always 10051. */
  readonly port: string;
  /** Now. */
  readonly lastaccess: string;
  /** Always 3: active. */
  readonly status: string;
}

/** Parameters of `hanode.get`. */
export type HaNodeGet = GetParams<keyof HaNode>;

/** What forms and readers of answers have to know of it. */
export const HA_NODE = {
  object: "hanode",
  id: "ha_nodeid",
  ids: "ha_nodeids",
  fields: {
    ha_nodeid: { type: "text", max: 255, readOnly: true },
    name: { type: "text", max: 255, readOnly: true },
    address: { type: "text", max: 255, readOnly: true },
    port: { type: "int", min: 0, max: 65535, readOnly: true },
    lastaccess: { type: "time", readOnly: true },
    status: { type: "code", codes: ["0", "1", "2", "3"], readOnly: true },
  },
} as const;
