// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { DiscoveryRule } from "./discovery-rule";
import type { DiscoveryRulePrototype } from "./discovery-rule-prototype";
import type { GetParams, Output } from "./get";
import type { Host } from "./host";
import type { HostGroup } from "./host-group";
import type { Item } from "./item";
import type { Tag, TagCreate, TriggerFunction } from "./parts";
import type { TemplateGroup } from "./template-group";
import type { Trigger } from "./trigger";

/** A pattern of the triggers of a discovery rule. */
export interface TriggerPrototype {
  /** Id. */
  readonly triggerid: string;
  /** Name; may hold macros. */
  readonly description: string;
  /** Problem expression. */
  readonly expression: string;
  /** Name of events. */
  readonly event_name: string;
  /** Operational data. */
  readonly opdata: string;
  /** Description. */
  readonly comments: string;
  /** Severity: 0 not classified … 5 disaster. Default: 0. */
  readonly priority: string;
  /** 0 enabled, 1 disabled. Default: 0. */
  readonly status: string;
  /** 1: each problem result creates an event. Default: 0. */
  readonly type: string;
  /** Address. */
  readonly url: string;
  /** Label of the address. */
  readonly url_name: string;
  /** 0 expression, 1 recovery expression, 2 none. Default: 0. */
  readonly recovery_mode: string;
  /** With recovery mode 1. */
  readonly recovery_expression: string;
  /** OK ends 0 all, 1 those of a tag. Default: 0. */
  readonly correlation_mode: string;
  /** The tag of mode 1. */
  readonly correlation_tag: string;
  /** 1: users may close problems. Default: 0. */
  readonly manual_close: string;
  /** Identity in exports of templates. */
  readonly uuid: string;
  /** The trigger of the directly linked template that it comes from; 0: none. */
  readonly templateid: string;
  /** 0 plain, 2 prototype, 4 discovered. */
  readonly flags: string;
  /** Why the expression cannot be computed. */
  readonly error: string;
  /** 0: rows make triggers, 1: they don't. Default: 0. */
  readonly discover: string;
}

/** The properties of `select…` parameters. */
export interface TriggerPrototypeSelects {
  /** `selectHosts`; its number, as a text, with "count". */
  readonly hosts: readonly Host[] | string;
  /** `selectHostGroups`. */
  readonly hostgroups: readonly HostGroup[];
  /** `selectTemplateGroups`. */
  readonly templategroups: readonly TemplateGroup[];
  /** `selectItems`; its number, as a text, with "count". */
  readonly items: readonly Item[] | string;
  /** `selectFunctions`. */
  readonly functions: readonly TriggerFunction[];
  /** `selectDependencies`; its number, as a text, with "count". */
  readonly dependencies: readonly Trigger[] | string;
  /** `selectDiscoveryRule`. */
  readonly discoveryRule: DiscoveryRule | readonly [];
  /** `selectDiscoveryRulePrototype`. */
  readonly discoveryRulePrototype: DiscoveryRulePrototype | readonly [];
  /** `selectTags`. */
  readonly tags: readonly Tag[];
}

/** Parameters of `triggerprototype.get`. */
export interface TriggerPrototypeGet extends GetParams<keyof TriggerPrototype> {
  readonly selectHosts?: Output<keyof Host> | "count" | undefined;
  readonly selectHostGroups?: Output<keyof HostGroup> | undefined;
  readonly selectTemplateGroups?: Output<keyof TemplateGroup> | undefined;
  readonly selectItems?: Output<keyof Item> | "count" | undefined;
  readonly selectFunctions?: Output<keyof TriggerFunction> | undefined;
  readonly selectDependencies?: Output<keyof Trigger> | "count" | undefined;
  readonly selectDiscoveryRule?: Output<keyof DiscoveryRule> | undefined;
  readonly selectDiscoveryRulePrototype?: Output<keyof DiscoveryRulePrototype> | undefined;
  readonly selectTags?: Output<keyof Tag> | undefined;
}

