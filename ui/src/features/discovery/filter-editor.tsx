// Which rows count: conditions on LLD macros, each with a letter, and how they combine.

import { ActionIcon, Button, Select, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import { AND, AND_OR, checkFormula, FORMULA, OR } from "@/lib/formula";
import { t } from "@/lib/i18n";
import { checkLldMacro } from "@/lib/lld";
import { CheckedInput } from "@/ui/checked-input";
import { withAt, withoutAt } from "@/widgets/keyed";
import classes from "./discovery.module.css";
import {
  type ConditionDraft,
  type FilterDraft,
  hasValue,
  meaningOf,
  newCondition,
} from "./lld-drafts";

export interface FilterEditorProps {
  readonly filter: FilterDraft;
  readonly onChange: (filter: FilterDraft) => void;
  readonly disabled: boolean;
  readonly showErrors: boolean;
}

export function FilterEditor({ filter, onChange, disabled, showErrors }: FilterEditorProps) {
  const { conditions, evaltype } = filter;
  const set = (change: Partial<FilterDraft>) => onChange({ ...filter, ...change });
  return (
    <div className={classes["lines"]}>
      {conditions.length > 1 ? (
        <Combination filter={filter} set={set} disabled={disabled} showErrors={showErrors} />
      ) : null}
      {conditions.map((condition, at) => (
        <ConditionLine
          key={condition.key}
          condition={condition}
          disabled={disabled}
          showErrors={showErrors}
          onChange={(change) => set({ conditions: withAt(conditions, at, change) })}
          onRemove={() => {
            const left = withoutAt(conditions, at);
            set({ conditions: left, evaltype: left.length > 1 ? evaltype : AND_OR });
          }}
        />
      ))}
      {conditions.length === 0 && disabled ? <p className="dim">{t("No conditions.")}</p> : null}
      {disabled ? null : (
        <div>
          <Button
            variant="default"
            size="compact-xs"
            leftSection={<IconPlus size={13} />}
            onClick={() => set({ conditions: [...conditions, newCondition(conditions)] })}
          >
            {t("Add condition")}
          </Button>
        </div>
      )}
    </div>
  );
}

interface CombinationProps {
  readonly filter: FilterDraft;
  readonly set: (change: Partial<FilterDraft>) => void;
  readonly disabled: boolean;
  readonly showErrors: boolean;
}

function Combination({ filter, set, disabled, showErrors }: CombinationProps) {
  const { conditions, evaltype, formula } = filter;
  const meant = meaningOf(filter);
  return (
    <div className={classes["line"]}>
      <Select
        label={t("Type of calculation")}
        className={classes["kind"] ?? ""}
        data={[
          { value: AND_OR, label: t("And/or") },
          { value: AND, label: t("And") },
          { value: OR, label: t("Or") },
          { value: FORMULA, label: t("Custom formula") },
        ]}
        value={evaltype}
        disabled={disabled}
        onChange={(next) =>
          set({
            evaltype: next ?? AND_OR,
            // what was meant so far is where a formula begins
            ...(next === FORMULA && formula === "" ? { formula: meant } : {}),
          })
        }
      />
      {evaltype === FORMULA ? (
        <CheckedInput
          label={t("Formula")}
          value={formula}
          onChange={(next) => set({ formula: next })}
          check={(text) =>
            checkFormula(
              text,
              conditions.map((it) => it.formulaid),
            )
          }
          placeholder={t("A and (B or not C)")}
          mono
          disabled={disabled}
          showAll={showErrors}
        />
      ) : (
        <output className={`${classes["formula"]} mono`} aria-label={t("Meaning")}>
          {meant}
        </output>
      )}
    </div>
  );
}

interface ConditionLineProps {
  readonly condition: ConditionDraft;
  readonly disabled: boolean;
  readonly showErrors: boolean;
  readonly onChange: (change: Partial<ConditionDraft>) => void;
  readonly onRemove: () => void;
}

function ConditionLine(props: ConditionLineProps) {
  const { condition, disabled, showErrors, onChange, onRemove } = props;
  const letter = condition.formulaid;
  const check = checkLldMacro(condition.macro);
  const isShown = showErrors || condition.macro !== "";
  return (
    <div className={classes["line"]}>
      <span className={classes["letter"]}>{letter}</span>
      <TextInput
        aria-label={t("Macro of condition {letter}", { letter })}
        placeholder="{#MACRO}"
        className={classes["macro"] ?? ""}
        classNames={{ input: "mono" }}
        value={condition.macro}
        disabled={disabled}
        error={check.ok || !isShown ? null : check.message}
        onChange={(event) => onChange({ macro: event.currentTarget.value.toUpperCase() })}
      />
      <Select
        aria-label={t("Operator of condition {letter}", { letter })}
        className={classes["operator"] ?? ""}
        data={[
          { value: "8", label: t("matches") },
          { value: "9", label: t("does not match") },
          { value: "12", label: t("exists") },
          { value: "13", label: t("does not exist") },
        ]}
        value={condition.operator}
        disabled={disabled}
        onChange={(operator) => onChange({ operator: operator ?? "8" })}
      />
      {hasValue(condition.operator) ? (
        <TextInput
          aria-label={t("Regular expression of condition {letter}", { letter })}
          placeholder={t("regular expression or @name")}
          className={classes["value"] ?? ""}
          classNames={{ input: "mono" }}
          value={condition.value}
          disabled={disabled}
          error={
            showErrors && condition.value === "" ? t("a regular expression is required") : null
          }
          onChange={(event) => onChange({ value: event.currentTarget.value })}
        />
      ) : null}
      {disabled ? null : (
        <ActionIcon aria-label={t("Remove condition {letter}", { letter })} onClick={onRemove}>
          <IconX size={14} />
        </ActionIcon>
      )}
    </div>
  );
}
