// A global regular expression: its expressions, and a text that they are tried on as one types.

import { ActionIcon, Select, Switch, Textarea, TextInput } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import type { Regexp, RegexpDraft, RegexpTrial } from "@/api/regexps";
import { checkName } from "@/lib/check";
import { t } from "@/lib/i18n";
import { FormError, Section } from "@/ui/form";
import { keyed } from "@/widgets/keyed";
import { NameField } from "@/widgets/objects/fields";
import { type LineParts, Lines } from "@/widgets/objects/lines";
import { type FormParts, ObjectForm } from "@/widgets/objects/object-form";
import {
  ANY_INCLUDED,
  DELIMITERS,
  type ExpressionDraft,
  kindOptions,
  newExpression,
  toExpression,
} from "./expressions";
import { REGEXPS, useTrial } from "./queries";
import classes from "./regexps.module.css";

interface RegexpFields {
  readonly name: string;
  readonly testString: string;
  readonly expressions: readonly ExpressionDraft[];
}

function fieldsOf(regexp: Regexp | undefined): RegexpFields {
  return {
    name: regexp?.name ?? "",
    testString: regexp?.test_string ?? "",
    expressions: regexp === undefined ? [newExpression()] : regexp.expressions.map(keyed),
  };
}

function draftOf({ name, testString, expressions }: RegexpFields): RegexpDraft {
  return {
    name: name.trim(),
    test_string: testString,
    expressions: expressions.map(toExpression),
  };
}

function isComplete({ name, expressions }: RegexpFields): boolean {
  return (
    checkName(name).ok &&
    expressions.length > 0 &&
    expressions.every(({ expression }) => expression !== "")
  );
}

export interface RegexpFormProps {
  readonly regexp: Regexp | undefined;
  readonly onDone: () => void;
}

export function RegexpForm({ regexp, onDone }: RegexpFormProps) {
  return (
    <ObjectForm
      calls={REGEXPS}
      existing={regexp && { id: regexp.regexpid, name: regexp.name }}
      first={() => fieldsOf(regexp)}
      isComplete={isComplete}
      draftOf={draftOf}
      onDone={onDone}
    >
      {(parts) => <Sections {...parts} />}
    </ObjectForm>
  );
}

function Sections(parts: FormParts<RegexpFields>) {
  const { fields, set, attempted } = parts;
  const written = fields.expressions.filter(({ expression }) => expression !== "");
  const trial = useTrial(fields.testString, written.map(toExpression));
  return (
    <>
      <Section
        title={t("Regular expression")}
        hint={t("Used as @name in discovery rule filters, functions and log item keys.")}
      >
        <NameField {...parts} />
      </Section>
      <Section title={t("Expressions")} hint={t("A text matches if all expressions are true.")}>
        <Lines
          lines={fields.expressions}
          onChange={(expressions) => set({ expressions })}
          add={t("Add expression")}
          newLine={newExpression}
          error={
            attempted && fields.expressions.length === 0
              ? t("an expression is required")
              : undefined
          }
        >
          {(parts) => (
            <ExpressionLine
              {...parts}
              result={trial.data?.expressions[written.indexOf(parts.line)]}
              attempted={attempted}
            />
          )}
        </Lines>
      </Section>
      <Section title={t("Test")} hint={t("Results update as you type. The test string is saved.")}>
        <Textarea
          label={t("Test string")}
          rows={3}
          classNames={{ input: "mono" }}
          value={fields.testString}
          onChange={(event) => set({ testString: event.currentTarget.value })}
        />
        {trial.error === null ? null : <FormError error={trial.error} />}
        <p className={classes["all"]} role="status" aria-label={t("Result")}>
          {t("Combined result")} <Verdict result={wholeOf(trial.data, written.length)} />
        </p>
      </Section>
    </>
  );
}

type Result = RegexpTrial["expressions"][number] | undefined;

function wholeOf(trial: RegexpTrial | undefined, n: number): Result {
  if (trial === undefined || n === 0) return undefined;
  return trial.holds === null ? { error: t("an expression is wrong") } : { holds: trial.holds };
}

function Verdict({ result }: { readonly result: Result }) {
  if (result === undefined) return <span className="dim">{t("not tested")}</span>;
  if (result.error !== undefined) return <span className="bad">{result.error}</span>;
  return result.holds === true ? (
    <strong className={classes["true"]}>{t("TRUE")}</strong>
  ) : (
    <strong className={classes["false"]}>{t("FALSE")}</strong>
  );
}

interface ExpressionLineProps extends LineParts<ExpressionDraft> {
  readonly result: Result;
  readonly attempted: boolean;
}

function ExpressionLine(props: ExpressionLineProps) {
  const { n, line: draft, result, attempted, change: onChange, remove } = props;
  const isEmpty = draft.expression === "";
  return (
    <div className={classes["line"]}>
      <Select
        aria-label={t("Type of expression {n}", { n })}
        className={classes["kind"] ?? ""}
        data={kindOptions()}
        value={draft.expression_type}
        onChange={(type) => onChange({ expression_type: type ?? "0" })}
      />
      <TextInput
        aria-label={t("Expression {n}", { n })}
        className={classes["expression"] ?? ""}
        classNames={{ input: "mono" }}
        value={draft.expression}
        error={attempted && isEmpty ? t("an expression is required") : (result?.error ?? null)}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => onChange({ expression: event.currentTarget.value })}
      />
      {draft.expression_type === ANY_INCLUDED ? (
        <Select
          aria-label={t("Delimiter of expression {n}", { n })}
          className={classes["delimiter"] ?? ""}
          data={[...DELIMITERS]}
          value={draft.exp_delimiter}
          onChange={(delimiter) => onChange({ exp_delimiter: delimiter ?? "," })}
        />
      ) : null}
      <Switch
        label={t("Case sensitive")}
        className={classes["case"] ?? ""}
        checked={draft.case_sensitive === "1"}
        onChange={(event) => onChange({ case_sensitive: event.currentTarget.checked ? "1" : "0" })}
      />
      <output className={classes["result"]} aria-label={t("Result of expression {n}", { n })}>
        {isEmpty || result?.error !== undefined ? null : <Verdict result={result} />}
      </output>
      <ActionIcon aria-label={t("Remove expression {n}", { n })} onClick={remove}>
        <IconX size={14} />
      </ActionIcon>
    </div>
  );
}
