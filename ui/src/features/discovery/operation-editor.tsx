// One operation of an override: which objects, by their name, and what is different for them.

import { ActionIcon, Select, TextInput } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import type { Check } from "@/lib/check";
import { OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import { checkInterval, checkPeriod } from "@/lib/interval";
import { SEVERITIES, severityName } from "@/lib/severity";
import { CheckedInput } from "@/ui/checked-input";
import { TemplatePicker } from "@/widgets/pickers";
import { TagEditor } from "@/widgets/tag-editor";
import classes from "./discovery.module.css";
import { actionsOf, hasAction, type OperationDraft, type OperationFields } from "./lld-drafts";

export interface OperationEditorProps {
  readonly n: number;
  readonly operation: OperationDraft;
  readonly disabled: boolean;
  readonly showErrors: boolean;
  readonly onChange: (change: Partial<OperationFields>) => void;
  readonly onRemove: () => void;
}

export function OperationEditor(props: OperationEditorProps) {
  const { n, operation, disabled, showErrors, onChange, onRemove } = props;
  return (
    <fieldset className={classes["operation"]} aria-label={t("Operation {n}", { n })}>
      <div className={classes["line"]}>
        <Select
          aria-label={t("Objects of operation {n}", { n })}
          className={classes["operator"] ?? ""}
          data={[
            { value: "0", label: t("Items") },
            { value: "1", label: t("Triggers") },
            { value: "2", label: t("Graphs") },
            { value: "3", label: t("Hosts") },
            { value: "4", label: t("Rules") },
          ]}
          value={operation.object}
          disabled={disabled}
          onChange={(object) => onChange({ object: object ?? "0" })}
        />
        <Select
          aria-label={t("Operator of operation {n}", { n })}
          className={classes["operator"] ?? ""}
          data={[
            { value: "0", label: t("name equals") },
            { value: "1", label: t("name does not equal") },
            { value: "2", label: t("name contains") },
            { value: "3", label: t("name does not contain") },
            { value: "8", label: t("name matches") },
            { value: "9", label: t("name does not match") },
          ]}
          value={operation.operator}
          disabled={disabled}
          onChange={(operator) => onChange({ operator: operator ?? "0" })}
        />
        <TextInput
          aria-label={t("Pattern of operation {n}", { n })}
          placeholder={t("pattern")}
          className={classes["value"] ?? ""}
          value={operation.value}
          disabled={disabled}
          onChange={(event) => onChange({ value: event.currentTarget.value })}
        />
        {disabled ? null : (
          <ActionIcon aria-label={t("Remove operation {n}", { n })} onClick={onRemove}>
            <IconX size={14} />
          </ActionIcon>
        )}
      </div>
      <Actions {...props} />
      {showErrors && !hasAction(operation) ? (
        <p className="bad" role="alert">
          {t("an operation must change at least one property")}
        </p>
      ) : null}
    </fieldset>
  );
}

const AS_PROTOTYPE = "";

/** `undefined` is as the prototype has it. */
function choice(value: string | null): string | undefined {
  return value === null || value === AS_PROTOTYPE ? undefined : value;
}

function Actions({ operation, disabled, showErrors, onChange }: OperationEditorProps) {
  const has = actionsOf(operation.object);
  const original = { value: AS_PROTOTYPE, label: t("as in the prototype") };
  return (
    <>
      <div className={classes["actions"]}>
        <Select
          label={t("Discover")}
          data={[original, { value: "0", label: t("Yes") }, { value: "1", label: t("No") }]}
          value={operation.discover ?? AS_PROTOTYPE}
          disabled={disabled}
          onChange={(discover) => onChange({ discover: choice(discover) })}
        />
        {has.status ? (
          <Select
            label={t("Create enabled")}
            data={[original, { value: "0", label: t("Yes") }, { value: "1", label: t("No") }]}
            value={operation.status ?? AS_PROTOTYPE}
            disabled={disabled}
            onChange={(status) => onChange({ status: choice(status) })}
          />
        ) : null}
        {has.severity ? (
          <Select
            label={t("Severity")}
            data={[
              original,
              ...SEVERITIES.map((it) => ({ value: String(it), label: severityName(it) })),
            ]}
            value={operation.severity ?? AS_PROTOTYPE}
            disabled={disabled}
            onChange={(severity) => onChange({ severity: choice(severity) })}
          />
        ) : null}
        {has.inventory ? (
          <Select
            label={t("Inventory")}
            data={[
              original,
              { value: "-1", label: t("Disabled") },
              { value: "0", label: t("Manual") },
              { value: "1", label: t("Automatic") },
            ]}
            value={operation.inventory ?? AS_PROTOTYPE}
            disabled={disabled}
            onChange={(inventory) => onChange({ inventory: choice(inventory) })}
          />
        ) : null}
        <Periods
          operation={operation}
          disabled={disabled}
          showErrors={showErrors}
          onChange={onChange}
        />
      </div>
      {has.templates && (!disabled || operation.templates.length > 0) ? (
        <TemplatePicker
          label={t("Link templates")}
          value={operation.templates}
          disabled={disabled}
          onChange={(templates) => onChange({ templates })}
        />
      ) : null}
      {has.tags && !disabled ? (
        <TagEditor tags={operation.tags} onChange={(tags) => onChange({ tags })} />
      ) : null}
      {has.tags && disabled && operation.tags.length > 0 ? (
        <p className="dim">
          {operation.tags
            .map(({ tag, value }) => (value === "" ? tag : `${tag}: ${value}`))
            .join(", ")}
        </p>
      ) : null}
    </>
  );
}

type PeriodsProps = Pick<
  OperationEditorProps,
  "operation" | "disabled" | "showErrors" | "onChange"
>;

function Periods({ operation, disabled, showErrors, onChange }: PeriodsProps) {
  const has = actionsOf(operation.object);
  return (
    <>
      {has.interval ? (
        <Period
          label={t("Update interval")}
          value={operation.delay}
          check={checkInterval}
          disabled={disabled}
          showErrors={showErrors}
          onChange={(delay) => onChange({ delay })}
        />
      ) : null}
      {has.periods ? (
        <>
          <Period
            label={t("History")}
            value={operation.history}
            check={checkPeriod}
            disabled={disabled}
            showErrors={showErrors}
            onChange={(history) => onChange({ history })}
          />
          <Period
            label={t("Trends")}
            value={operation.trends}
            check={checkPeriod}
            disabled={disabled}
            showErrors={showErrors}
            onChange={(trends) => onChange({ trends })}
          />
        </>
      ) : null}
    </>
  );
}

interface PeriodProps {
  readonly label: string;
  readonly value: string;
  readonly check: (text: string) => Check;
  readonly disabled: boolean;
  readonly showErrors: boolean;
  readonly onChange: (value: string) => void;
}

function Period({ label, value, check, disabled, showErrors, onChange }: PeriodProps) {
  return (
    <CheckedInput
      label={label}
      value={value}
      onChange={onChange}
      check={(text) => (text === "" ? OK : check(text))}
      placeholder={t("as in the prototype")}
      disabled={disabled}
      showAll={showErrors}
    />
  );
}
