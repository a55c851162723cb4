import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { changed } from "@/api/changes";
import { exportConfiguration } from "@/api/configuration";
import { importFile } from "@/api/native";
import { keys } from "@/api/query-keys";
import {
  createTemplate,
  fetchTemplates,
  findTemplate,
  TEMPLATES,
  type Template,
  type TemplateDraft,
} from "@/api/templates";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { notifyDone, notifyFailed } from "@/ui/notify";
import type { ObjectCalls } from "@/widgets/objects/calls";
import { clonedDocument } from "./clone";

export function useTemplates() {
  return useQuery({
    queryKey: keys.templateList,
    queryFn: ({ signal }) => fetchTemplates(signal),
  });
}

export function useTemplate(templateid: Id) {
  return useQuery({
    queryKey: keys.template(templateid),
    queryFn: async ({ signal }) => (await TEMPLATES.one(templateid, signal)) ?? null,
  });
}

export const TEMPLATE_CALLS: ObjectCalls<TemplateDraft> = {
  object: "template",
  words: {
    one: t("Template"),
    create: t("New template"),
    remove: t("Delete template"),
    loss: t("Objects that hosts inherited from it remain on the hosts as their own."),
    absent: t("There is no such template."),
    saved: t("Template saved"),
    notRemoved: t("The template could not be deleted."),
  },
  change: "template",
  create: createTemplate,
  update: TEMPLATES.update,
  remove: TEMPLATES.remove,
  created: () => ({ message: t("Template created") }),
};

export function useRemoveTemplates(onDone: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (ids: readonly Id[]) => TEMPLATES.remove(ids),
    onSuccess: () => {
      notifyDone(t("Deleted"));
      void changed(client, "template");
      onDone();
    },
    onError: (error) => notifyFailed(t("The templates could not be deleted."), error),
  });
}

interface Cloning {
  readonly template: Pick<Template, "templateid" | "host">;
  readonly to: string;
  readonly name: string;
  /** with items, triggers and all else that it has */
  readonly whole: boolean;
}

const MADE = { createMissing: true } as const;
// what an export of a template holds; nothing that is there already is changed
const RULES = {
  template_groups: MADE,
  host_groups: MADE,
  templates: MADE,
  templateLinkage: MADE,
  valueMaps: MADE,
  items: MADE,
  discoveryRules: MADE,
  triggers: MADE,
  httptests: MADE,
  graphs: MADE,
  templateDashboards: MADE,
} as const;

async function cloneWhole({ template, to, name }: Cloning): Promise<Id> {
  // an import would add to one that has the name already
  if ((await findTemplate(to)) !== undefined) {
    throw new Error(t("A template with this name already exists."));
  }
  const exported = await exportConfiguration("templates", [template.templateid], "json");
  await importFile(clonedDocument(exported, { from: template.host, to, name }), RULES);
  return (await findTemplate(to)) ?? "";
}

async function cloneSettings({ template, to, name }: Cloning): Promise<Id> {
  const whole = await TEMPLATES.one(template.templateid);
  if (whole === undefined) throw new Error(t("There is no such template."));
  return createTemplate({
    host: to,
    name,
    description: whole.description,
    groups: whole.templategroups.map(({ groupid }) => ({ groupid })),
    templates: whole.parentTemplates.map(({ templateid }) => ({ templateid })),
    tags: whole.tags,
    macros: whole.macros.map(({ macro, value, description, type }) => ({
      macro,
      value,
      description,
      type,
    })) as TemplateDraft["macros"],
  });
}

export function useCloneTemplate(onDone: (created: Id) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (cloning: Cloning) =>
      cloning.whole ? cloneWhole(cloning) : cloneSettings(cloning),
    onSuccess: (created) => {
      notifyDone(t("Template cloned"));
      onDone(created);
    },
    onSettled: () => void changed(client, "import"),
  });
}
