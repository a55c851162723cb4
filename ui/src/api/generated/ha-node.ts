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
