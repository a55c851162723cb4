import {
  keepPreviousData,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { changed } from "@/api/changes";
import {
  fetchGraphs,
  fetchGraphsOf,
  type GraphPrototypeDraft,
  type GraphQuery,
  GRAPHS as STORED,
  GRAPH_PROTOTYPES as STORED_PROTOTYPES,
} from "@/api/graphs";
import { fetchItems } from "@/api/items";
import { fetchPrototypes } from "@/api/prototypes";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { isNumeric } from "@/lib/item-types";
import { notifyDone, notifyFailed } from "@/ui/notify";
import type { ObjectCalls } from "@/widgets/objects/calls";
import { useObject } from "@/widgets/objects/queries";

export function useGraphs(query: GraphQuery) {
  return useQuery({
    queryKey: keys.graphList(query),
    queryFn: ({ signal }) => fetchGraphs(query, signal),
    placeholderData: keepPreviousData,
  });
}

export const useGraph = (graphid: Id) => useObject(STORED, graphid);
export const useGraphPrototype = (graphid: Id) => useObject(STORED_PROTOTYPES, graphid);

export function useGraphsOf(ownerid: Id) {
  return useQuery({
    queryKey: keys.graphsOf(ownerid),
    queryFn: ({ signal }) => fetchGraphsOf(ownerid, signal),
  });
}

export interface OfferedItem {
  readonly itemid: Id;
  readonly name: string;
  /** of other hosts than the graph's own, and prototypes among items */
  readonly note: string;
}

/** Items with numbers that a graph can show: of hosts, and the prototypes of a rule. */
export function useOfferedItems(hostids: readonly Id[], ruleid: Id | undefined) {
  const items = useQueries({
    queries: hostids.map((hostid) => ({
      queryKey: keys.itemsOf(hostid),
      queryFn: ({ signal }: { signal: AbortSignal }) => fetchItems(hostid, signal),
    })),
    combine: (results) => results.flatMap(({ data }) => data ?? []),
  });
  const prototypes = useQuery({
    queryKey: keys.prototypes(ruleid ?? ""),
    queryFn: ({ signal }) => fetchPrototypes(ruleid ?? "", signal),
    enabled: ruleid !== undefined,
  });
  const found = (prototypes.data?.items ?? []).map((it): OfferedItem & { value_type: string } => ({
    ...it,
    note: t("prototype"),
  }));
  return [...found, ...items.map((it) => ({ ...it, note: it.key_ }))]
    .filter((it) => isNumeric(Number(it.value_type)))
    .map(({ itemid, name, note }): OfferedItem => ({ itemid, name, note }));
}

export const GRAPHS: ObjectCalls<GraphPrototypeDraft> = {
  ...STORED,
  words: {
    one: t("Graph"),
    create: t("New graph"),
    remove: t("Delete graph"),
    loss: t("It is also deleted from hosts that inherit it. Values are kept."),
    absent: t("There is no such graph."),
    saved: t("Graph saved"),
    notRemoved: t("The graph could not be deleted."),
  },
  change: "graph",
};

export const GRAPH_PROTOTYPES: ObjectCalls<GraphPrototypeDraft> = {
  ...STORED_PROTOTYPES,
  words: {
    one: t("Graph prototype"),
    create: t("New graph prototype"),
    remove: t("Delete graph prototype"),
    loss: t("Graphs created from it are also deleted. Values are kept."),
    absent: t("There is no such graph prototype."),
    saved: t("Graph prototype saved"),
    notRemoved: t("The graph prototype could not be deleted."),
  },
  change: "graphprototype",
};

export function useDeleteGraphs(onDone: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (graphids: readonly Id[]) => STORED.remove(graphids),
    onSuccess: () => {
      notifyDone(t("Deleted"));
      void changed(client, "graph");
      onDone();
    },
    onError: (error) => notifyFailed(t("The graphs could not be deleted."), error),
  });
}

/** Of an inherited prototype nothing else is its host's own. */
export function useSetDiscover(graphid: Id, onDone: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (isDiscovered: boolean) =>
      STORED_PROTOTYPES.update(graphid, { discover: isDiscovered ? "0" : "1" }),
    onSuccess: () => {
      notifyDone(GRAPH_PROTOTYPES.words.saved);
      void changed(client, "graph");
      onDone();
    },
    onError: (error) => notifyFailed(t("The graph prototype could not be saved."), error),
  });
}
