import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { fetchUserGroupNames } from "@/api/actions";
import { changed } from "@/api/changes";
import { keys } from "@/api/query-keys";
import {
  createScript,
  deleteScripts,
  fetchScript,
  fetchScripts,
  updateScript,
} from "@/api/scripts";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { notifyDone, notifyFailed } from "@/ui/notify";
import type { ScriptDraft } from "./draft";

export function useScripts() {
  return useQuery({ queryKey: keys.scriptList, queryFn: ({ signal }) => fetchScripts(signal) });
}

export function useScript(id: Id | "new") {
  return useQuery({
    queryKey: keys.script(id),
    queryFn: async ({ signal }) => (await fetchScript(id, signal)) ?? null,
    enabled: id !== "new",
  });
}

export function useUserGroups() {
  return useQuery({
    queryKey: keys.userGroupNames,
    queryFn: ({ signal }) => fetchUserGroupNames(signal),
  });
}

export function useScriptMutations(onDone: () => void) {
  const client = useQueryClient();
  const done = (message: string) => {
    notifyDone(message);
    void changed(client, "script");
    onDone();
  };
  const save = useMutation({
    mutationFn: ({ id, draft }: { id: Id | undefined; draft: ScriptDraft }): Promise<unknown> =>
      id === undefined ? createScript(draft) : updateScript(id, draft),
    onSuccess: () => done(t("Script saved")),
  });
  const remove = useMutation({
    mutationFn: (ids: readonly Id[]) => deleteScripts(ids),
    onSuccess: () => done(t("Deleted")),
    onError: (error) => notifyFailed(t("The script could not be deleted."), error),
  });
  return { save, remove };
}
