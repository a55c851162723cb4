// Views: filters with a name, which the server keeps for each user.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { keys } from "@/api/query-keys";
import { fetchViews, type KeptView, keepView } from "@/api/views";
import { isRecord } from "@/lib/columns";
import { locale, t } from "@/lib/i18n";
import { readStored, writeStored } from "@/lib/local-storage";
import { notifyFailed } from "@/ui/notify";
import { type ProblemSearch, readFilter, writeFilter } from "./filter";

export interface SavedView {
  readonly name: string;
  readonly search: ProblemSearch;
}

const NAME_MAX = 60;

export function nameOfView(text: string): string {
  return [...text.trim()].slice(0, NAME_MAX).join("").trim();
}

/** Whatever is kept gives usable views, in order of their names. */
export function readViews(kept: readonly KeptView[]): readonly SavedView[] {
  return kept
    .map(({ name, search }) => ({
      name,
      search: writeFilter(readFilter(search as ProblemSearch)),
    }))
    .sort((a, b) => a.name.localeCompare(b.name, locale()));
}

function keyOf(userid: string): string {
  return `saker.problem-views.${userid}`;
}

/** What this browser kept before the server did. */
export function viewsOfBrowser(userid: string): readonly KeptView[] {
  return readStored(keyOf(userid), (value) =>
    Array.isArray(value)
      ? value.flatMap((it) =>
          isRecord(it) && typeof it["name"] === "string" && isRecord(it["search"])
            ? [{ name: nameOfView(it["name"]), search: it["search"] }]
            : [],
        )
      : [],
  );
}

/** Brings them to the server, but for names that it has, and forgets them here. */
export async function moveViews(
  userid: string,
  kept: readonly KeptView[],
): Promise<readonly KeptView[]> {
  let all = kept;
  for (const { name, search } of viewsOfBrowser(userid)) {
    if (name !== "" && !all.some((it) => it.name === name)) all = await keepView(name, search);
  }
  writeStored(keyOf(userid), null);
  return all;
}

export function useViews(userid: string) {
  const client = useQueryClient();
  const query = useQuery({
    queryKey: keys.problemViews,
    queryFn: ({ signal }) => fetchViews(signal),
    select: readViews,
  });
  const set = (all: readonly KeptView[]) => client.setQueryData(keys.problemViews, all);
  const isThere = query.isSuccess;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the server's are there
  useEffect(() => {
    if (!isThere || viewsOfBrowser(userid).length === 0) return;
    const kept = client.getQueryData<readonly KeptView[]>(keys.problemViews) ?? [];
    moveViews(userid, kept).then(set, (error: unknown) =>
      notifyFailed(t("The views saved in this browser could not be moved to the server."), error),
    );
  }, [isThere, userid]);
  const keep = useMutation({
    mutationFn: ({ name, search }: KeptView) => keepView(name, search),
    onSuccess: set,
  });
  const forget = useMutation({
    mutationFn: (name: string) => keepView(name, null),
    onSuccess: set,
    onError: (error) => notifyFailed(t("The view could not be removed."), error),
  });
  return { views: query.data ?? [], keep, forget };
}
