// Boxes for what a role has.

import { Checkbox } from "@mantine/core";
import type { RoleElement } from "@/api/users";
import { t } from "@/lib/i18n";
import { Section } from "@/ui/form";
import { Toggle } from "@/widgets/objects/fields";
import { granted, isGranted, type KnownElement } from "./elements";
import classes from "./roles.module.css";

export interface ElementsProps {
  readonly title: string;
  readonly hint: string;
  readonly known: readonly KnownElement[];
  readonly chosen: readonly RoleElement[];
  readonly byDefault: boolean;
  readonly onChange: (chosen: readonly RoleElement[], byDefault: boolean) => void;
}

export function Elements({ title, hint, known, chosen, byDefault, onChange }: ElementsProps) {
  return (
    <Section title={title} hint={hint}>
      <fieldset className={classes["elements"]} aria-label={title}>
        {known.map(({ name, label }) => (
          <Checkbox
            key={name}
            label={label}
            checked={isGranted(chosen, name, byDefault)}
            onChange={(event) => {
              const to = event.currentTarget.checked;
              onChange(granted(known, chosen, byDefault, { name, to }), byDefault);
            }}
          />
        ))}
      </fieldset>
      <Toggle
        label={t("Default access to new elements")}
        checked={byDefault}
        onChange={(it) => {
          // what the boxes show stays
          const [first] = known;
          const now =
            first === undefined
              ? chosen
              : granted(known, chosen, byDefault, {
                  name: first.name,
                  to: isGranted(chosen, first.name, byDefault),
                });
          onChange(now, it);
        }}
      />
    </Section>
  );
}
