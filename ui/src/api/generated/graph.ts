// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { DiscoveryRule } from "./discovery-rule";
import type { GetParams, Output } from "./get";
import type { Host } from "./host";
import type { HostGroup } from "./host-group";
import type { Item } from "./item";
import type { Template } from "./template";
import type { TemplateGroup } from "./template-group";

/** Values of several items in one graph. */
export interface Graph {
  /** Name. */
  readonly name: string;
  /** Id. */
  readonly graphid: string;
  /** Pixels. Default: 900. */
  readonly width: string;
  /** Pixels. Default: 200. */
  readonly height: string;
  /** Lower end of the axis. Default: 0. */
  readonly yaxismin: string;
  /** Upper end of the axis. Default: 100. */
  readonly yaxismax: string;
  /** The graph of the directly linked template that it comes from; 0: none. */
  readonly templateid: string;
  /** 1: hours of work are shaded. Default: 1. */
  readonly show_work_period: string;
  /** 1: thresholds of triggers. Default: 1. */
  readonly show_triggers: string;
  /** 0 normal, 1 stacked, 2 pie, 3 exploded pie. Default: 0. */
  readonly graphtype: string;
  /** 1: with a legend. Default: 1. */
  readonly show_legend: string;
  /** 1: a pie in three dimensions. Default: 0. */
  readonly show_3d: string;
  /** Percentile line of the left axis; 0: none. Default: 0. */
  readonly percent_left: string;
  /** Percentile line of the right axis; 0: none. Default: 0. */
  readonly percent_right: string;
  /** Lower end: 0 calculated, 1 fixed, 2 of an item. Default: 0. */
  readonly ymin_type: string;
  /** Upper end: 0 calculated, 1 fixed, 2 of an item. Default: 0. */
  readonly ymax_type: string;
  /** With type 2. Default: 0. */
  readonly ymin_itemid: string;
  /** With type 2. Default: 0. */
  readonly ymax_itemid: string;
  /** 0 plain, 2 prototype, 4 discovered. */
  readonly flags: string;
  /** Identity in exports of templates. */
  readonly uuid: string;
}

/** The properties of `select…` parameters. */
export interface GraphSelects {
  /** `selectHosts`; its number, as a text, with "count". */
  readonly hosts: readonly Host[] | string;
  /** `selectTemplates`. */
  readonly templates: readonly Template[];
  /** `selectHostGroups`. */
  readonly hostgroups: readonly HostGroup[];
  /** `selectGroups`. */
  readonly groups: readonly HostGroup[];
  /** `selectTemplateGroups`. */
  readonly templategroups: readonly TemplateGroup[];
  /** `selectItems`; its number, as a text, with "count". */
  readonly items: readonly Item[] | string;
  /** `selectGraphItems`; its number, as a text, with "count". */
  readonly gitems: readonly {
    /** Id; of the graph and the position. */
    readonly gitemid: string;
    /** Graph. */
    readonly graphid: string;
    /** Item. */
    readonly itemid: string;
    /** 0 line, 1 filled region, 2 bold line, 3 dot, 4 dashed line, 5 gradient line. Default: 0. */
    readonly drawtype: string;
    /** Place; the position in the list if left out. */
    readonly sortorder: string;
    /** Hexadecimal, without #. */
    readonly color: string;
    /** Axis: 0 left, 1 right. Default: 0. */
    readonly yaxisside: string;
    /** Where there are several values: 1 minimum, 2 average, 4 maximum, 7 all; 9 last, of pies. Default: 2. */
    readonly calc_fnc: string;
    /** 0 simple, 2 sum of a pie. Default: 0. */
    readonly type: string;
  }[] | string;
  /** `selectDiscoveryRule`. */
  readonly discoveryRule: DiscoveryRule | readonly [];
  /** `selectGraphDiscovery`. */
  readonly graphDiscovery: {
    /** The graph. */
    readonly graphid: string;
    /** The prototype. */
    readonly parent_graphid: string;
    /** When it was lost; 0: it still exists. */
    readonly lastcheck: string;
    /** 1: lost. */
    readonly status: string;
    /** When it will be deleted. */
    readonly ts_delete: string;
  } | readonly [];
}

/** Parameters of `graph.get`. */
export interface GraphGet extends GetParams<keyof Graph> {
  readonly selectHosts?: Output<keyof Host> | "count" | undefined;
  readonly selectTemplates?: Output<keyof Template> | undefined;
  readonly selectHostGroups?: Output<keyof HostGroup> | undefined;
  readonly selectGroups?: Output<keyof HostGroup> | undefined;
  readonly selectTemplateGroups?: Output<keyof TemplateGroup> | undefined;
  readonly selectItems?: Output<keyof Item> | "count" | undefined;
  readonly selectGraphItems?: Output<string> | "count" | undefined;
  readonly selectDiscoveryRule?: Output<keyof DiscoveryRule> | undefined;
  readonly selectGraphDiscovery?: Output<string> | undefined;
}

