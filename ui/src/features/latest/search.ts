// Filters of latest data, in the address.

import type { Id } from "@/api/types";

export interface LatestSearch {
  readonly q?: string;
  readonly hosts?: string;
  readonly groups?: string;
  readonly show?: string;
  readonly item?: string;
}

export interface LatestFilter {
  readonly text: string;
  readonly hostids: readonly Id[];
  readonly groupids: readonly Id[];
  /** only what is not supported, or only what has values */
  readonly show: "all" | "unsupported" | "values";
}

export const ids = (text: unknown): Id[] =>
  String(text ?? "")
    .split(",")
    .filter((it) => /^\d+$/.test(it));

export function readLatest(search: LatestSearch): LatestFilter {
  const { show } = search;
  return {
    text: String(search.q ?? ""),
    hostids: ids(search.hosts),
    groupids: ids(search.groups),
    show: show === "unsupported" || show === "values" ? show : "all",
  };
}

export function writeLatest(filter: LatestFilter): LatestSearch {
  return {
    ...(filter.text === "" ? {} : { q: filter.text }),
    ...(filter.hostids.length === 0 ? {} : { hosts: filter.hostids.join(",") }),
    ...(filter.groupids.length === 0 ? {} : { groups: filter.groupids.join(",") }),
    ...(filter.show === "all" ? {} : { show: filter.show }),
  };
}