/** Parameters of `triggerprototype.create`. */
export interface TriggerPrototypeCreate {
  /** Name; may hold macros. */
  readonly description: string;
  /** Problem expression. */
  readonly expression: string;
  /** Name of events. */
  readonly event_name?: string | undefined;
  /** Operational data. */
  readonly opdata?: string | undefined;
  /** Description. */
  readonly comments?: string | undefined;
  /** Severity: 0 not classified … 5 disaster. Default: 0. */
  readonly priority?: string | number | undefined;
  /** 0 enabled, 1 disabled. Default: 0. */
  readonly status?: string | number | undefined;
  /** 1: each problem result creates an event. Default: 0. */
  readonly type?: string | number | undefined;
  /** Address. */
  readonly url?: string | undefined;
  /** Label of the address. */
  readonly url_name?: string | undefined;
  /** 0 expression, 1 recovery expression, 2 none. Default: 0. */
  readonly recovery_mode?: string | number | undefined;
  /** With recovery mode 1. */
  readonly recovery_expression?: string | undefined;
  /** OK ends 0 all, 1 those of a tag. Default: 0. */
  readonly correlation_mode?: string | number | undefined;
  /** The tag of mode 1. */
  readonly correlation_tag?: string | undefined;
  /** 1: users may close problems. Default: 0. */
  readonly manual_close?: string | number | undefined;
  /** Tags of events. */
  readonly tags?: readonly TagCreate[] | undefined;
  /** Triggers that prevent problems of this one while they are in problem state. */
  readonly dependencies?: readonly {
    /** Id. */
    readonly triggerid: string | number;
  }[] | undefined;
  /** Identity in exports of templates. */
  readonly uuid?: string | undefined;
  /** 0: rows make triggers, 1: they don't. Default: 0. */
  readonly discover?: string | number | undefined;
}

/** Parameters of `triggerprototype.update`: omitted fields keep their values. */
export type TriggerPrototypeUpdate = Partial<TriggerPrototypeCreate> & { readonly triggerid: string };

/** What forms and readers of answers have to know of it. */
export const TRIGGER_PROTOTYPE = {
  object: "triggerprototype",
  id: "triggerid",
  ids: "triggerids",
  fields: {
    triggerid: { type: "id", readOnly: true },
    description: { type: "text", max: 255, required: true },
    expression: { type: "text", max: 65535, required: true },
    event_name: { type: "text", max: 2048 },
    opdata: { type: "text", max: 255 },
    comments: { type: "text", max: 65535 },
    priority: { type: "code", codes: ["0", "1", "2", "3", "4", "5"], default: "0" },
    status: { type: "code", codes: ["0", "1"], default: "0" },
    type: { type: "code", codes: ["0", "1"], default: "0" },
    url: { type: "text", max: 2048 },
    url_name: { type: "text", max: 64 },
    recovery_mode: { type: "code", codes: ["0", "1", "2"], default: "0" },
    recovery_expression: { type: "text", max: 65535 },
    correlation_mode: { type: "code", codes: ["0", "1"], default: "0" },
    correlation_tag: { type: "text", max: 255 },
    manual_close: { type: "code", codes: ["0", "1"], default: "0" },
    tags: {
      type: "list",
      fields: {
        tag: { type: "text", max: 255, required: true },
        value: { type: "text", max: 255 },
      },
      notAnswered: true,
    },
    dependencies: {
      type: "list",
      fields: { triggerid: { type: "id", required: true } },
      notAnswered: true,
    },
    uuid: { type: "uuid" },
    templateid: { type: "id", readOnly: true },
    flags: { type: "code", codes: ["0", "2", "4"], readOnly: true },
    error: { type: "text", max: 65535, readOnly: true },
    discover: { type: "code", codes: ["0", "1"], default: "0" },
  },
  selects: {
    hosts: { param: "selectHosts", objects: "host" },
    hostgroups: { param: "selectHostGroups", objects: "hostgroup" },
    templategroups: { param: "selectTemplateGroups", objects: "templategroup" },
    items: { param: "selectItems", objects: "item" },
    functions: {
      param: "selectFunctions",
      list: {
        functionid: { type: "id", readOnly: true },
        itemid: { type: "id", readOnly: true },
        triggerid: { type: "id", readOnly: true },
        function: { type: "text", max: 255, readOnly: true },
        parameter: { type: "text", max: 255, readOnly: true },
      },
    },
    dependencies: { param: "selectDependencies", objects: "trigger" },
    discoveryRule: { param: "selectDiscoveryRule", object: "discoveryrule" },
    discoveryRulePrototype: {
      param: "selectDiscoveryRulePrototype",
      object: "discoveryruleprototype",
    },
    tags: { param: "selectTags" },
  },
} as const;
