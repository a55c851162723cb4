// One override: which rows it concerns, and what becomes of single objects of these rows.

import { Button, Switch } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { bad, OK } from "@/lib/check";
import { sameDraft } from "@/lib/draft";
import { t } from "@/lib/i18n";
import { CheckedInput } from "@/ui/checked-input";
import { asDialog } from "@/ui/dialog";
import { FormDialog } from "@/ui/form-dialog";
import { withAt, withoutAt } from "@/widgets/keyed";
import classes from "./discovery.module.css";
import { FilterEditor } from "./filter-editor";
import {
  isOverrideValid,
  newOperation,
  type OperationDraft,
  type OverrideDraft,
  type OverrideFields,
} from "./lld-drafts";
import { OperationEditor } from "./operation-editor";

export interface OverrideDialogProps {
  readonly override: OverrideDraft;
  /** all of the rule, perhaps this one among them */
  readonly others: readonly OverrideDraft[];
  readonly disabled: boolean;
  readonly onApply: (override: OverrideDraft) => void;
  readonly onClose: () => void;
}

export const OverrideDialog = asDialog(OverrideDialogBody);

function OverrideDialogBody(props: OverrideDialogProps) {
  const { override, others, disabled, onApply, onClose } = props;
  const [draft, setDraft] = useState(override);
  const [attempted, setAttempted] = useState(false);
  const set = (change: Partial<OverrideFields>) => setDraft((before) => ({ ...before, ...change }));
  const checkName = (name: string) => {
    if (name.trim() === "") return bad(t("a name is required"), 0);
    const isTaken = others.some((it) => it.key !== draft.key && it.name.trim() === name.trim());
    return isTaken ? bad(t("another override has this name"), 0) : OK;
  };
  const submit = () => {
    setAttempted(true);
    if (isOverrideValid(draft, others)) onApply(draft);
  };
  return (
    <FormDialog
      title={t("Override")}
      size={880}
      changed={!sameDraft(override, draft)}
      onClose={onClose}
    >
      <form
        className={classes["dialog"]}
        aria-label={t("Override")}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
        noValidate
      >
        <div className={classes["line"]}>
          <CheckedInput
            label={t("Name")}
            value={draft.name}
            onChange={(name) => set({ name })}
            check={checkName}
            required
            disabled={disabled}
            showAll={attempted}
          />
        </div>
        <Switch
          label={t("Stop processing overrides if the filter matches")}
          checked={draft.stop}
          disabled={disabled}
          onChange={(event) => set({ stop: event.currentTarget.checked })}
        />
        <h3 className={classes["part"]}>{t("Rows")}</h3>
        <FilterEditor
          filter={draft.filter}
          onChange={(filter) => set({ filter })}
          disabled={disabled}
          showErrors={attempted}
        />
        <h3 className={classes["part"]}>{t("Operations")}</h3>
        {draft.operations.map((operation, at) => (
          <OperationEditor
            key={operation.key}
            n={at + 1}
            operation={operation}
            disabled={disabled}
            showErrors={attempted}
            onChange={(change) =>
              set({ operations: withAt<OperationDraft>(draft.operations, at, change) })
            }
            onRemove={() => set({ operations: withoutAt(draft.operations, at) })}
          />
        ))}
        {disabled ? null : (
          <div>
            <Button
              variant="default"
              size="compact-xs"
              leftSection={<IconPlus size={13} />}
              onClick={() => set({ operations: [...draft.operations, newOperation()] })}
            >
              {t("Add operation")}
            </Button>
          </div>
        )}
        <div className={classes["buttons"]} data-foot>
          <Button variant="default" onClick={onClose}>
            {disabled ? t("Close") : t("Cancel")}
          </Button>
          {disabled ? null : <Button type="submit">{t("Apply")}</Button>}
        </div>
      </form>
    </FormDialog>
  );
}
