// The frame of an object's form: its fields while they are edited, saving, what the server says of a field,
// cloning and deleting. The sections are the feature's.

import { Button } from "@mantine/core";
import { IconCopy } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { errorText } from "@/api/http";
import { savedBy } from "@/api/rights";
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
  /** shows what is missing before saving is tried */
  readonly showErrors: () => void;
  /** the reason for which the server refuses a field or a part of it: `/1/name` */
  readonly refusal: (path: string) => string | undefined;
}

export interface ObjectFormProps<F, D extends object> {
  readonly calls: ObjectCalls<D>;
  /** undefined of a new one */
  readonly existing: { readonly id: Id; readonly name: string } | undefined;
  readonly first: () => F;
  readonly isComplete: (fields: F, isNew: boolean) => boolean;
  readonly draftOf: (fields: F, isNew: boolean) => D;
  /** offers a clone of an existing one, which differs by this */
  readonly cloned?: (fields: F) => Partial<F>;
  /** something else deletes it */
  readonly isKept?: boolean;
  /** more buttons of an existing one */
  readonly extra?: ReactNode;
  /** with the id of a new one */
  readonly onDone: (created?: Id) => void;
  /** undefined: as after saving */
  readonly onDeleted?: () => void;
  /** `isNew`: also of a clone */
  readonly children: (parts: FormParts<F>, isNew: boolean) => ReactNode;
}

export function ObjectForm<F extends object, D extends object>(props: ObjectFormProps<F, D>) {
  const { calls, existing, first, isComplete, draftOf, cloned, isKept, extra, onDone } = props;
  const { words } = calls;
  const [isClone, setIsClone] = useState(false);
  const [attempted, setAttempted] = useState(false);
  const { save, remove } = useObjectMutations(calls, onDone, props.onDeleted);
  const saved = isClone ? undefined : existing;
  const isNew = saved === undefined;
  const edited = useEdited({
    server: first,
    exists: !isNew,
    onSave: (whole, before) => {
      if (!isComplete(whole, isNew)) return;
      const draft = draftOf(whole, isNew);
      if (isNew) save.mutate({ draft });
      else save.mutate({ id: saved.id, change: changedPart(draftOf(before, isNew), draft) });
    },
  });
  const { fields, set } = edited;
  const submit = () => {
    setAttempted(true);
    if (isComplete(fields, isNew)) edited.submit();
  };
  return (
    <Form
      label={isNew ? words.create : words.one}
      call={savedBy(calls.object, isNew)}
      draft={fields}
      base={edited.base}
      onSubmit={submit}
      onCancel={() => onDone()}
      submitText={isNew ? t("Create") : t("Save")}
      busy={save.isPending || edited.checking}
      error={save.error}
      note={edited.note}
      extra={
        isNew ? null : (
          <>
            {isKept === true ? null : (
              <DeleteButton
                label={words.remove}
                name={saved.name}
                busy={remove.isPending}
                onDelete={() => remove.mutate(saved.id)}
              >
                {words.loss}
              </DeleteButton>
            )}
            {cloned === undefined ? null : (
              <CloneButton
                onClone={() => {
                  set(cloned(fields));
                  setIsClone(true);
                }}
              />
            )}
            {extra}
          </>
        )
      }
    >
      {props.children(
        {
          fields,
          set,
          attempted,
          showErrors: () => setAttempted(true),
          refusal: refusalOf(save.error),
        },
        isNew,
      )}
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
