// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { DiscoveryRule } from "./discovery-rule";
import type { GetParams, Output } from "./get";
import type { Graph } from "./graph";
import type { Host } from "./host";
import type { Item } from "./item";
import type { HostMacro, HostMacroCreate, Tag, TagCreate } from "./parts";
import type { TemplateDashboard } from "./template-dashboard";
import type { TemplateGroup } from "./template-group";
import type { Trigger } from "./trigger";
import type { ValueMap } from "./value-map";
import type { WebScenario } from "./web-scenario";

/** Items, triggers and rules for many hosts. */
export interface Template {
  /** Id. */
  readonly templateid: string;
  /** Technical name. */
  readonly host: string;
  /** Visible name; the technical one if left out. */
  readonly name: string;
  /** Description. */
  readonly description: string;
  /** Identity in exports. */
  readonly uuid: string;
  /** Who made the template. */
  readonly vendor_name: string;
  /** Version of the template, as its maker counts. */
  readonly vendor_version: string;
}

/** The properties of `select…` parameters. */
export interface TemplateSelects {
  /** `selectTemplateGroups`. */
  readonly templategroups: readonly TemplateGroup[];
  /** `selectGroups`. */
  readonly groups: readonly TemplateGroup[];
  /** `selectParentTemplates`; its number, as a text, with "count". */
  readonly parentTemplates: readonly Template[] | string;
  /** `selectTemplates`; its number, as a text, with "count". */
  readonly templates: readonly Template[] | string;
  /** `selectHosts`; its number, as a text, with "count". */
  readonly hosts: readonly Host[] | string;
  /** `selectTags`. */
  readonly tags: readonly Tag[];
  /** `selectMacros`. */
  readonly macros: readonly HostMacro[];
  /** `selectItems`; its number, as a text, with "count". */
  readonly items: readonly Item[] | string;
  /** `selectTriggers`; its number, as a text, with "count". */
  readonly triggers: readonly Trigger[] | string;
  /** `selectDiscoveries`; its number, as a text, with "count". */
  readonly discoveries: readonly DiscoveryRule[] | string;
  /** `selectGraphs`; its number, as a text, with "count". */
  readonly graphs: readonly Graph[] | string;
  /** `selectHttpTests`; its number, as a text, with "count". */
  readonly httpTests: readonly WebScenario[] | string;
  /** `selectDashboards`; its number, as a text, with "count". */
  readonly dashboards: readonly TemplateDashboard[] | string;
  /** `selectValueMaps`. */
  readonly valuemaps: readonly ValueMap[];
}

/** Parameters of `template.get`. */
export interface TemplateGet extends GetParams<keyof Template> {
  readonly selectTemplateGroups?: Output<keyof TemplateGroup> | undefined;
  readonly selectGroups?: Output<keyof TemplateGroup> | undefined;
  readonly selectParentTemplates?: Output<keyof Template> | "count" | undefined;
  readonly selectTemplates?: Output<keyof Template> | "count" | undefined;
  readonly selectHosts?: Output<keyof Host> | "count" | undefined;
  readonly selectTags?: Output<keyof Tag> | undefined;
  readonly selectMacros?: Output<keyof HostMacro> | undefined;
  readonly selectItems?: Output<keyof Item> | "count" | undefined;
  readonly selectTriggers?: Output<keyof Trigger> | "count" | undefined;
  readonly selectDiscoveries?: Output<keyof DiscoveryRule> | "count" | undefined;
  readonly selectGraphs?: Output<keyof Graph> | "count" | undefined;
  readonly selectHttpTests?: Output<keyof WebScenario> | "count" | undefined;
  readonly selectDashboards?: Output<keyof TemplateDashboard> | "count" | undefined;
  readonly selectValueMaps?: Output<keyof ValueMap> | undefined;
}

/** Parameters of `template.create`. */
export interface TemplateCreate {
  /** Technical name. */
  readonly host: string;
  /** Visible name; the technical one if left out. */
  readonly name?: string | undefined;
  /** Description. */
  readonly description?: string | undefined;
  /** Template groups. */
  readonly groups: readonly {
    /** Id. */
    readonly groupid: string | number;
  }[];
  /** Templates to link. */
  readonly templates?: readonly {
    /** Id. */
    readonly templateid: string | number;
  }[] | undefined;
  /** Update only: templates to unlink, with all inherited objects. */
  readonly templates_clear?: readonly {
    /** Id. */
    readonly templateid: string | number;
  }[] | undefined;
  /** Tags. */
  readonly tags?: readonly TagCreate[] | undefined;
  /** User macros. */
  readonly macros?: readonly HostMacroCreate[] | undefined;
  /** Identity in exports. */
  readonly uuid?: string | undefined;
  /** Who made the template. */
  readonly vendor_name?: string | undefined;
  /** Version of the template, as its maker counts. */
  readonly vendor_version?: string | undefined;
}

/** Parameters of `template.update`: omitted fields keep their values. */
export type TemplateUpdate = Partial<TemplateCreate> & { readonly templateid: string };

/** What forms and readers of answers have to know of it. */
export const TEMPLATE = {
  object: "template",
  id: "templateid",
  ids: "templateids",
  fields: {
    templateid: { type: "id", readOnly: true },
    host: { type: "text", max: 128, required: true },
    name: { type: "text", max: 128 },
    description: { type: "text", max: 65535 },
    groups: {
      type: "list",
      fields: { groupid: { type: "id", required: true } },
      notAnswered: true,
      required: true,
    },
    templates: {
      type: "list",
      fields: { templateid: { type: "id", required: true } },
      notAnswered: true,
    },
    templates_clear: {
      type: "list",
      fields: { templateid: { type: "id", required: true } },
      notAnswered: true,
    },
    tags: {
      type: "list",
      fields: {
        tag: { type: "text", max: 255, required: true },
        value: { type: "text", max: 255 },
      },
      notAnswered: true,
    },
    macros: {
      type: "list",
      fields: {
        hostmacroid: { type: "id", readOnly: true },
        hostid: { type: "id", readOnly: true },
        macro: { type: "text", max: 255, required: true, form: "user-macro" },
        type: { type: "code", codes: ["0", "1", "2"], default: "0" },
        value: { type: "text", max: 2048, required: true },
        description: { type: "text", max: 65535 },
        automatic: { type: "code", codes: ["0", "1"], default: "0" },
      },
      notAnswered: true,
    },
    uuid: { type: "uuid" },
    vendor_name: { type: "text", max: 64 },
    vendor_version: { type: "text", max: 32 },
  },
  selects: {
    templategroups: { param: "selectTemplateGroups", objects: "templategroup" },
    groups: { param: "selectGroups", objects: "templategroup" },
    parentTemplates: { param: "selectParentTemplates", objects: "template" },
    templates: { param: "selectTemplates", objects: "template" },
    hosts: { param: "selectHosts", objects: "host" },
    tags: { param: "selectTags" },
    macros: { param: "selectMacros" },
    items: { param: "selectItems", objects: "item" },
    triggers: { param: "selectTriggers", objects: "trigger" },
    discoveries: { param: "selectDiscoveries", objects: "discoveryrule" },
    graphs: { param: "selectGraphs", objects: "graph" },
    httpTests: { param: "selectHttpTests", objects: "httptest" },
    dashboards: { param: "selectDashboards", objects: "templatedashboard" },
    valuemaps: { param: "selectValueMaps", objects: "valuemap" },
  },
} as const;
