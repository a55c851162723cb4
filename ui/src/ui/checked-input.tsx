// A text field whose content is checked as one types; what is wrong is shown once the field was left or
// while something wrong stands in it, not while it is still empty.

import { Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Check } from "@/lib/check";

export interface CheckedInputProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly check: (value: string) => Check;
  readonly placeholder?: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly disabled?: boolean;
  readonly mono?: boolean;
  readonly rows?: number;
  /** shown whatever the state of the field: after an attempt to save */
  readonly showAll?: boolean;
}

export function CheckedInput(props: CheckedInputProps) {
  const { label, value, onChange, check, showAll = false, mono = false, rows, ...rest } = props;
  const [left, setLeft] = useState(false);
  const result = check(value);
  const show = !result.ok && (showAll || left || value !== "");
  const common = {
    label,
    value,
    error: show && !result.ok ? result.message : null,
    onBlur: () => setLeft(true),
    withAsterisk: props.required === true,
    spellCheck: false,
    autoComplete: "off",
    classNames: mono ? { input: "mono" } : {},
    placeholder: rest.placeholder ?? "",
    description: rest.description,
    disabled: rest.disabled === true,
  };
  if (rows === undefined) {
    return <TextInput {...common} onChange={(event) => onChange(event.currentTarget.value)} />;
  }
  return (
    <Textarea {...common} rows={rows} onChange={(event) => onChange(event.currentTarget.value)} />
  );
}
