// A correlation rule: of which events it is, and what it closes.

import { Checkbox, Select, TextInput } from "@mantine/core";
import type { Correlation } from "@/api/correlations";
import { t } from "@/lib/i18n";
import { Section } from "@/ui/form";
import { Joining } from "@/widgets/conditions/joining";
import { DescriptionField, NameField, Toggle } from "@/widgets/objects/fields";
import { Line, type LineParts, Lines } from "@/widgets/objects/lines";
import { type FormParts, ObjectForm } from "@/widgets/objects/object-form";
import { GroupPicker } from "@/widgets/pickers";
import {
  type ConditionFields,
  type CorrelationFields,
  conditionError,
  conditionText,
  draftOf,
  fieldsOf,
  isComplete,
  NEW_GROUP,
  NEW_VALUE,
  newCondition,
  OLD_VALUE,
  operatorOptions,
  TAG_PAIR,
  typeOptions,
  warningOf,
} from "./draft";
import { CORRELATIONS, useGroupName } from "./queries";

export interface CorrelationFormProps {
  readonly correlation: Correlation | undefined;
  readonly onDone: () => void;
}

export function CorrelationForm({ correlation, onDone }: CorrelationFormProps) {
  return (
    <ObjectForm
      calls={CORRELATIONS}
      existing={correlation && { id: correlation.correlationid, name: correlation.name }}
      first={() => fieldsOf(correlation)}
      isComplete={isComplete}
      draftOf={draftOf}
      cloned={({ name }) => ({ name: t("{name} (copy)", { name }) })}
      onDone={onDone}
    >
      {(parts) => (
        <>
          <General {...parts} />
          <Conditions {...parts} />
          <Operations {...parts} />
        </>
      )}
    </ObjectForm>
  );
}

type PartProps = FormParts<CorrelationFields>;

function General(parts: PartProps) {
  const { fields, set } = parts;
  return (
    <Section
      title={t("Correlation rule")}
      hint={t("Each new problem (new event) is compared with the open problems (old events).")}
    >
      <NameField {...parts} />
      <DescriptionField
        value={fields.description}
        onChange={(description) => set({ description })}
      />
      <Toggle
        label={t("Enabled")}
        checked={fields.enabled}
        onChange={(enabled) => set({ enabled })}
      />
    </Section>
  );
}

function Conditions({ fields, set, attempted, refusal }: PartProps) {
  const { conditions } = fields;
  const groupName = useGroupName();
  const isMissing = attempted && conditions.length === 0;
  return (
    <Section title={t("Conditions")} hint={t("Conditions select the old and the new events.")}>
      <Lines
        lines={conditions}
        onChange={(next) => set({ conditions: next })}
        add={t("Add condition")}
        newLine={() => newCondition(conditions.map(({ formulaid }) => formulaid))}
        error={isMissing ? t("a condition is required") : undefined}
      >
        {(parts) => (
          <ConditionLine
            {...parts}
            error={
              refusal(`/1/filter/conditions/${parts.n}`) ??
              (attempted ? conditionError(parts.line) : undefined)
            }
          />
        )}
      </Lines>
      <Joining
        evaltype={fields.evaltype}
        formula={fields.formula}
        onChange={set}
        terms={conditions.map((it) => ({
          kind: it.type,
          formulaid: it.formulaid,
          text: conditionText(it, groupName),
        }))}
        intro={t("The rule applies if:")}
        attempted={attempted}
        refusal={refusal("/1/filter/formula")}
      />
    </Section>
  );
}

interface ConditionLineProps extends LineParts<ConditionFields> {
  readonly error: string | undefined;
}

function ConditionLine(props: ConditionLineProps) {
  const { line, n, change, remove, error } = props;
  const operators = operatorOptions(line.type);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be a section of the form
    <div role="group" aria-label={t("Condition {n}", { n })}>
      <Line remove={t("Remove condition {n}", { n })} onRemove={remove}>
        <Select
          aria-label={t("Type of condition {n}", { n })}
          data={typeOptions()}
          value={line.type}
          allowDeselect={false}
          leftSection={<span aria-hidden>{line.formulaid}</span>}
          onChange={(type) => change({ type: type ?? line.type, operator: "0" })}
        />
        <Content {...props} />
        {operators.length === 0 ? null : (
          <Select
            aria-label={t("Operator of condition {n}", { n })}
            data={operators}
            value={line.operator}
            allowDeselect={false}
            onChange={(operator) => change({ operator: operator ?? line.operator })}
          />
        )}
        <Value {...props} />
      </Line>
      {error === undefined ? null : (
        <p className="bad" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

/** What stands before the operator. */
function Content({ line, n, change }: ConditionLineProps) {
  if (line.type === NEW_GROUP) return null;
  if (line.type === TAG_PAIR) {
    return (
      <>
        <TextInput
          aria-label={t("Old event tag of condition {n}", { n })}
          placeholder={t("old event tag")}
          value={line.oldtag}
          onChange={(event) => change({ oldtag: event.currentTarget.value })}
        />
        <TextInput
          aria-label={t("New event tag of condition {n}", { n })}
          placeholder={t("new event tag")}
          value={line.newtag}
          onChange={(event) => change({ newtag: event.currentTarget.value })}
        />
      </>
    );
  }
  return (
    <TextInput
      aria-label={t("Tag of condition {n}", { n })}
      placeholder={t("tag")}
      value={line.tag}
      onChange={(event) => change({ tag: event.currentTarget.value })}
    />
  );
}

function Value({ line, n, change }: ConditionLineProps) {
  if (line.type === NEW_GROUP) {
    return (
      <GroupPicker
        kind="hostgroup"
        label=""
        placeholder={t("Host group of condition {n}", { n })}
        value={line.groupid === "" ? [] : [line.groupid]}
        // the picker holds several; the last one that was picked counts
        onChange={(ids) => change({ groupid: ids.at(-1) ?? "" })}
      />
    );
  }
  return line.type === OLD_VALUE || line.type === NEW_VALUE ? (
    <TextInput
      aria-label={t("Value of condition {n}", { n })}
      placeholder={t("value")}
      value={line.value}
      onChange={(event) => change({ value: event.currentTarget.value })}
    />
  ) : null;
}

function Operations({ fields, set, attempted, refusal }: PartProps) {
  const isMissing = attempted && !fields.closesOld && !fields.closesNew;
  const error = refusal("/1/operations") ?? (isMissing ? t("an operation is required") : undefined);
  const warning = warningOf(fields);
  return (
    <Section
      title={t("Operations")}
      hint={t("The rule closes events even if their triggers do not allow manual close.")}
    >
      <Checkbox
        label={t("Close old events")}
        checked={fields.closesOld}
        onChange={(event) => set({ closesOld: event.currentTarget.checked })}
      />
      <Checkbox
        label={t("Close new event")}
        checked={fields.closesNew}
        onChange={(event) => set({ closesNew: event.currentTarget.checked })}
      />
      {error === undefined ? null : (
        <p className="bad" role="alert">
          {error}
        </p>
      )}
      {warning === undefined ? null : <p role="status">{warning}</p>}
    </Section>
  );
}
