// Layout of forms: labelled sections on a grid, and a footer that stays visible.

import { Alert, Button } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { FormEvent, ReactNode } from "react";
import { errorText } from "@/api/http";
import type { MethodName } from "@/api/rights";
import { t } from "@/lib/i18n";
import { useFocusBack } from "./focus";
import classes from "./form.module.css";
import { KeptNote } from "./kept-note";
import { useLock } from "./rights";
import { LockedState } from "./states";
import { UnsavedGuard } from "./unsaved";

export interface FormProps {
  readonly label: string;
  /** what saves it; those who may not call it look at the fields, which are locked */
  readonly call: MethodName;
  /** what would be saved: leaving the page asks once it is another than at first */
  readonly draft: unknown;
  /** what the draft is compared with, where that moves: what the server has */
  readonly base?: unknown;
  readonly onSubmit: () => void;
  readonly onCancel: () => void;
  readonly submitText: string;
  readonly busy: boolean;
  readonly error?: unknown;
  /** above the buttons: what else happened to the object */
  readonly note?: ReactNode;
  /** next to the buttons: delete, clone, … */
  readonly extra?: ReactNode;
  readonly children: ReactNode;
}

export function Form(props: FormProps) {
  const lock = useLock(props.call);
  const {
    label,
    call,
    draft,
    base,
    onSubmit,
    onCancel,
    submitText,
    busy,
    error,
    note,
    extra,
    children,
  } = props;
  useFocusBack(busy);
  const submit = (event: FormEvent) => {
    // events of a dialog that a field opened come through here, too: its form is not this one
    if (event.target !== event.currentTarget) return;
    event.preventDefault();
    if (lock === undefined) onSubmit();
  };
  if (lock !== undefined && call.endsWith(".create")) {
    return <LockedState>{t("Your role does not allow you to create this.")}</LockedState>;
  }
  if (lock !== undefined) {
    return (
      <form className={classes["form"]} aria-label={label} onSubmit={submit} noValidate>
        <fieldset className={classes["locked"]} disabled>
          <div className={classes["sections"]}>
            <KeptNote>{lock}</KeptNote>
            {children}
          </div>
        </fieldset>
        <div className={classes["foot"]} data-foot>
          <div className={classes["footer"]}>
            <Button variant="default" onClick={onCancel}>
              {t("Back")}
            </Button>
          </div>
        </div>
      </form>
    );
  }
  return (
    <form className={classes["form"]} aria-label={label} onSubmit={submit} noValidate>
      <UnsavedGuard draft={draft} base={base} />
      <div className={classes["sections"]}>{children}</div>
      <div className={classes["foot"]} data-foot>
        {note}
        {error === undefined || error === null ? null : <FormError error={error} />}
        <div className={classes["footer"]}>
          {extra}
          <span className={classes["spacer"]} />
          <Button variant="default" onClick={onCancel}>
            {t("Cancel")}
          </Button>
          <Button type="submit" loading={busy}>
            {submitText}
          </Button>
        </div>
      </div>
    </form>
  );
}

export function FormError({ error }: { readonly error: unknown }) {
  return (
    <Alert color="red" icon={<IconAlertTriangle size={16} />} role="alert" py={6}>
      {errorText(error)}
    </Alert>
  );
}

export interface SectionProps {
  readonly title: string;
  readonly hint?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Section({ title, hint, actions, children }: SectionProps) {
  return (
    <fieldset className={classes["section"]}>
      <legend className={classes["legend"]}>{title}</legend>
      <div className={classes["sectionSide"]} aria-hidden>
        <strong>{title}</strong>
        {hint === undefined ? null : <span className="dim">{hint}</span>}
      </div>
      <div className={classes["fields"]}>
        {children}
        {actions === undefined ? null : <div className={classes["sectionActions"]}>{actions}</div>}
      </div>
    </fieldset>
  );
}

/** Fields next to each other; they wrap when the room is short. */
export function Row({ children }: { readonly children: ReactNode }) {
  return <div className={classes["row"]}>{children}</div>;
}
