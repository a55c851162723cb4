// What the forms of hosts and of templates have in common: names, groups, links to templates, tags, macros.

import { Textarea, TextInput } from "@mantine/core";
import type { TemplateRef } from "@/api/templates";
import type { Id, Macro, Tag } from "@/api/types";
import type { Check } from "@/lib/check";
import { t } from "@/lib/i18n";
import { CheckedInput } from "@/ui/checked-input";
import { Row, Section } from "@/ui/form";
import { type Keyed, keyed } from "./keyed";
import {
  cleanMacros,
  InheritedMacros,
  type MacroDraft,
  MacroEditor,
  newMacro,
} from "./macro-editor";
import { GroupPicker, type GroupPickerProps } from "./pickers";
import { cleanTags, TagEditor } from "./tag-editor";
import {
  noLinks,
  remainingTemplates,
  type TemplateLinks,
  TemplateLinksEditor,
} from "./template-links";

export interface HolderFields {
  readonly host: string;
  readonly name: string;
  readonly description: string;
  readonly groupids: readonly Id[];
  readonly links: TemplateLinks;
  readonly tags: readonly Keyed<Tag>[];
  readonly macros: readonly MacroDraft[];
}

/** A host or a template as far as they are alike. */
export interface Holder {
  readonly host: string;
  readonly name: string;
  readonly description: string;
  readonly parentTemplates: readonly TemplateRef[];
  readonly tags: readonly Tag[];
  readonly macros: readonly Macro[];
}

export const NEW_HOLDER: HolderFields = {
  host: "",
  name: "",
  description: "",
  groupids: [],
  links: noLinks,
  tags: [],
  macros: [],
};

export function fieldsOfHolder(holder: Holder, groupids: readonly Id[]): HolderFields {
  return {
    host: holder.host,
    name: holder.name === holder.host ? "" : holder.name,
    description: holder.description,
    groupids,
    links: { ...noLinks, linked: holder.parentTemplates },
    tags: holder.tags.map(keyed),
    macros: holder.macros.map(keyed),
  };
}

export function draftOfHolder(fields: HolderFields) {
  return {
    host: fields.host.trim(),
    // no visible name of its own: the technical one
    name: fields.name.trim() === "" ? fields.host.trim() : fields.name.trim(),
    description: fields.description,
    groups: fields.groupids.map((groupid) => ({ groupid })),
    templates: remainingTemplates(fields.links).map((templateid) => ({ templateid })),
    templates_clear: fields.links.clear.map((templateid) => ({ templateid })),
    tags: cleanTags(fields.tags),
    macros: cleanMacros(fields.macros),
  };
}

/** The macros as new ones of another holder. */
export function ownMacros(macros: readonly MacroDraft[]): readonly MacroDraft[] {
  return macros.map(({ macro, value, description, type }) =>
    keyed({ macro, value, description, type }),
  );
}

interface FieldsProps {
  readonly fields: HolderFields;
  readonly set: (change: Partial<HolderFields>) => void;
}

export interface HolderNamesProps extends FieldsProps {
  readonly label: string;
  readonly check: (name: string) => Check;
  readonly groups: Pick<GroupPickerProps, "kind" | "label">;
  readonly showErrors: boolean;
}

export function HolderNames(props: HolderNamesProps) {
  const { fields, set, label, check, groups, showErrors } = props;
  const lacksGroup = fields.groupids.length === 0;
  return (
    <>
      <Row>
        <CheckedInput
          label={label}
          value={fields.host}
          onChange={(host) => set({ host })}
          check={check}
          required
          showAll={showErrors}
        />
        <TextInput
          label={t("Visible name")}
          placeholder={fields.host}
          value={fields.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
      </Row>
      <GroupPicker
        {...groups}
        value={fields.groupids}
        onChange={(groupids) => set({ groupids })}
        canCreate
        error={showErrors && lacksGroup ? t("a group is required") : undefined}
      />
      <Textarea
        label={t("Description")}
        rows={2}
        value={fields.description}
        onChange={(event) => set({ description: event.currentTarget.value })}
      />
    </>
  );
}

export interface HolderPartsProps extends FieldsProps {
  readonly templates: { readonly title: string; readonly hint?: string };
  readonly macrosHint?: string;
  /** the template itself, which is not linked to itself */
  readonly self?: Id | undefined;
}

export function HolderParts({ fields, set, templates, macrosHint, self }: HolderPartsProps) {
  return (
    <>
      <Section {...templates}>
        <TemplateLinksEditor
          links={fields.links}
          onChange={(links) => set({ links })}
          {...(self === undefined ? {} : { self })}
        />
      </Section>
      <Section title={t("Tags")}>
        <TagEditor tags={fields.tags} onChange={(tags) => set({ tags })} />
      </Section>
      <Section title={t("Macros")} hint={macrosHint}>
        <MacroEditor macros={fields.macros} onChange={(macros) => set({ macros })} />
        <InheritedMacros
          templateids={remainingTemplates(fields.links)}
          own={fields.macros}
          onOverride={(macro) =>
            set({ macros: [...fields.macros, newMacro(macro.macro, macro.value)] })
          }
        />
      </Section>
    </>
  );
}
