// Preprocessing steps in order: moved by dragging or by buttons, each with what happens when it fails.

import { ActionIcon, Button, Select, TextInput } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconGripVertical, IconPlus, IconX } from "@tabler/icons-react";
import { useState } from "react";
import type { Check } from "@/lib/check";
import { t } from "@/lib/i18n";
import { STEP_KINDS, stepKind } from "@/lib/item-types";
import { moved, withAt, withoutAt } from "@/widgets/keyed";
import { newStep, type StepDraft } from "./item-fields";
import classes from "./items.module.css";

export interface StepsEditorProps {
  readonly steps: readonly StepDraft[];
  readonly checks: readonly Check[];
  readonly onChange: (steps: readonly StepDraft[]) => void;
  readonly disabled: boolean;
  readonly showErrors: boolean;
}

export function StepsEditor({ steps, checks, onChange, disabled, showErrors }: StepsEditorProps) {
  const [dragged, setDragged] = useState<number | undefined>(undefined);
  return (
    <div>
      <ol className={classes["steps"]} aria-label={t("Preprocessing steps")}>
        {steps.map((step, at) => (
          <li
            key={step.key}
            className={classes["step"]}
            data-dragged={dragged === at || undefined}
            onDragOver={(event) => {
              if (dragged === undefined || dragged === at) return;
              event.preventDefault();
              onChange(moved(steps, dragged, at));
              setDragged(at);
            }}
            onDrop={(event) => event.preventDefault()}
          >
            <span
              className={classes["grip"]}
              draggable={!disabled}
              onDragStart={() => setDragged(at)}
              onDragEnd={() => setDragged(undefined)}
              aria-hidden
            >
              <IconGripVertical size={14} />
              {at + 1}
            </span>
            <StepFields
              step={step}
              check={checks[at]}
              n={at + 1}
              disabled={disabled}
              showErrors={showErrors}
              onChange={(change) => onChange(withAt(steps, at, change))}
            />
            {disabled ? null : (
              <span className={classes["stepTools"]}>
                <ActionIcon
                  aria-label={t("Move step {n} up", { n: at + 1 })}
                  disabled={at === 0}
                  onClick={() => onChange(moved(steps, at, at - 1))}
                >
                  <IconArrowUp size={14} />
                </ActionIcon>
                <ActionIcon
                  aria-label={t("Move step {n} down", { n: at + 1 })}
                  disabled={at === steps.length - 1}
                  onClick={() => onChange(moved(steps, at, at + 1))}
                >
                  <IconArrowDown size={14} />
                </ActionIcon>
                <ActionIcon
                  aria-label={t("Remove step {n}", { n: at + 1 })}
                  onClick={() => onChange(withoutAt(steps, at))}
                >
                  <IconX size={14} />
                </ActionIcon>
              </span>
            )}
          </li>
        ))}
      </ol>
      {disabled ? null : (
        <Button
          variant="default"
          size="compact-xs"
          leftSection={<IconPlus size={13} />}
          onClick={() => onChange([...steps, newStep()])}
        >
          {t("Add step")}
        </Button>
      )}
    </div>
  );
}

interface StepFieldsProps {
  readonly step: StepDraft;
  readonly check: Check | undefined;
  readonly n: number;
  readonly disabled: boolean;
  readonly showErrors: boolean;
  readonly onChange: (change: Partial<StepDraft>) => void;
}

function StepFields({ step, check, n, disabled, showErrors, onChange }: StepFieldsProps) {
  const kind = stepKind(step.type);
  const touched = step.params.some((it) => it !== "");
  const error =
    check !== undefined && !check.ok && (showErrors || touched) ? check.message : undefined;
  return (
    <div className={classes["stepFields"]}>
      <Select
        aria-label={t("Kind of step {n}", { n })}
        data={kindOptions(kind.type, kind.name)}
        value={step.type}
        disabled={disabled}
        w={200}
        onChange={(type) =>
          onChange({
            type: type ?? step.type,
            params: stepKind(type ?? step.type).params.map(() => ""),
          })
        }
      />
      {kind.params.map((param, at) => (
        <TextInput
          key={param.name}
          className={classes["param"] ?? ""}
          aria-label={t("{name} of step {n}", { name: t(param.name), n })}
          placeholder={param.placeholder === "" ? t(param.name) : param.placeholder}
          classNames={{ input: "mono" }}
          value={step.params[at] ?? ""}
          disabled={disabled}
          error={at === 0 ? error : undefined}
          onChange={(event) => {
            const value = event.currentTarget.value;
            onChange({
              params: kind.params.map((_, i) => (i === at ? value : (step.params[i] ?? ""))),
            });
          }}
        />
      ))}
      {kind.canFail ? (
        <Select
          aria-label={t("If step {n} fails", { n })}
          data={[
            { value: "0", label: t("fails: not supported") },
            { value: "1", label: t("fails: discard value") },
            { value: "2", label: t("fails: set value") },
            { value: "3", label: t("fails: set error") },
          ]}
          value={step.onFail}
          disabled={disabled}
          w={160}
          onChange={(onFail) => onChange({ onFail: onFail ?? "0" })}
        />
      ) : null}
      {kind.canFail && (step.onFail === "2" || step.onFail === "3") ? (
        <TextInput
          aria-label={
            step.onFail === "2"
              ? t("Value if step {n} fails", { n })
              : t("Error if step {n} fails", { n })
          }
          placeholder={step.onFail === "2" ? t("value") : t("error message")}
          value={step.onFailParams}
          disabled={disabled}
          onChange={(event) => onChange({ onFailParams: event.currentTarget.value })}
        />
      ) : null}
    </div>
  );
}

function kindOptions(type: number, name: string) {
  const options = STEP_KINDS.map((it) => ({ value: String(it.type), label: t(it.name) }));
  const known = options.some(({ value }) => value === String(type));
  return known ? options : [...options, { value: String(type), label: t(name) }];
}
