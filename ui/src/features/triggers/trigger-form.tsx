import { Checkbox, SegmentedControl, Switch, Textarea, TextInput } from "@mantine/core";
import type { Trigger, TriggerPrototype } from "@/api/types";
import { bad, OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import type { Owner } from "@/lib/owner";
import { SEVERITIES, severityName } from "@/lib/severity";
import { CheckedInput } from "@/ui/checked-input";
import { Row, Section } from "@/ui/form";
import { SeverityMark } from "@/ui/severity-mark";
import { ExpressionField } from "@/widgets/expression-field";
import { lockOf } from "@/widgets/lock";
import { type FormParts, ObjectForm } from "@/widgets/objects/object-form";
import { OriginNote } from "@/widgets/origin-note";
import { TagEditor } from "@/widgets/tag-editor";
import { Dependencies } from "./dependencies";
import { PROTOTYPE_CALLS, triggerCalls } from "./queries";
import { Trial } from "./trial";
import {
  draftOfTrigger,
  fieldsOfTrigger,
  isTriggerValid,
  type SentTrigger,
  type TriggerFields,
} from "./trigger-fields";
import classes from "./triggers.module.css";

export interface TriggerFormProps {
  readonly owner: Owner;
  readonly trigger: Trigger | TriggerPrototype | undefined;
  readonly isPrototype?: boolean;
  readonly onDone: () => void;
}

export function TriggerForm({ owner, trigger, isPrototype = false, onDone }: TriggerFormProps) {
  const lock = lockOf(trigger);
  return (
    <ObjectForm
      calls={isPrototype ? PROTOTYPE_CALLS : triggerCalls(owner)}
      existing={trigger && { id: trigger.triggerid, name: trigger.description }}
      first={() => fieldsOfTrigger(trigger, isPrototype)}
      isComplete={(fields, isNew) => (!isNew && lock.locked) || isTriggerValid(fields)}
      draftOf={(fields, isNew): SentTrigger =>
        !isNew && lock.discovered
          ? { status: fields.enabled ? 0 : 1 }
          : draftOfTrigger(fields, !isNew && lock.inherited)
      }
      cloned={({ name }) => ({ name: `${name} (copy)` })}
      isKept={lock.locked}
      onDone={() => onDone()}
    >
      {(parts, isNew) => (
        <TriggerSections
          {...parts}
          owner={owner}
          trigger={isNew ? undefined : trigger}
          isPrototype={isPrototype}
        />
      )}
    </ObjectForm>
  );
}

interface TriggerSectionsProps
  extends FormParts<TriggerFields>,
    Pick<TriggerFormProps, "owner" | "trigger"> {
  readonly isPrototype: boolean;
}

function TriggerSections(props: TriggerSectionsProps) {
  const { fields, set, attempted, showErrors, owner, trigger, isPrototype } = props;
  const { inherited, discovered, locked } = lockOf(trigger);
  return (
    <>
      {trigger === undefined ? null : (
        <OriginNote
          owner={owner}
          of={{ kind: "trigger", id: trigger.triggerid }}
          inherited={inherited}
          discovered={discovered}
        />
      )}
      <Section title={isPrototype ? t("Trigger prototype") : t("Trigger")}>
        <CheckedInput
          label={t("Name")}
          value={fields.name}
          onChange={(name) => set({ name })}
          check={(name) => (name.trim() === "" ? bad(t("a name is required"), 0) : OK)}
          required
          disabled={locked}
          showAll={attempted}
        />
        <SeverityField
          value={fields.severity}
          disabled={discovered}
          onChange={(severity) => set({ severity })}
        />
        <Row>
          <TextInput
            label={t("Event name")}
            placeholder={fields.name}
            value={fields.eventName}
            disabled={discovered}
            onChange={(event) => set({ eventName: event.currentTarget.value })}
          />
          <TextInput
            label={t("Operational data")}
            placeholder="{ITEM.LASTVALUE1}"
            value={fields.opdata}
            disabled={discovered}
            onChange={(event) => set({ opdata: event.currentTarget.value })}
          />
        </Row>
      </Section>
      <ConditionSection
        owner={owner}
        fields={fields}
        set={set}
        locked={locked}
        discovered={discovered}
        attempted={attempted}
        triggerid={trigger?.triggerid}
        onIncomplete={showErrors}
      />
      <Section title={t("Handling")}>
        <Checkbox
          label={t("Allow manual close")}
          checked={fields.manualClose}
          disabled={locked}
          onChange={(event) => set({ manualClose: event.currentTarget.checked })}
        />
        <Switch
          label={t("Enabled")}
          checked={fields.enabled}
          onChange={(event) => set({ enabled: event.currentTarget.checked })}
        />
        {fields.discover === undefined ? null : (
          <Switch
            label={t("Discover: LLD rows create triggers from it")}
            checked={fields.discover}
            onChange={(event) => set({ discover: event.currentTarget.checked })}
          />
        )}
        <TextInput
          label={t("URL")}
          value={fields.url}
          disabled={discovered}
          onChange={(event) => set({ url: event.currentTarget.value })}
        />
        <TextInput
          label={t("Menu entry name")}
          placeholder={t("Trigger URL")}
          value={fields.urlName}
          disabled={discovered}
          onChange={(event) => set({ urlName: event.currentTarget.value })}
        />
        <Textarea
          label={t("Description")}
          rows={2}
          value={fields.description}
          disabled={discovered}
          onChange={(event) => set({ description: event.currentTarget.value })}
        />
      </Section>
      <Dependencies
        owner={owner}
        dependencies={fields.dependencies}
        self={trigger?.triggerid}
        disabled={discovered}
        onChange={(dependencies) => set({ dependencies })}
      />
      <Section title={t("Tags")}>
        <TagEditor tags={fields.tags} onChange={(tags) => set({ tags })} />
      </Section>
    </>
  );
}

interface ConditionSectionProps {
  readonly owner: Owner;
  readonly fields: TriggerFields;
  readonly set: (change: Partial<TriggerFields>) => void;
  readonly locked: boolean;
  readonly discovered: boolean;
  readonly attempted: boolean;
  readonly triggerid: string | undefined;
  readonly onIncomplete: () => void;
}

function ConditionSection(props: ConditionSectionProps) {
  const { owner, triggerid, fields, set, locked, discovered, attempted } = props;
  return (
    <Section title={t("Condition")} hint={t("Items are written as /host/key.")}>
      <ExpressionField
        label={t("Expression")}
        value={fields.expression}
        onChange={(expression) => set({ expression })}
        hostid={owner.id}
        disabled={locked}
        showAll={attempted}
      />
      <div>
        <span className={classes["label"]}>{t("OK event generation")}</span>
        <SegmentedControl
          aria-label={t("OK event generation")}
          value={fields.recovery}
          disabled={locked}
          onChange={(recovery) => set({ recovery: recovery as TriggerFields["recovery"] })}
          data={[
            { value: "expression", label: t("expression is false") },
            { value: "own", label: t("recovery expression") },
            { value: "none", label: t("none") },
          ]}
        />
      </div>
      {fields.recovery === "own" ? (
        <ExpressionField
          label={t("Recovery expression")}
          value={fields.recoveryExpression}
          onChange={(recoveryExpression) => set({ recoveryExpression })}
          hostid={owner.id}
          disabled={locked}
          showAll={attempted}
        />
      ) : null}
      {fields.recovery === "none" ? null : (
        <CorrelationField fields={fields} set={set} locked={locked} attempted={attempted} />
      )}
      <Checkbox
        label={t("Multiple problem events: one for each value that matches")}
        checked={fields.multiple}
        disabled={discovered}
        onChange={(event) => set({ multiple: event.currentTarget.checked })}
      />
      {fields.discover === undefined ? (
        <Trial
          owner={owner}
          triggerid={triggerid}
          fields={fields}
          onIncomplete={props.onIncomplete}
        />
      ) : null}
    </Section>
  );
}

type CorrelationFieldProps = Pick<ConditionSectionProps, "fields" | "set" | "locked" | "attempted">;

function CorrelationField({ fields, set, locked, attempted }: CorrelationFieldProps) {
  return (
    <>
      <div>
        <span className={classes["label"]}>{t("OK event closes")}</span>
        <SegmentedControl
          aria-label={t("OK event closes")}
          value={fields.closes}
          disabled={locked}
          onChange={(closes) => set({ closes: closes as TriggerFields["closes"] })}
          data={[
            { value: "all", label: t("all problems") },
            { value: "tag", label: t("all problems if tag values match") },
          ]}
        />
      </div>
      {fields.closes === "tag" ? (
        <CheckedInput
          label={t("Tag for matching")}
          value={fields.correlationTag}
          onChange={(correlationTag) => set({ correlationTag })}
          check={(tag) => (tag.trim() === "" ? bad(t("a tag is required"), 0) : OK)}
          required
          disabled={locked}
          showAll={attempted}
        />
      ) : null}
    </>
  );
}

interface SeverityFieldProps {
  readonly value: TriggerFields["severity"];
  readonly disabled: boolean;
  readonly onChange: (severity: TriggerFields["severity"]) => void;
}

function SeverityField({ value, disabled, onChange }: SeverityFieldProps) {
  return (
    <div>
      <span className={classes["label"]}>{t("Severity")}</span>
      <div className={classes["severities"]} role="radiogroup" aria-label={t("Severity")}>
        {SEVERITIES.map((severity) => (
          <label key={severity} data-checked={severity === value || undefined}>
            <input
              type="radio"
              name="severity"
              checked={severity === value}
              disabled={disabled}
              onChange={() => onChange(severity)}
            />
            <SeverityMark severity={severity} quiet />
            {severityName(severity)}
          </label>
        ))}
      </div>
    </div>
  );
}
