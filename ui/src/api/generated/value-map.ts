// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams, Output } from "./get";
import type { ValueMapping, ValueMappingCreate } from "./parts";

/** Names for values. */
export interface ValueMap {
  /** Id. */
  readonly valuemapid: string;
  /** Host or template. Not changed later. */
  readonly hostid: string;
  /** Name. */
  readonly name: string;
  /** Identity in exports. */
  readonly uuid: string;
}

/** What `select…` parameters add. */
export interface ValueMapSelects {
  /** `selectMappings`. */
  readonly mappings: readonly ValueMapping[];
}

/** Parameters of `valuemap.get`. */
export interface ValueMapGet extends GetParams<keyof ValueMap> {
  readonly selectMappings?: Output<keyof ValueMapping> | undefined;
}

/** Parameters of `valuemap.create`. */
export interface ValueMapCreate {
  /** Host or template. Not changed later. */
  readonly hostid: string | number;
  /** Name. */
  readonly name: string;
  /** Identity in exports. */
  readonly uuid?: string | undefined;
  /** The first that fits counts. */
  readonly mappings: readonly ValueMappingCreate[];
}

/** Parameters of `valuemap.update`: what is left out stays. */
export type ValueMapUpdate = Partial<Omit<ValueMapCreate, "hostid">> & { readonly valuemapid: string };
