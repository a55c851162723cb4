// The list of graphs in the address: which hosts, which names, and how they are looked at.

import type { Id } from "@/api/types";
import type { GraphViewSearch } from "@/widgets/graph/view";

export interface GraphsSearch extends GraphViewSearch {
  readonly q?: string;
  readonly hosts?: string;
  readonly groups?: string;
  readonly show?: string;
}

export interface GraphsFilter {
  readonly text: string;
  readonly hostids: readonly Id[];
  readonly groupids: readonly Id[];
  /** `auto`: pictures once hosts, groups or names are chosen */
  readonly show: "auto" | "graphs" | "list";
}

const ids = (text: unknown): Id[] =>
  String(text ?? "")
    .split(",")
    .filter((it) => /^\d+$/.test(it));

export function readGraphs(search: GraphsSearch): GraphsFilter {
  const { show } = search;
  return {
    text: String(search.q ?? ""),
    hostids: ids(search.hosts),
    groupids: ids(search.groups),
    show: show === "graphs" || show === "list" ? show : "auto",
  };
}

export function writeGraphs(
  filter: GraphsFilter,
): Pick<GraphsSearch, "q" | "hosts" | "groups" | "show"> {
  return {
    ...(filter.text === "" ? {} : { q: filter.text }),
    ...(filter.hostids.length === 0 ? {} : { hosts: filter.hostids.join(",") }),
    ...(filter.groupids.length === 0 ? {} : { groups: filter.groupids.join(",") }),
    ...(filter.show === "auto" ? {} : { show: filter.show }),
  };
}

/** Whether pictures are drawn: of everything there is, a list of names is the better beginning. */
export function drawsGraphs({ show, text, hostids, groupids }: GraphsFilter): boolean {
  if (show !== "auto") return show === "graphs";
  return text !== "" || hostids.length > 0 || groupids.length > 0;
}

export function rangeOf({ from, to }: GraphsSearch): Pick<GraphsSearch, "from" | "to"> {
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}
