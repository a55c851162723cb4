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

/** The properties of `select…` parameters. */
export interface ValueMapSelects {
  /** `selectMappings`; its number, as a text, with "count". */
  readonly mappings: readonly ValueMapping[] | string;
}

/** Parameters of `valuemap.get`. */
export interface ValueMapGet extends GetParams<keyof ValueMap> {
  readonly selectMappings?: Output<keyof ValueMapping> | "count" | undefined;
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

/** Parameters of `valuemap.update`: omitted fields keep their values. */
export type ValueMapUpdate = Partial<Omit<ValueMapCreate, "hostid">> & { readonly valuemapid: string };

/** What forms and readers of answers have to know of it. */
export const VALUE_MAP = {
  object: "valuemap",
  id: "valuemapid",
  ids: "valuemapids",
  fields: {
    valuemapid: { type: "id", readOnly: true },
    hostid: { type: "id", fixed: true, required: true },
    name: { type: "text", max: 64, required: true },
    uuid: { type: "uuid" },
    mappings: {
      type: "list",
      fields: {
        type: {
          type: "code",
          codes: ["0", "1", "2", "3", "4", "5"],
          default: "0",
          names: {
            EQUAL: "0",
            GREATER_OR_EQUAL: "1",
            LESS_OR_EQUAL: "2",
            IN_RANGE: "3",
            REGEXP: "4",
            DEFAULT: "5",
          },
        },
        value: { type: "text", max: 64 },
        newvalue: { type: "text", max: 64, required: true },
      },
      notAnswered: true,
      required: true,
    },
  },
  selects: { mappings: { param: "selectMappings" } },
} as const;
