// The list of the tab, and how the page asks for it.

import { useEffect, useMemo, useSyncExternalStore } from "react";
import type { GroupMembers } from "@/api/groups";
import { problemStore } from "@/api/problem-store";
import type { ProblemTable } from "@/api/problem-table";
import { locale } from "@/lib/i18n";
import { zoneShown } from "@/lib/time";
import { useLatest } from "@/ui/latest";
import { ListClient, type ListView } from "./list-client";
import type { ListQuestion } from "./lists";
import type { TypedText } from "./typed-text";

export const problemLists = new ListClient(
  () => new Worker(new URL("./list-worker.ts", import.meta.url), { type: "module" }),
);
problemStore.mirrorTo(problemLists);

export interface WantedList {
  readonly table: ProblemTable;
  /** 0: there is nothing that could be asked about */
  readonly revision: number;
  /** undefined: not known, or nobody wants to know */
  readonly groups: readonly GroupMembers[] | undefined;
  readonly filter: ListQuestion["filter"];
  /** comes into the filter before the page knows of it */
  readonly typed: TypedText;
  readonly now: number;
  readonly unfolded: ListQuestion["unfolded"];
  readonly folded: ListQuestion["folded"];
  readonly facets: string | undefined;
}

/** The newest answer there is; the question that stands, and how it is asked when something was typed. */
export function useProblemList(wanted: WantedList): {
  readonly view: ListView;
  readonly questionNow: () => ListQuestion;
  readonly ask: () => void;
} {
  const { table, revision, groups, filter, typed, now, unfolded, folded, facets } = wanted;
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
  const questionNow = useLatest((): ListQuestion => {
    const applied = typed.applied(filter);
    return applied === filter ? question : { ...question, filter: applied };
  });
  const ask = useLatest(() => {
    if (revision > 0) problemLists.want(table, questionNow());
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the table changes in place; `revision` says when
  useEffect(() => {
    if (groups !== undefined) problemLists.tellGroups(groups);
    ask();
  }, [table, revision, groups, question, ask]);
  return { view, questionNow, ask };
}
