// One change of many templates as calls of the API, in the order in which they are made.

import type { MassCall } from "@/api/mass";
import type { Id } from "@/api/types";
import { cleanMacros } from "@/widgets/macro-editor";
import type { DescriptionMass, GroupsMass, LinksMass, MacrosMass } from "@/widgets/mass/fields";

export type TemplateMassFields = GroupsMass & LinksMass & MacrosMass & DescriptionMass;

export const NO_TEMPLATE_MASS: TemplateMassFields = {
  groupsHow: "add",
  groupids: [],
  templatesHow: "link",
  templateids: [],
  macrosHow: "add",
  macros: [],
  description: "",
};

export type TemplateMassPart = "groups" | "templates" | "macros" | "description";

/** All but tags, which are changed template by template: no call of the API adds or removes some. */
export function templateMassCalls(
  templateids: readonly Id[],
  fields: TemplateMassFields,
  parts: ReadonlySet<string>,
): readonly MassCall[] {
  const templates = templateids.map((templateid) => ({ templateid }));
  const add = (what: object): MassCall => ({
    method: "template.massadd",
    params: { templates, ...what },
  });
  const update = (what: object): MassCall => ({
    method: "template.massupdate",
    params: { templates, ...what },
  });
  const remove = (what: object): MassCall => ({
    method: "template.massremove",
    params: { templateids, ...what },
  });
  const has = (part: TemplateMassPart) => parts.has(part);
  const { groupids, templateids: linkids, description } = fields;
  const groups = groupids.map((groupid) => ({ groupid }));
  const links = linkids.map((templateid) => ({ templateid }));
  const macros = cleanMacros(fields.macros);
  const calls: MassCall[] = [];
  if (has("description")) {
    const params = templates.map((it) => ({ ...it, description }));
    calls.push({ method: "template.update", params });
  }
  if (has("groups")) {
    calls.push(
      { add: add({ groups }), replace: update({ groups }), remove: remove({ groupids }) }[
        fields.groupsHow
      ],
    );
  }
  if (has("templates")) {
    calls.push(
      {
        link: add({ templates_link: links }),
        replace: update({ templates_link: links }),
        unlink: remove({ templateids_link: linkids }),
        clear: remove({ templateids_clear: linkids }),
      }[fields.templatesHow],
    );
  }
  if (has("macros")) {
    calls.push(
      {
        add: add({ macros }),
        replace: update({ macros }),
        remove: remove({ macros: macros.map(({ macro }) => macro) }),
      }[fields.macrosHow],
    );
  }
  return calls;
}
