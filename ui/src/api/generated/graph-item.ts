// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams, Output } from "./get";
import type { Graph } from "./graph";

/** An item as a graph or graph prototype shows it. */
export interface GraphItem {
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
}

/** The properties of `select…` parameters. */
export interface GraphItemSelects {
  /** `selectGraphs`. */
  readonly graphs: readonly Graph[];
}

/** Parameters of `graphitem.get`. */
export interface GraphItemGet extends GetParams<keyof GraphItem> {
  readonly selectGraphs?: Output<keyof Graph> | undefined;
}

/** What forms and readers of answers have to know of it. */
export const GRAPH_ITEM = {
  object: "graphitem",
  id: "gitemid",
  ids: "gitemids",
  fields: {
    gitemid: { type: "id", readOnly: true },
    graphid: { type: "id", readOnly: true },
    itemid: { type: "id", required: true },
    drawtype: { type: "code", codes: ["0", "1", "2", "3", "4", "5"], default: "0" },
    sortorder: { type: "int", min: 0, max: 2147483647 },
    color: { type: "text", max: 255, required: true },
    yaxisside: { type: "code", codes: ["0", "1"], default: "0" },
    calc_fnc: { type: "code", codes: ["1", "2", "4", "7", "9"], default: "2" },
    type: { type: "code", codes: ["0", "2"], default: "0" },
  },
  selects: { graphs: { param: "selectGraphs", objects: "graph" } },
} as const;
