// Templates.

import { TEMPLATE } from "./generated/template";
import { type AnswerOf, type DraftOf, objectsOf, readerOf } from "./objects";
import type { Id } from "./types";

const FIELDS = [
  "templateid",
  "host",
  "name",
  "description",
  "vendor_name",
  "vendor_version",
] as const;
export const MACRO_FIELDS = ["hostmacroid", "macro", "value", "description", "type"] as const;
const LISTED = {
  templategroups: ["groupid", "name"],
  parentTemplates: ["templateid", "name"],
  tags: ["tag", "value"],
  hosts: "count",
  items: "count",
  triggers: "count",
  discoveries: "count",
} as const;

export const TEMPLATES = objectsOf(TEMPLATE, {
  output: FIELDS,
  selects: { ...LISTED, macros: MACRO_FIELDS },
});
const ROWS = readerOf(TEMPLATE, {
  output: FIELDS,
  selects: LISTED,
  params: { sortfield: "name" },
});
const NAMES = readerOf(TEMPLATE, { output: ["templateid", "name"] });
/** Templates as macros are inherited of them. */
export const TEMPLATE_MACROS = readerOf(TEMPLATE, {
  output: ["templateid", "name"],
  selects: { macros: MACRO_FIELDS, parentTemplates: ["templateid"] },
});

export type Template = AnswerOf<typeof TEMPLATES>;
export type TemplateRow = AnswerOf<typeof ROWS>;
export type TemplateRef = AnswerOf<typeof NAMES>;
export type TemplateDraft = DraftOf<"template">;

export async function fetchTemplates(signal?: AbortSignal): Promise<readonly TemplateRow[]> {
  return ROWS.get({}, signal);
}

export async function fetchTemplateIndex(signal?: AbortSignal): Promise<readonly TemplateRef[]> {
  return NAMES.get({ sortfield: "name" }, signal);
}

/** By technical name. */
export async function findTemplate(host: string): Promise<Id | undefined> {
  return (await NAMES.get({ filter: { host } }))[0]?.templateid;
}

export async function createTemplate({ templates_clear: _, ...draft }: TemplateDraft): Promise<Id> {
  return TEMPLATES.create(draft);
}
