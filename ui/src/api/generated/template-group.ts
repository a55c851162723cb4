// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams, Output } from "./get";
import type { Template } from "./template";

/** A group of templates, used for permissions. */
export interface TemplateGroup {
  /** Id. */
  readonly groupid: string;
  /** Name; slashes make subgroups. */
  readonly name: string;
  /** Identity in exports. */
  readonly uuid: string;
}

/** The properties of `select…` parameters. */
export interface TemplateGroupSelects {
  /** `selectTemplates`; its number, as a text, with "count". */
  readonly templates: readonly Template[] | string;
}

/** Parameters of `templategroup.get`. */
export interface TemplateGroupGet extends GetParams<keyof TemplateGroup> {
  readonly selectTemplates?: Output<keyof Template> | "count" | undefined;
}

/** Parameters of `templategroup.create`. */
export interface TemplateGroupCreate {
  /** Name; slashes make subgroups. */
  readonly name: string;
  /** Identity in exports. */
  readonly uuid?: string | undefined;
}

/** Parameters of `templategroup.update`: omitted fields keep their values. */
export type TemplateGroupUpdate = Partial<TemplateGroupCreate> & { readonly groupid: string };

/** What forms and readers of answers have to know of it. */
export const TEMPLATE_GROUP = {
  object: "templategroup",
  id: "groupid",
  ids: "groupids",
  fields: {
    groupid: { type: "id", readOnly: true },
    name: { type: "text", max: 255, required: true },
    uuid: { type: "uuid" },
  },
  selects: { templates: { param: "selectTemplates", objects: "template" } },
} as const;
