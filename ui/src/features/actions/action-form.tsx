// An action: its conditions, its operations step by step, and both as a timeline.

import { Switch } from "@mantine/core";
import type { Action } from "@/api/actions";
import { t } from "@/lib/i18n";
import { CheckedInput } from "@/ui/checked-input";
import { Section } from "@/ui/form";
import { NameField } from "@/widgets/objects/fields";
import { type FormParts, ObjectForm } from "@/widgets/objects/object-form";
import classes from "./actions.module.css";
import { Conditions, type PartProps } from "./condition-editor";
import { sourceName, TRIGGERS } from "./conditions";
import {
  type ActionFields,
  checkStepPeriod,
  draftOf,
  fieldsOf,
  hasAnyOperation,
  hasList,
  hasProblems,
  isComplete,
  operationText,
  timelineSteps,
} from "./draft";
import { Operations } from "./operation-editor";
import { ACTIONS, useNames } from "./queries";
import { runsOf, whenText } from "./timeline";

export interface ActionFormProps {
  readonly action: Action | undefined;
  /** of a new one */
  readonly source: string;
  readonly onDone: () => void;
}

export function ActionForm({ action, source, onDone }: ActionFormProps) {
  return (
    <ObjectForm
      calls={ACTIONS}
      existing={action && { id: action.actionid, name: action.name }}
      first={() => fieldsOf(action, source)}
      isComplete={isComplete}
      draftOf={draftOf}
      cloned={({ name }) => ({ name: t("{name} (copy)", { name }) })}
      onDone={onDone}
    >
      {(parts) => <Sections {...parts} />}
    </ObjectForm>
  );
}

function Sections(given: FormParts<ActionFields>) {
  const nameOf = useNames([given.fields]);
  const parts = { ...given, nameOf };
  return (
    <>
      <Common {...parts} />
      <Conditions {...parts} />
      <Operations
        {...parts}
        list="operations"
        title={t("Operations")}
        hint={t("Executed step by step while the problem is open.")}
      />
      <Operations
        {...parts}
        list="recovery_operations"
        title={t("Recovery operations")}
        hint={t("Executed when the problem is resolved.")}
      />
      <Operations
        {...parts}
        list="update_operations"
        title={t("Update operations")}
        hint={t("Executed when a user acknowledges, comments on or changes the problem.")}
      />
      {given.attempted && !hasAnyOperation(given.fields) ? (
        <p className={`bad ${classes["missing"]}`} role="alert">
          {t("at least one operation is required")}
        </p>
      ) : null}
      <Timeline {...parts} />
    </>
  );
}

function Common(parts: PartProps) {
  const { fields, set, attempted, refusal } = parts;
  const isOfTriggers = fields.eventsource === TRIGGERS;
  const toggle = (
    name: "pause_suppressed" | "pause_symptoms" | "notify_if_canceled",
    text: string,
  ) => (
    <Switch
      label={text}
      checked={fields[name] === "1"}
      onChange={(event) => set({ [name]: event.currentTarget.checked ? "1" : "0" })}
    />
  );
  const said = refusal("/1/name") ?? refusal("/1/eventsource") ?? refusal("/1/esc_period");
  return (
    <Section
      title={t("Action")}
      hint={t("Event source: {name}", { name: sourceName(fields.eventsource) })}
    >
      <NameField {...parts} />
      {hasProblems(fields.eventsource) ? (
        <CheckedInput
          label={t("Default step duration")}
          description={t("60 s to 1 week, such as 30m or 1h, or a user macro")}
          value={fields.esc_period}
          onChange={(esc_period) => set({ esc_period })}
          check={checkStepPeriod}
          required
          showAll={attempted}
        />
      ) : null}
      {said === undefined ? null : (
        <p className="bad" role="alert">
          {said}
        </p>
      )}
      <Switch
        label={t("Enabled")}
        checked={fields.status === "0"}
        onChange={(event) => set({ status: event.currentTarget.checked ? "0" : "1" })}
      />
      {isOfTriggers ? (
        <>
          {toggle("pause_suppressed", t("Pause operations for suppressed problems"))}
          {toggle("pause_symptoms", t("Pause operations for symptom problems"))}
          {toggle("notify_if_canceled", t("Notify about canceled escalations"))}
        </>
      ) : null}
    </Section>
  );
}

/** The steps of the action with their times. */
function Timeline({ fields, nameOf }: PartProps) {
  const runs = runsOf(timelineSteps(fields, nameOf), fields.esc_period);
  const later = [
    ["recovery_operations", t("on recovery")],
    ["update_operations", t("on each update")],
  ] as const;
  return (
    <Section title={t("Timeline")} hint={t("Steps of this action as configured above.")}>
      <ol className={classes["timeline"]} aria-label={t("Timeline")}>
        {runs.map((run) => (
          <TimelineLine
            key={run.from}
            when={hasProblems(fields.eventsource) ? whenText(run) : t("at once")}
            texts={run.texts}
          />
        ))}
        {runs.length === 0 ? (
          <li className="dim">{t("No operations while the problem is open.")}</li>
        ) : null}
        {later.map(([list, when]) =>
          hasList(fields.eventsource, list) && fields[list].length > 0 ? (
            <TimelineLine
              key={list}
              when={when}
              texts={fields[list].map((it) => operationText(it, nameOf))}
            />
          ) : null,
        )}
      </ol>
    </Section>
  );
}

function TimelineLine({
  when,
  texts,
}: {
  readonly when: string;
  readonly texts: readonly string[];
}) {
  return (
    <li>
      <span className={classes["when"]}>{when}:</span> {texts.join("; ")}
    </li>
  );
}
