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
