// The list of the tab, and how the page asks for it.

import { useEffect, useMemo, useSyncExternalStore } from "react";
import type { GroupMembers } from "@/api/groups";
import { problemStore } from "@/api/problem-store";
import type { ProblemTable } from "@/api/problem-table";
import { locale } from "@/lib/i18n";
import { zoneShown } from "@/lib/time";
import { ListClient, type ListView } from "./list-client";
import type { ListQuestion } from "./lists";

export const problemLists = new ListClient(
  () => new Worker(new URL("./list-worker.ts", import.meta.url), { type: "module" }),
);
problemStore.mirrorTo(problemLists);

export interface WantedList {
  readonly table: ProblemTable;
  readonly revision: number;
  /** undefined: not known, or nobody wants to know */
  readonly groups: readonly GroupMembers[] | undefined;
  readonly filter: ListQuestion["filter"];
  readonly now: number;
  readonly unfolded: ListQuestion["unfolded"];
  readonly folded: ListQuestion["folded"];
  readonly facets: string | undefined;
}

/** The newest answer there is, and the question that stands. */
export function useProblemList(wanted: WantedList): {
  readonly view: ListView;
  readonly question: ListQuestion;
} {
  const { table, revision, groups, filter, now, unfolded, folded, facets } = wanted;
  const view = useSyncExternalStore(problemLists.subscribe, problemLists.getView);
  const question = useMemo(
    (): ListQuestion => ({
      filter,
      now,
      unfolded,
      folded,
      facets,
      locale: locale(),
      zone: zoneShown(),
    }),
    [filter, now, unfolded, folded, facets],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the table changes in place; `revision` says when
  useEffect(() => {
    if (groups !== undefined) problemLists.tellGroups(groups);
    problemLists.want(table, question);
  }, [table, revision, groups, question]);
  return { view, question };
}
