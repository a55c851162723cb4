// The frame of an object's form: its fields while they are edited, saving, what the server says of a field,
// cloning and deleting. The sections are the feature's.

import { Button } from "@mantine/core";
import { IconCopy } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { errorText } from "@/api/http";
import type { Id } from "@/api/types";
import { changedPart } from "@/lib/draft";
import { fieldError } from "@/lib/field-errors";
import { t } from "@/lib/i18n";
import { DeleteButton } from "@/ui/delete-button";
import { Form } from "@/ui/form";
import { type ObjectCalls, useObjectMutations } from "./calls";
import { useEdited } from "./edited";

/** What every section of a form gets. */
export interface FormParts<F> {
  readonly fields: F;
  readonly set: (change: Partial<F>) => void;
  /** saving was tried: what is missing is shown */
  readonly attempted: boolean;
  /** the reason for which the server refuses a field or a part of it: `/1/name` */
  readonly refusal: (path: string) => string | undefined;
}

export interface ObjectFormProps<F, D extends object> {
  readonly calls: ObjectCalls<D>;
  /** undefined of a new one */
  readonly existing: { readonly id: Id; readonly name: string } | undefined;
  readonly first: () => F;
  readonly isComplete: (fields: F) => boolean;
  readonly draftOf: (fields: F) => D;
  /** offers a clone of an existing one, which differs by this */
  readonly cloned?: (fields: F) => Partial<F>;
  readonly onDone: () => void;
  readonly children: (parts: FormParts<F>) => ReactNode;
}

export function ObjectForm<F extends object, D extends object>(props: ObjectFormProps<F, D>) {
  const { calls, existing, first, isComplete, draftOf, cloned, onDone, children } = props;
  const { words } = calls;
  const [isClone, setIsClone] = useState(false);
  const [attempted, setAttempted] = useState(false);
  const { save, remove } = useObjectMutations(calls, onDone);
  const saved = isClone ? undefined : existing;
  const edited = useEdited({
    server: first,
    exists: saved !== undefined,
    onSave: (whole, before) => {
      if (!isComplete(whole)) return;
      const draft = draftOf(whole);
      if (saved === undefined) save.mutate({ draft });
      else save.mutate({ id: saved.id, change: changedPart(draftOf(before), draft) });
    },
  });
  const { fields, set } = edited;
  const submit = () => {
    setAttempted(true);
    if (isComplete(fields)) edited.submit();
  };
  return (
    <Form
      label={saved === undefined ? words.create : words.one}
      call={saved === undefined ? `${calls.object}.create` : `${calls.object}.update`}
      draft={fields}
      base={edited.base}
      onSubmit={submit}
      onCancel={onDone}
      submitText={saved === undefined ? t("Create") : t("Save")}
      busy={save.isPending || edited.checking}
      error={save.error}
      note={edited.note}
      extra={
        saved === undefined ? null : (
          <>
            <DeleteButton
              label={words.remove}
              name={saved.name}
              busy={remove.isPending}
              onDelete={() => remove.mutate(saved.id)}
            >
              {words.loss}
            </DeleteButton>
            {cloned === undefined ? null : (
              <CloneButton
                onClone={() => {
                  set(cloned(fields));
                  setIsClone(true);
                }}
              />
            )}
          </>
        )
      }
    >
      {children({ fields, set, attempted, refusal: refusalOf(save.error) })}
    </Form>
  );
}

/** Next to the buttons of a form: its fields become those of a new object. */
export function CloneButton({ onClone }: { readonly onClone: () => void }) {
  return (
    <Button variant="default" leftSection={<IconCopy size={14} />} onClick={onClone}>
      {t("Clone")}
    </Button>
  );
}

/** Parts of a field count as the field: an error in a tag is shown at its list. */
export function refusalOf(error: unknown): FormParts<unknown>["refusal"] {
  if (error === null || error === undefined) return () => undefined;
  const said = fieldError(errorText(error));
  return (path) =>
    said !== undefined && (said.path === path || said.path.startsWith(`${path}/`))
      ? said.message
      : undefined;
}
