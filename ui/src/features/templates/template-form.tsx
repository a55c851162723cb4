import { useState } from "react";
import type { Template, TemplateDraft } from "@/api/templates";
import type { Id } from "@/api/types";
import { bad, type Check, OK } from "@/lib/check";
import { changedPart } from "@/lib/draft";
import { t } from "@/lib/i18n";
import { DeleteButton } from "@/ui/delete-button";
import { Form, Section } from "@/ui/form";
import {
  draftOfHolder,
  fieldsOfHolder,
  type HolderFields,
  HolderNames,
  HolderParts,
  NEW_HOLDER,
} from "@/widgets/holder-fields";
import { useEdited } from "@/widgets/objects/edited";
import { CloneButton } from "@/widgets/objects/object-form";
import { CloneDialog } from "./clone-dialog";
import { useTemplateMutations } from "./queries";

function fieldsOf(template: Template | undefined): HolderFields {
  if (template === undefined) return NEW_HOLDER;
  return fieldsOfHolder(
    template,
    template.templategroups.map((group) => group.groupid),
  );
}

function draftOf(fields: HolderFields): TemplateDraft {
  const { macros, ...alike } = draftOfHolder(fields);
  return { ...alike, macros: macros as TemplateDraft["macros"] };
}

function checkName(name: string): Check {
  return name.trim() === "" ? bad(t("a name is required"), 0) : OK;
}

function isComplete(fields: HolderFields): boolean {
  return checkName(fields.host).ok && fields.groupids.length > 0;
}

export interface TemplateFormProps {
  readonly template: Template | undefined;
  /** with what was created */
  readonly onDone: (created?: Id) => void;
  readonly onDeleted: () => void;
}

export function TemplateForm({ template, onDone, onDeleted }: TemplateFormProps) {
  const [attempted, setAttempted] = useState(false);
  const [cloning, setCloning] = useState(false);
  const { save } = useTemplateMutations(onDone);
  const edited = useEdited({
    server: () => fieldsOf(template),
    exists: template !== undefined,
    onSave: (whole, before) => {
      if (!isComplete(whole)) return;
      const draft = draftOf(whole);
      if (template === undefined) save.mutate({ draft });
      else save.mutate({ id: template.templateid, change: changedPart(draftOf(before), draft) });
    },
  });
  const { fields, set } = edited;
  const submit = () => {
    setAttempted(true);
    if (isComplete(fields)) edited.submit();
  };
  return (
    <Form
      label={template === undefined ? t("New template") : t("Template")}
      call={template === undefined ? "template.create" : "template.update"}
      draft={fields}
      base={edited.base}
      onSubmit={submit}
      onCancel={() => onDone()}
      submitText={template === undefined ? t("Create") : t("Save")}
      busy={save.isPending || edited.checking}
      error={save.error}
      note={edited.note}
      extra={
        template === undefined ? null : (
          <>
            <DeleteTemplate template={template} onDeleted={onDeleted} />
            <CloneButton onClone={() => setCloning(true)} />
          </>
        )
      }
    >
      {template !== undefined && cloning ? (
        <CloneDialog template={template} onDone={onDone} onClose={() => setCloning(false)} />
      ) : null}
      <Section title={t("Template")}>
        <HolderNames
          fields={fields}
          set={set}
          label={t("Template name")}
          check={checkName}
          groups={{ kind: "templategroup", label: t("Template groups") }}
          showErrors={attempted}
        />
      </Section>
      <HolderParts
        fields={fields}
        set={set}
        templates={{ title: t("Linked templates") }}
        self={template?.templateid}
      />
    </Form>
  );
}

interface DeleteTemplateProps {
  readonly template: Template;
  readonly onDeleted: () => void;
}

function DeleteTemplate({ template, onDeleted }: DeleteTemplateProps) {
  const { remove } = useTemplateMutations(onDeleted);
  return (
    <DeleteButton
      label={t("Delete template")}
      name={template.name}
      busy={remove.isPending}
      onDelete={() => remove.mutate([template.templateid])}
    >
      {t("Objects that hosts inherited from it remain on the hosts as their own.")}
    </DeleteButton>
  );
}
