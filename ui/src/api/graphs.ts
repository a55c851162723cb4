// Graphs and graph prototypes: what they show, without the values.

import * as z from "zod/mini";
import type { Graph, GraphCreate } from "./generated/graph";
import { call } from "./rpc";
import * as schema from "./schema";
import type { Id } from "./types";

export type GraphKind = "normal" | "stacked" | "pie" | "exploded";

/** An item as a graph draws it. */
export interface StoredGraphItem {
  readonly itemid: Id;
  /** 0 line, 1 filled region, 2 bold line, 3 dot, 4 dashed line, 5 gradient line */
  readonly drawtype: string;
  readonly sortorder: string;
  /** hexadecimal, without # */
  readonly color: string;
  /** 0 left, 1 right */
  readonly yaxisside: string;
  /** 1 minimum, 2 average, 4 maximum, 7 all, 9 last */
  readonly calc_fnc: string;
  /** 0 simple, 2 sum of a pie */
  readonly type: string;
}

export type StoredGraph = Pick<
  Graph,
  | "graphid"
  | "name"
  | "width"
  | "height"
  | "yaxismin"
  | "yaxismax"
  | "templateid"
  | "show_work_period"
  | "show_triggers"
  | "show_legend"
  | "show_3d"
  | "percent_left"
  | "percent_right"
  | "ymin_type"
  | "ymax_type"
  | "ymin_itemid"
  | "ymax_itemid"
  | "flags"
> & {
  readonly kind: GraphKind;
  readonly gitems: readonly StoredGraphItem[];
  readonly hosts: readonly { readonly hostid: Id; readonly name: string }[];
  /** of prototypes: 1 where rows make no graphs of it */
  readonly discover: string;
};

const KINDS: readonly GraphKind[] = ["normal", "stacked", "pie", "exploded"];

export const kindCode = (kind: GraphKind): string => String(KINDS.indexOf(kind));

const graphItem = z.object({
  itemid: z.string(),
  drawtype: z.string(),
  sortorder: z.string(),
  color: z.string(),
  yaxisside: z.string(),
  calc_fnc: z.string(),
  type: z.string(),
});

const fields = {
  graphid: z.string(),
  name: z.string(),
  width: z.string(),
  height: z.string(),
  yaxismin: z.string(),
  yaxismax: z.string(),
  templateid: z.string(),
  show_work_period: z.string(),
  show_triggers: z.string(),
  show_legend: z.string(),
  show_3d: z.string(),
  percent_left: z.string(),
  percent_right: z.string(),
  ymin_type: z.string(),
  ymax_type: z.string(),
  ymin_itemid: z.string(),
  ymax_itemid: z.string(),
  flags: z.string(),
};

const FIELDS = [...(Object.keys(fields) as (keyof typeof fields)[]), "graphtype"] as const;

const graph: z.ZodMiniType<StoredGraph> = z.pipe(
  z.object({
    ...fields,
    graphtype: z.string(),
    discover: z._default(z.string(), "0"),
    gitems: z.array(graphItem),
    hosts: z.array(z.object({ hostid: z.string(), name: z.string() })),
  }),
  z.transform(
    ({ graphtype, ...rest }): StoredGraph => ({
      ...rest,
      kind: KINDS[Number(graphtype)] ?? "normal",
    }),
  ),
);

const SELECTS = { selectGraphItems: "extend", selectHosts: ["hostid", "name"] } as const;

export interface GraphQuery {
  readonly hostids: readonly Id[];
  readonly groupids: readonly Id[];
  readonly text: string;
  readonly limit: number;
}

/** Graphs of hosts that can be looked at, by name. */
export async function fetchGraphs(
  { hostids, groupids, text, limit }: GraphQuery,
  signal?: AbortSignal,
): Promise<readonly StoredGraph[]> {
  return call(
    "graph.get",
    {
      output: FIELDS,
      ...SELECTS,
      ...(hostids.length === 0 ? {} : { hostids }),
      ...(groupids.length === 0 ? {} : { groupids }),
      ...(text === "" ? {} : { search: { name: text } }),
      templated: false,
      expandName: true,
      sortfield: "name",
      limit,
    },
    schema.listOf(graph),
    signal,
  );
}

export async function fetchGraph(
  graphid: Id,
  signal?: AbortSignal,
): Promise<StoredGraph | undefined> {
  const found = await call(
    "graph.get",
    { graphids: [graphid], output: FIELDS, ...SELECTS },
    schema.listOf(graph),
    signal,
  );
  return found[0];
}

/** Those of a host or template, to configure them. */
export async function fetchGraphsOf(
  ownerid: Id,
  signal?: AbortSignal,
): Promise<readonly StoredGraph[]> {
  return call(
    "graph.get",
    { hostids: [ownerid], output: FIELDS, ...SELECTS, sortfield: "name" },
    schema.listOf(graph),
    signal,
  );
}

export type GraphDraft = GraphCreate;

export async function createGraph(draft: GraphDraft): Promise<Id> {
  const ids = await call("graph.create", draft, schema.createdIds("graphids"));
  return ids[0] ?? "";
}

export async function updateGraph(graphid: Id, draft: Partial<GraphDraft>): Promise<void> {
  await call("graph.update", { graphid, ...draft }, schema.changed);
}

export async function deleteGraphs(graphids: readonly Id[]): Promise<void> {
  await call("graph.delete", graphids, schema.changed);
}

export async function fetchGraphPrototypes(
  ruleid: Id,
  signal?: AbortSignal,
): Promise<readonly StoredGraph[]> {
  return call(
    "graphprototype.get",
    { discoveryids: [ruleid], output: [...FIELDS, "discover"], ...SELECTS, sortfield: "name" },
    schema.listOf(graph),
    signal,
  );
}

export async function fetchGraphPrototype(
  graphid: Id,
  signal?: AbortSignal,
): Promise<StoredGraph | undefined> {
  const found = await call(
    "graphprototype.get",
    { graphids: [graphid], output: [...FIELDS, "discover"], ...SELECTS },
    schema.listOf(graph),
    signal,
  );
  return found[0];
}

export type GraphPrototypeDraft = GraphDraft & { readonly discover?: string | undefined };

export async function createGraphPrototype(draft: GraphPrototypeDraft): Promise<Id> {
  const ids = await call("graphprototype.create", draft, schema.createdIds("graphids"));
  return ids[0] ?? "";
}

export async function updateGraphPrototype(
  graphid: Id,
  draft: Partial<GraphPrototypeDraft>,
): Promise<void> {
  await call("graphprototype.update", { graphid, ...draft }, schema.changed);
}

export async function deleteGraphPrototypes(graphids: readonly Id[]): Promise<void> {
  await call("graphprototype.delete", graphids, schema.changed);
}
