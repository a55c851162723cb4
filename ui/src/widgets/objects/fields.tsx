// Fields that many objects have.

import { Switch, Textarea } from "@mantine/core";
import { bad, type Check, checkName } from "@/lib/check";
import { t } from "@/lib/i18n";
import { CheckedInput } from "@/ui/checked-input";
import type { FormParts } from "./object-form";

/** The name that an object cannot do without. */
export function NameField(props: FormParts<{ readonly name: string }>) {
  const { fields, set, attempted, refusal } = props;
  return (
    <CheckedInput
      label={t("Name")}
      value={fields.name}
      onChange={(name) => set({ name })}
      check={checkOr(refusal("/1/name"), checkName)}
      required
      showAll={attempted}
    />
  );
}

export interface DescriptionFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly rows?: number;
}

export function DescriptionField({ value, onChange, rows = 2 }: DescriptionFieldProps) {
  return (
    <Textarea
      label={t("Description")}
      rows={rows}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

export interface ToggleProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

export function Toggle({ label, checked, onChange }: ToggleProps) {
  return (
    <Switch
      label={label}
      checked={checked}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

/** What the server says of a field counts before what the page says of its content. */
export function checkOr(refusal: string | undefined, check: (text: string) => Check) {
  return (text: string): Check => (refusal === undefined ? check(text) : bad(refusal, 0));
}
