// One step of a web scenario: what is asked, and what the answer has to be.

import { ActionIcon, Select, Switch } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconX } from "@tabler/icons-react";
import { bad, OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import { CheckedInput } from "@/ui/checked-input";
import { Row } from "@/ui/form";
import { type Keyed, moved, withAt, withoutAt } from "@/widgets/keyed";
import { type Pair, PairEditor } from "@/widgets/pair-editor";
import { checkGiven, checkStepName, checkVariables, type StepFields } from "./draft";
import classes from "./web.module.css";

export interface StepEditorProps {
  readonly steps: readonly Keyed<StepFields>[];
  readonly at: number;
  readonly isInherited: boolean;
  readonly attempted: boolean;
  readonly refusal: (path: string) => string | undefined;
  readonly onChange: (steps: readonly Keyed<StepFields>[]) => void;
}

export function StepEditor(props: StepEditorProps) {
  const { steps, at, isInherited, attempted, refusal, onChange } = props;
  const step = steps[at];
  if (step === undefined) return null;
  const set = (change: Partial<StepFields>) =>
    onChange(withAt<Keyed<StepFields>>(steps, at, change));
  const said = (name: string, check = OK) => {
    const error = refusal(`/1/steps/${at + 1}/${name}`);
    return error === undefined ? check : bad(error, 0);
  };
  const n = at + 1;
  return (
    <fieldset className={classes["step"]} disabled={isInherited} aria-label={t("Step {n}", { n })}>
      <div className={classes["head"]}>
        <span>{t("Step {n}", { n })}</span>
        <ActionIcon
          aria-label={t("Move step {n} up", { n })}
          disabled={isInherited || at === 0}
          onClick={() => onChange(moved(steps, at, at - 1))}
        >
          <IconArrowUp size={14} />
        </ActionIcon>
        <ActionIcon
          aria-label={t("Move step {n} down", { n })}
          disabled={isInherited || at === steps.length - 1}
          onClick={() => onChange(moved(steps, at, at + 1))}
        >
          <IconArrowDown size={14} />
        </ActionIcon>
        <ActionIcon
          aria-label={t("Remove step {n}", { n })}
          disabled={isInherited || steps.length === 1}
          onClick={() => onChange(withoutAt(steps, at))}
        >
          <IconX size={14} />
        </ActionIcon>
      </div>
      <Row>
        <CheckedInput
          label={t("Name of the step")}
          value={step.name}
          onChange={(name) => set({ name })}
          check={() => said("name", checkStepName(steps, at))}
          required
          showAll={attempted}
        />
        <CheckedInput
          label="URL"
          value={step.url}
          onChange={(url) => set({ url })}
          check={(url) => said("url", checkGiven(url))}
          required
          mono
          showAll={attempted}
        />
      </Row>
      <Row>
        <CheckedInput
          label={t("Required pattern")}
          value={step.required}
          onChange={(required) => set({ required })}
          check={() => said("required")}
          description={t("a regular expression that the response must match")}
          mono
        />
        <CheckedInput
          label={t("Required status codes")}
          value={step.statusCodes}
          onChange={(statusCodes) => set({ statusCodes })}
          check={() => said("status_codes")}
          description={t("200,201,210-299; empty: any")}
          mono
        />
        <CheckedInput
          label={t("Timeout")}
          value={step.timeout}
          onChange={(timeout) => set({ timeout })}
          check={(timeout) => said("timeout", checkGiven(timeout))}
          showAll={attempted}
        />
      </Row>
      <Row>
        <Select
          label={t("Retrieve mode")}
          data={[
            { value: "0", label: t("Body") },
            { value: "1", label: t("Headers (HEAD)") },
            { value: "2", label: t("Headers and body") },
          ]}
          value={step.retrieve}
          disabled={isInherited}
          allowDeselect={false}
          onChange={(retrieve) => set({ retrieve: retrieve ?? step.retrieve })}
        />
        <Switch
          label={t("Follow redirects")}
          checked={step.followRedirects}
          onChange={(event) => set({ followRedirects: event.currentTarget.checked })}
        />
      </Row>
      <Posts step={step} set={set} isInherited={isInherited} />
      <More step={step} set={set} isInherited={isInherited} />
    </fieldset>
  );
}

interface PartProps {
  readonly step: StepFields;
  readonly set: (change: Partial<StepFields>) => void;
  readonly isInherited: boolean;
}

function Posts({ step, set, isInherited }: PartProps) {
  if (step.retrieve === "1") return null;
  return (
    <>
      <Select
        label={t("Post type")}
        data={[
          { value: "form", label: t("Form data") },
          { value: "raw", label: t("Raw data") },
        ]}
        value={step.isForm ? "form" : "raw"}
        disabled={isInherited}
        allowDeselect={false}
        onChange={(it) => set({ isForm: it !== "raw" })}
      />
      {step.isForm ? (
        <PairEditor
          what={t("post field")}
          pairs={step.form}
          check={OK}
          disabled={isInherited}
          onChange={(form) => set({ form })}
        />
      ) : (
        <CheckedInput
          label={t("Raw post")}
          value={step.body}
          onChange={(body) => set({ body })}
          check={() => OK}
          rows={4}
          mono
        />
      )}
    </>
  );
}

function More({ step, set, isInherited }: PartProps) {
  const lists: readonly (readonly [
    keyof StepFields & ("query" | "headers" | "variables"),
    string,
    string,
  ])[] = [
    ["query", t("Query fields"), t("query field")],
    ["variables", t("Variables"), t("variable")],
    ["headers", t("Headers (replace the headers of the scenario)"), t("header")],
  ];
  const n = step.query.length + step.variables.length + step.headers.length;
  return (
    <details className={classes["more"]} open={n > 0}>
      <summary>{t("Query fields, variables, headers ({n})", { n })}</summary>
      <div className={classes["parts"]}>
        {lists.map(([name, title, what]) => (
          <List
            key={name}
            title={title}
            what={what}
            pairs={step[name]}
            isVariables={name === "variables"}
            disabled={isInherited}
            onChange={(pairs) => set({ [name]: pairs })}
          />
        ))}
      </div>
    </details>
  );
}

interface ListProps {
  readonly title: string;
  readonly what: string;
  readonly pairs: readonly Keyed<Pair>[];
  readonly isVariables: boolean;
  readonly disabled: boolean;
  readonly onChange: (pairs: readonly Keyed<Pair>[]) => void;
}

function List({ title, what, pairs, isVariables, disabled, onChange }: ListProps) {
  return (
    <>
      <span>{title}</span>
      <PairEditor
        what={what}
        pairs={pairs}
        check={isVariables ? checkVariables(pairs) : OK}
        disabled={disabled}
        onChange={onChange}
      />
    </>
  );
}
