// Templates.

import type { TemplateCreate } from "./generated/template";
import { call } from "./rpc";
import * as schema from "./schema";
import type { Id, Template, TemplateRef } from "./types";

export const TEMPLATE_FIELDS = [
  "templateid",
  "host",
  "name",
  "description",
  "vendor_name",
  "vendor_version",
] as const;

export async function fetchTemplates(signal?: AbortSignal): Promise<readonly Template[]> {
  return call(
    "template.get",
    {
      output: TEMPLATE_FIELDS,
      selectTemplateGroups: ["groupid", "name"],
      selectParentTemplates: ["templateid", "name"],
      selectTags: ["tag", "value"],
      selectHosts: "count",
      selectItems: "count",
      selectTriggers: "count",
      selectDiscoveries: "count",
      sortfield: "name",
    },
    schema.listOf(schema.template),
    signal,
  );
}

export async function fetchTemplateIndex(signal?: AbortSignal): Promise<readonly TemplateRef[]> {
  return call(
    "template.get",
    { output: ["templateid", "name"], sortfield: "name" },
    schema.listOf(schema.templateRef),
    signal,
  );
}

export async function fetchTemplate(
  templateid: Id,
  signal?: AbortSignal,
): Promise<Template | undefined> {
  const templates = await call(
    "template.get",
    {
      templateids: [templateid],
      output: TEMPLATE_FIELDS,
      selectTemplateGroups: ["groupid", "name"],
      selectParentTemplates: ["templateid", "name"],
      selectTags: ["tag", "value"],
      selectMacros: ["hostmacroid", "macro", "value", "description", "type"],
      selectHosts: "count",
      selectItems: "count",
      selectTriggers: "count",
      selectDiscoveries: "count",
    },
    schema.listOf(schema.template),
    signal,
  );
  return templates[0];
}

/** By technical name. */
export async function findTemplate(host: string): Promise<Id | undefined> {
  const found = await call(
    "template.get",
    { filter: { host }, output: ["templateid", "name"] },
    schema.listOf(schema.templateRef),
  );
  return found[0]?.templateid;
}

export type TemplateDraft = TemplateCreate;

export async function createTemplate(draft: TemplateDraft): Promise<Id> {
  const { templates_clear: _, ...params } = draft;
  const ids = await call("template.create", params, schema.createdIds("templateids"));
  return ids[0] ?? "";
}

export async function updateTemplate(templateid: Id, draft: Partial<TemplateDraft>): Promise<void> {
  await call("template.update", { templateid, ...draft }, schema.changed);
}

export async function deleteTemplates(templateids: readonly Id[]): Promise<void> {
  await call("template.delete", templateids, schema.changed);
}
