import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { changed } from "@/api/changes";
import { keys } from "@/api/query-keys";
import {
  createTemplate,
  deleteTemplates,
  fetchTemplate,
  fetchTemplates,
  type TemplateDraft,
  updateTemplate,
} from "@/api/templates";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { notifyDone, notifyFailed } from "@/ui/notify";

export function useTemplates() {
  return useQuery({
    queryKey: keys.templateList,
    queryFn: ({ signal }) => fetchTemplates(signal),
  });
}

export function useTemplate(templateid: Id) {
  return useQuery({
    queryKey: keys.template(templateid),
    queryFn: async ({ signal }) => (await fetchTemplate(templateid, signal)) ?? null,
  });
}

export function useTemplateMutations(onDone: (created?: Id) => void) {
  const client = useQueryClient();
  const done = (message: string, created?: Id) => {
    notifyDone(message);
    void changed(client, "template");
    onDone(created);
  };
  const save = useMutation({
    mutationFn: async ({ id, draft }: { id: Id | undefined; draft: TemplateDraft }) => {
      if (id === undefined) return createTemplate(draft);
      await updateTemplate(id, draft);
      return undefined;
    },
    onSuccess: (created) =>
      done(created === undefined ? t("Template saved") : t("Template created"), created),
  });
  const remove = useMutation({
    mutationFn: (ids: readonly Id[]) => deleteTemplates(ids),
    onSuccess: () => done(t("Deleted")),
    onError: (error) => notifyFailed(t("The templates could not be deleted."), error),
  });
  return { save, remove };
}
