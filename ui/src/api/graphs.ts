// Graphs and graph prototypes: what they show, without the values.

import { GRAPH } from "./generated/graph";
import { GRAPH_PROTOTYPE } from "./generated/graph-prototype";
import { type AnswerOf, type DraftOf, objectsOf, readAs } from "./objects";
import type { Id } from "./types";

const FIELDS = [
  "graphid",
  "name",
  "graphtype",
  "width",
  "height",
  "yaxismin",
  "yaxismax",
  "templateid",
  "show_work_period",
  "show_triggers",
  "show_legend",
  "show_3d",
  "percent_left",
  "percent_right",
  "ymin_type",
  "ymax_type",
  "ymin_itemid",
  "ymax_itemid",
  "flags",
] as const;
const SELECTS = {
  gitems: ["itemid", "drawtype", "sortorder", "color", "yaxisside", "calc_fnc", "type"],
  hosts: ["hostid", "name"],
} as const;

const STORED = objectsOf(GRAPH, { output: FIELDS, selects: SELECTS });
const STORED_PROTOTYPES = objectsOf(GRAPH_PROTOTYPE, {
  output: [...FIELDS, "discover"],
  selects: SELECTS,
});

export type GraphKind = "normal" | "stacked" | "pie" | "exploded";
type Stored = AnswerOf<typeof STORED>;
/** An item as a graph draws it. */
export type StoredGraphItem = Stored["gitems"][number];

export interface StoredGraph extends Omit<Stored, "graphtype"> {
  readonly kind: GraphKind;
  /** of prototypes: 1 where rows make no graphs of it */
  readonly discover: string;
}

const KINDS: readonly GraphKind[] = ["normal", "stacked", "pie", "exploded"];

export const kindCode = (kind: GraphKind): string => String(KINDS.indexOf(kind));

function read({
  graphtype,
  discover = "0",
  ...same
}: Stored & { readonly discover?: string }): StoredGraph {
  return { ...same, discover, kind: KINDS[Number(graphtype)] ?? "normal" };
}

export const GRAPHS = readAs(STORED, read);
export const GRAPH_PROTOTYPES = readAs(STORED_PROTOTYPES, read);

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
  return GRAPHS.get(
    {
      ...(hostids.length === 0 ? {} : { hostids }),
      ...(groupids.length === 0 ? {} : { groupids }),
      ...(text === "" ? {} : { search: { name: text } }),
      templated: false,
      expandName: true,
      limit,
    },
    signal,
  );
}

/** Those of a host or template, to configure them. */
export async function fetchGraphsOf(
  ownerid: Id,
  signal?: AbortSignal,
): Promise<readonly StoredGraph[]> {
  return GRAPHS.get({ hostids: [ownerid] }, signal);
}

export async function fetchGraphPrototypes(
  ruleid: Id,
  signal?: AbortSignal,
): Promise<readonly StoredGraph[]> {
  return GRAPH_PROTOTYPES.get({ discoveryids: [ruleid] }, signal);
}

export type GraphDraft = DraftOf<"graph">;
export type GraphPrototypeDraft = GraphDraft & { readonly discover?: string | undefined };
