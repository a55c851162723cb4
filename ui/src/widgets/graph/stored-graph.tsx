// A configured graph, drawn: its items are asked for with it.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import type { StoredGraph } from "@/api/graphs";
import { fetchValuedItems } from "@/api/items";
import { keys } from "@/api/query-keys";
import type { TimeRange } from "@/lib/time";
import { LoadingState, QueryGate } from "@/ui/states";
import { GraphFigure } from "./graph-figure";
import { specOf } from "./spec";
import type { GraphView } from "./view";
import type { Zoom } from "./zoom";

export interface StoredGraphFigureProps {
  readonly graph: StoredGraph;
  /** in place of the graph's name */
  readonly title?: string;
  readonly caption?: ReactNode;
  readonly range: TimeRange;
  readonly zoom: Pick<Zoom, "zoom"> & Partial<Zoom>;
  readonly view?: GraphView;
  readonly height?: number;
  readonly sync?: string;
  readonly buckets?: number;
}

export function StoredGraphFigure({ graph, title, ...rest }: StoredGraphFigureProps) {
  const itemids = useMemo(() => [...new Set(graph.gitems.map((it) => it.itemid))], [graph]);
  const query = useQuery({
    queryKey: keys.picked(itemids),
    queryFn: ({ signal }) => fetchValuedItems({ itemids }, signal),
    placeholderData: keepPreviousData,
  });
  const spec = useMemo(() => {
    if (query.data === undefined) return undefined;
    return { ...specOf(graph, query.data), ...(title === undefined ? {} : { title }) };
  }, [graph, title, query.data]);
  return (
    <QueryGate query={query}>
      {() => (spec === undefined ? <LoadingState /> : <GraphFigure spec={spec} {...rest} />)}
    </QueryGate>
  );
}
