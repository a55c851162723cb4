// One change of many objects: of each field one says whether it is changed, and to what. What is not ticked stays.

import { Button, Checkbox } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { t } from "@/lib/i18n";
import { asDialog } from "@/ui/dialog";
import { FormError } from "@/ui/form";
import { FormDialog } from "@/ui/form-dialog";
import classes from "./mass.module.css";

export interface MassField {
  readonly id: string;
  readonly label: string;
  readonly editor: ReactNode;
}

export interface MassDialogProps {
  readonly title: string;
  readonly fields: readonly MassField[];
  /** ids of the fields that are changed */
  readonly picked: ReadonlySet<string>;
  readonly onPicked: (picked: ReadonlySet<string>) => void;
  readonly busy: boolean;
  readonly error: unknown;
  readonly onApply: () => void;
  readonly onClose: () => void;
}

export const MassDialog = asDialog(MassDialogBody);

function MassDialogBody(props: MassDialogProps) {
  const { title, fields, picked, onPicked, busy, error, onApply, onClose } = props;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // the dialog stands within the page of a list, whose forms are not meant
    event.stopPropagation();
    onApply();
  };
  const toggle = (id: string) => {
    const next = new Set(picked);
    if (!next.delete(id)) next.add(id);
    onPicked(next);
  };
  return (
    <FormDialog title={title} size="xl" changed={picked.size > 0} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <div className={classes["fields"]}>
          {fields.map(({ id, label, editor }) => (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset would bring its own box
            <div key={id} className={classes["field"]} role="group" aria-label={label}>
              <Checkbox label={label} checked={picked.has(id)} onChange={() => toggle(id)} />
              {picked.has(id) ? <div className={classes["editor"]}>{editor}</div> : null}
            </div>
          ))}
        </div>
        {error === null || error === undefined ? null : <FormError error={error} />}
        <div className={classes["footer"]} data-foot>
          <Button variant="default" onClick={onClose}>
            {t("Cancel")}
          </Button>
          <Button type="submit" disabled={picked.size === 0} loading={busy}>
            {t("Update")}
          </Button>
        </div>
      </form>
    </FormDialog>
  );
}
