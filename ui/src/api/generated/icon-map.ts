// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams, Output } from "./get";

/** Which icon stands for a host, by its inventory. */
export interface IconMap {
  /** Id. */
  readonly iconmapid: string;
  /** Name. */
  readonly name: string;
  /** Icon where nothing matches. */
  readonly default_iconid: string;
}

/** The properties of `select…` parameters. */
export interface IconMapSelects {
  /** `selectMappings`. */
  readonly mappings: readonly {
    /** Icon. */
    readonly iconid: string;
    /** What the field matches: a regular expression, or @ and the name of a global one. */
    readonly expression: string;
    /** Number of the field of the inventory. */
    readonly inventory_link: string;
  }[];
}

/** Parameters of `iconmap.get`. */
export interface IconMapGet extends GetParams<keyof IconMap> {
  readonly selectMappings?: Output<string> | undefined;
}

/** Parameters of `iconmap.create`. */
export interface IconMapCreate {
  /** Name. */
  readonly name: string;
  /** Icon where nothing matches. */
  readonly default_iconid: string | number;
  /** The first that matches counts. */
  readonly mappings: readonly {
    /** Icon. */
    readonly iconid: string | number;
    /** What the field matches: a regular expression, or @ and the name of a global one. */
    readonly expression: string;
    /** Number of the field of the inventory. */
    readonly inventory_link: string | number;
  }[];
}

/** Parameters of `iconmap.update`: omitted fields keep their values. */
export type IconMapUpdate = Partial<IconMapCreate> & { readonly iconmapid: string };

/** What forms and readers of answers have to know of it. */
export const ICON_MAP = {
  object: "iconmap",
  id: "iconmapid",
  ids: "iconmapids",
  fields: {
    iconmapid: { type: "id", readOnly: true },
    name: { type: "text", max: 64, required: true },
    default_iconid: { type: "id", required: true, refers: "image" },
    mappings: {
      type: "list",
      fields: {
        iconid: { type: "id", required: true, refers: "image" },
        expression: { type: "text", max: 64, required: true },
        inventory_link: { type: "int", min: 1, max: 70, required: true },
      },
      notAnswered: true,
      required: true,
    },
  },
  selects: { mappings: { param: "selectMappings" } },
} as const;
