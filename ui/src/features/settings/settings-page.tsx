// General settings or housekeeping: one form, whose fields are in `fields.ts`.

import { Select, Switch, TextInput } from "@mantine/core";
import { errorText } from "@/api/http";
import type { SettingsKind, SettingsValues } from "@/api/settings";
import { fieldError } from "@/lib/field-errors";
import { t } from "@/lib/i18n";
import { Form, Section } from "@/ui/form";
import { Page } from "@/ui/page";
import { QueryGate } from "@/ui/states";
import { useEdited } from "@/widgets/objects/edited";
import { changesOf, groupsOf, labelOf, type SettingsField, shownOf } from "./fields";
import { useSaveSettings, useSettings } from "./queries";
import classes from "./settings.module.css";

export interface SettingsPageProps {
  readonly kind: SettingsKind;
  /** saved or cancelled */
  readonly onDone: () => void;
}

export function SettingsPage({ kind, onDone }: SettingsPageProps) {
  const query = useSettings(kind);
  const title = kind === "housekeeping" ? t("Housekeeping") : t("General settings");
  return (
    <Page title={title} scroll>
      <QueryGate query={query}>
        {(values) => <SettingsForm kind={kind} title={title} values={values} onDone={onDone} />}
      </QueryGate>
    </Page>
  );
}

interface SettingsFormProps extends SettingsPageProps {
  readonly title: string;
  readonly values: SettingsValues;
}

function SettingsForm({ kind, title, values, onDone }: SettingsFormProps) {
  const save = useSaveSettings(kind, onDone);
  const edited = useEdited({
    server: () => shownOf(kind, values),
    exists: true,
    onSave: (whole, before) => save.mutate(changesOf(before, whole)),
    nameOf: (name) => labelOf(kind, name),
  });
  const now = edited.fields;
  const wrong = save.isError ? fieldError(errorText(save.error)) : undefined;
  const set = (name: string, value: string) => {
    // what was said of the former value is no longer true
    if (wrong?.path === `/${name}`) save.reset();
    edited.set({ [name]: value });
  };
  return (
    <Form
      label={title}
      call={`${kind}.update`}
      draft={now}
      base={edited.base}
      onSubmit={edited.submit}
      onCancel={onDone}
      submitText={t("Save")}
      busy={save.isPending || edited.checking}
      error={save.error}
      note={edited.note}
    >
      {groupsOf(kind).map((group) => (
        <Section key={group.title} title={group.title} hint={group.hint}>
          <div className={classes["fields"]}>
            {group.fields.map((field) => (
              <Field
                key={field.name}
                field={field}
                value={now[field.name] ?? ""}
                disabled={
                  field.under !== undefined && now[field.under] !== (field.underValue ?? "1")
                }
                error={wrong?.path === `/${field.name}` ? wrong.message : null}
                onChange={(value) => set(field.name, value)}
              />
            ))}
          </div>
        </Section>
      ))}
    </Form>
  );
}

interface FieldProps {
  readonly field: SettingsField;
  readonly value: string;
  readonly disabled: boolean;
  readonly error: string | null;
  readonly onChange: (value: string) => void;
}

function Field({ field, value, disabled, error, onChange }: FieldProps) {
  const label = field.label;
  const hint = field.hint ?? null;
  if (field.kind === "switch") {
    return (
      <Switch
        className={classes["wide"] ?? ""}
        label={label}
        checked={value === "1"}
        onChange={(event) => onChange(event.currentTarget.checked ? "1" : "0")}
      />
    );
  }
  if (field.kind === "choice") {
    const data = (field.options ?? []).map((it) => ({ value: it.value, label: it.label }));
    return (
      <Select
        className={classes["wide"] ?? ""}
        label={label}
        description={hint}
        data={data}
        value={value}
        allowDeselect={false}
        error={error}
        onChange={(chosen) => onChange(chosen ?? value)}
      />
    );
  }
  return (
    <TextInput
      className={field.isWide === true ? (classes["wide"] ?? "") : ""}
      label={label}
      description={hint}
      value={value}
      disabled={disabled}
      error={error}
      spellCheck={false}
      autoComplete="off"
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
