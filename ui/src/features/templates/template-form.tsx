import { useState } from "react";
import type { Template, TemplateDraft } from "@/api/templates";
import type { Id } from "@/api/types";
import { bad, type Check, OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import { Section } from "@/ui/form";
import {
  draftOfHolder,
  fieldsOfHolder,
  type HolderFields,
  HolderNames,
  HolderParts,
  NEW_HOLDER,
} from "@/widgets/holder-fields";
import { CloneButton, ObjectForm } from "@/widgets/objects/object-form";
import { CloneDialog } from "./clone-dialog";
import { TEMPLATE_CALLS } from "./queries";

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
  return (
    <ObjectForm
      calls={TEMPLATE_CALLS}
      existing={template && { id: template.templateid, name: template.name }}
      first={() => fieldsOf(template)}
      isComplete={isComplete}
      draftOf={draftOf}
      extra={template && <Clone template={template} onDone={onDone} />}
      onDone={onDone}
      onDeleted={onDeleted}
    >
      {({ fields, set, attempted }) => (
        <>
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
        </>
      )}
    </ObjectForm>
  );
}

interface CloneProps {
  readonly template: Template;
  readonly onDone: (created: Id) => void;
}

/** A clone has all that the template has: the server makes it, not the form. */
function Clone({ template, onDone }: CloneProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <CloneButton onClone={() => setIsOpen(true)} />
      {isOpen ? (
        <CloneDialog template={template} onDone={onDone} onClose={() => setIsOpen(false)} />
      ) : null}
    </>
  );
}
