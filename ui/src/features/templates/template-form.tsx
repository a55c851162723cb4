import { Button, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import type { TemplateDraft } from "@/api/configuration";
import type { Id, Tag, Template } from "@/api/types";
import { bad, type Check, OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import { CheckedInput } from "@/ui/checked-input";
import { Confirm } from "@/ui/confirm";
import { Form, Row, Section } from "@/ui/form";
import { type Keyed, keyed } from "@/widgets/keyed";
import {
  cleanMacros,
  InheritedMacros,
  type MacroDraft,
  MacroEditor,
  newMacro,
} from "@/widgets/macro-editor";
import { GroupPicker } from "@/widgets/pickers";
import { cleanTags, TagEditor } from "@/widgets/tag-editor";
import {
  noLinks,
  remainingTemplates,
  type TemplateLinks,
  TemplateLinksEditor,
} from "@/widgets/template-links";
import { useTemplateMutations } from "./queries";

interface TemplateFields {
  readonly host: string;
  readonly name: string;
  readonly description: string;
  readonly groupids: readonly Id[];
  readonly links: TemplateLinks;
  readonly tags: readonly Keyed<Tag>[];
  readonly macros: readonly MacroDraft[];
}

function fieldsOf(template: Template | undefined): TemplateFields {
  if (template === undefined) {
    return {
      host: "",
      name: "",
      description: "",
      groupids: [],
      links: noLinks,
      tags: [],
      macros: [],
    };
  }
  return {
    host: template.host,
    name: template.name === template.host ? "" : template.name,
    description: template.description,
    groupids: template.templategroups.map((group) => group.groupid),
    links: { ...noLinks, linked: template.parentTemplates },
    tags: template.tags.map(keyed),
    macros: template.macros.map(keyed),
  };
}

function draftOf(fields: TemplateFields): TemplateDraft {
  return {
    host: fields.host.trim(),
    name: fields.name.trim() === "" ? fields.host.trim() : fields.name.trim(),
    description: fields.description,
    groups: fields.groupids.map((groupid) => ({ groupid })),
    templates: remainingTemplates(fields.links).map((templateid) => ({ templateid })),
    templates_clear: fields.links.clear.map((templateid) => ({ templateid })),
    tags: cleanTags(fields.tags),
    macros: cleanMacros(fields.macros) as TemplateDraft["macros"],
  };
}

function checkName(name: string): Check {
  return name.trim() === "" ? bad(t("a name is required"), 0) : OK;
}

export interface TemplateFormProps {
  readonly template: Template | undefined;
  readonly onDone: () => void;
  readonly onDeleted: () => void;
}

export function TemplateForm({ template, onDone, onDeleted }: TemplateFormProps) {
  const [fields, setFields] = useState(() => fieldsOf(template));
  const [attempted, setAttempted] = useState(false);
  const { save } = useTemplateMutations(onDone);
  const set = (change: Partial<TemplateFields>) =>
    setFields((before) => ({ ...before, ...change }));
  const submit = () => {
    setAttempted(true);
    if (!checkName(fields.host).ok || fields.groupids.length === 0) return;
    save.mutate({ id: template?.templateid, draft: draftOf(fields) });
  };
  return (
    <Form
      label={template === undefined ? t("New template") : t("Template")}
      onSubmit={submit}
      onCancel={onDone}
      submitText={template === undefined ? t("Create") : t("Save")}
      busy={save.isPending}
      error={save.error}
      extra={
        template === undefined ? null : <DeleteTemplate template={template} onDeleted={onDeleted} />
      }
    >
      <Section title={t("Template")}>
        <Row>
          <CheckedInput
            label={t("Template name")}
            value={fields.host}
            onChange={(host) => set({ host })}
            check={checkName}
            required
            showAll={attempted}
          />
          <TextInput
            label={t("Visible name")}
            placeholder={fields.host}
            value={fields.name}
            onChange={(event) => set({ name: event.currentTarget.value })}
          />
        </Row>
        <GroupPicker
          kind="templategroup"
          label={t("Template groups")}
          value={fields.groupids}
          onChange={(groupids) => set({ groupids })}
          canCreate
          error={attempted && fields.groupids.length === 0 ? t("a group is required") : undefined}
        />
        <Textarea
          label={t("Description")}
          rows={2}
          value={fields.description}
          onChange={(event) => set({ description: event.currentTarget.value })}
        />
      </Section>
      <Section title={t("Linked templates")}>
        <TemplateLinksEditor
          links={fields.links}
          onChange={(links) => set({ links })}
          {...(template === undefined ? {} : { self: template.templateid })}
        />
      </Section>
      <Section title={t("Tags")}>
        <TagEditor tags={fields.tags} onChange={(tags) => set({ tags })} />
      </Section>
      <Section title={t("Macros")}>
        <MacroEditor macros={fields.macros} onChange={(macros) => set({ macros })} />
        <InheritedMacros
          templateids={remainingTemplates(fields.links)}
          own={fields.macros}
          onOverride={(macro) =>
            set({ macros: [...fields.macros, newMacro(macro.macro, macro.value)] })
          }
        />
      </Section>
    </Form>
  );
}

interface DeleteTemplateProps {
  readonly template: Template;
  readonly onDeleted: () => void;
}

function DeleteTemplate({ template, onDeleted }: DeleteTemplateProps) {
  const [opened, setOpened] = useState(false);
  const { remove } = useTemplateMutations(onDeleted);
  return (
    <>
      <Button variant="subtle" color="red" onClick={() => setOpened(true)}>
        {t("Delete template")}
      </Button>
      <Confirm
        opened={opened}
        title={t("Delete {name}?", { name: template.name })}
        action={t("Delete")}
        busy={remove.isPending}
        onConfirm={() => remove.mutate([template.templateid])}
        onClose={() => setOpened(false)}
      >
        {t("What it brought to hosts stays there, without a template.")}
      </Confirm>
    </>
  );
}
