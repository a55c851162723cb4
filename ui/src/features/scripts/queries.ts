import { useQuery } from "@tanstack/react-query";
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
import type { ObjectCalls } from "@/widgets/objects/calls";
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

export const SCRIPTS: ObjectCalls<ScriptDraft> = {
  object: "script",
  words: {
    one: t("Script"),
    create: t("New script"),
    remove: t("Delete script"),
    loss: t("It is removed from all menus."),
    absent: t("There is no such script."),
    saved: t("Script saved"),
    notRemoved: t("The script could not be deleted."),
  },
  change: "script",
  create: createScript,
  update: updateScript,
  remove: deleteScripts,
};