/** Parameters of `graph.create`. */
export interface GraphCreate {
  /** Name. */
  readonly name: string;
  /** Pixels. Default: 900. */
  readonly width?: string | number | undefined;
  /** Pixels. Default: 200. */
  readonly height?: string | number | undefined;
  /** Lower end of the axis. Default: 0. */
  readonly yaxismin?: string | number | undefined;
  /** Upper end of the axis. Default: 100. */
  readonly yaxismax?: string | number | undefined;
  /** 1: hours of work are shaded. Default: 1. */
  readonly show_work_period?: string | number | undefined;
  /** 1: thresholds of triggers. Default: 1. */
  readonly show_triggers?: string | number | undefined;
  /** 0 normal, 1 stacked, 2 pie, 3 exploded pie. Default: 0. */
  readonly graphtype?: string | number | undefined;
  /** 1: with a legend. Default: 1. */
  readonly show_legend?: string | number | undefined;
  /** 1: a pie in three dimensions. Default: 0. */
  readonly show_3d?: string | number | undefined;
  /** Percentile line of the left axis; 0: none. Default: 0. */
  readonly percent_left?: string | number | undefined;
  /** Percentile line of the right axis; 0: none. Default: 0. */
  readonly percent_right?: string | number | undefined;
  /** Lower end: 0 calculated, 1 fixed, 2 of an item. Default: 0. */
  readonly ymin_type?: string | number | undefined;
  /** Upper end: 0 calculated, 1 fixed, 2 of an item. Default: 0. */
  readonly ymax_type?: string | number | undefined;
  /** With type 2. Default: 0. */
  readonly ymin_itemid?: string | number | undefined;
  /** With type 2. Default: 0. */
  readonly ymax_itemid?: string | number | undefined;
  /** Identity in exports of templates. */
  readonly uuid?: string | undefined;
  /** What it shows; one at least. */
  readonly gitems?: readonly {
    /** Id; of the graph and the position. */
    readonly gitemid?: string | number | undefined;
    /** Graph. */
    readonly graphid?: string | number | undefined;
    /** Item. */
    readonly itemid: string | number;
    /** 0 line, 1 filled region, 2 bold line, 3 dot, 4 dashed line, 5 gradient line. Default: 0. */
    readonly drawtype?: string | number | undefined;
    /** Place; the position in the list if left out. */
    readonly sortorder?: string | number | undefined;
    /** Hexadecimal, without #. */
    readonly color: string;
    /** Axis: 0 left, 1 right. Default: 0. */
    readonly yaxisside?: string | number | undefined;
    /** Where there are several values: 1 minimum, 2 average, 4 maximum, 7 all; 9 last, of pies. Default: 2. */
    readonly calc_fnc?: string | number | undefined;
    /** 0 simple, 2 sum of a pie. Default: 0. */
    readonly type?: string | number | undefined;
  }[] | undefined;
}

/** Parameters of `graph.update`: omitted fields keep their values. */
export type GraphUpdate = Partial<GraphCreate> & { readonly graphid: string };

/** What forms and readers of answers have to know of it. */
export const GRAPH = {
  object: "graph",
  id: "graphid",
  ids: "graphids",
  fields: {
    name: { type: "text", max: 128, required: true },
    graphid: { type: "id", readOnly: true },
    width: { type: "int", min: 0, max: 65535, default: "900" },
    height: { type: "int", min: 0, max: 65535, default: "200" },
    yaxismin: { type: "float", default: "0" },
    yaxismax: { type: "float", default: "100" },
    templateid: { type: "id", readOnly: true },
    show_work_period: { type: "code", codes: ["0", "1"], default: "1" },
    show_triggers: { type: "code", codes: ["0", "1"], default: "1" },
    graphtype: { type: "code", codes: ["0", "1", "2", "3"], default: "0" },
    show_legend: { type: "code", codes: ["0", "1"], default: "1" },
    show_3d: { type: "code", codes: ["0", "1"], default: "0" },
    percent_left: { type: "float", default: "0" },
    percent_right: { type: "float", default: "0" },
    ymin_type: {
      type: "code",
      codes: ["0", "1", "2"],
      default: "0",
      names: { CALCULATED: "0", FIXED: "1", ITEM: "2" },
    },
    ymax_type: {
      type: "code",
      codes: ["0", "1", "2"],
      default: "0",
      names: { CALCULATED: "0", FIXED: "1", ITEM: "2" },
    },
    ymin_itemid: { type: "id", default: "0" },
    ymax_itemid: { type: "id", default: "0" },
    flags: { type: "code", codes: ["0", "2", "4"], readOnly: true },
    uuid: { type: "uuid" },
    gitems: {
      type: "list",
      fields: {
        gitemid: { type: "id", readOnly: true },
        graphid: { type: "id", readOnly: true },
        itemid: { type: "id", required: true },
        drawtype: { type: "code", codes: ["0", "1", "2", "3", "4", "5"], default: "0" },
        sortorder: { type: "int", min: 0, max: 2147483647 },
        color: { type: "text", max: 255, required: true },
        yaxisside: {
          type: "code",
          codes: ["0", "1"],
          default: "0",
          names: { LEFT: "0", RIGHT: "1" },
        },
        calc_fnc: {
          type: "code",
          codes: ["1", "2", "4", "7", "9"],
          default: "2",
          names: { MIN: "1", AVG: "2", MAX: "4", ALL: "7", LAST: "9" },
        },
        type: {
          type: "code",
          codes: ["0", "2"],
          default: "0",
          names: { SIMPLE: "0", GRAPH_SUM: "2" },
        },
      },
      notAnswered: true,
    },
  },
  selects: {
    hosts: { param: "selectHosts", objects: "host" },
    templates: { param: "selectTemplates", objects: "template" },
    hostgroups: { param: "selectHostGroups", objects: "hostgroup" },
    groups: { param: "selectGroups", objects: "hostgroup" },
    templategroups: { param: "selectTemplateGroups", objects: "templategroup" },
    items: { param: "selectItems", objects: "item" },
    gitems: { param: "selectGraphItems" },
    discoveryRule: { param: "selectDiscoveryRule", object: "discoveryrule" },
    graphDiscovery: {
      param: "selectGraphDiscovery",
      one: {
        graphid: { type: "id", readOnly: true },
        parent_graphid: { type: "id", readOnly: true },
        lastcheck: { type: "time", readOnly: true },
        status: { type: "code", codes: ["0", "1"], readOnly: true },
        ts_delete: { type: "time", readOnly: true },
      },
    },
  },
} as const;
