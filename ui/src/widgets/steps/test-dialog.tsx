// Steps tried on a value before they are saved: the value is typed, taken from what is stored, or asked for;
// each step shows what it made of it, and the end what would be stored.

import { Button, Checkbox, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { errorText } from "@/api/http";
import { exchangeOf, type StepsTestResult, type TypedMacro } from "@/api/testing";
import { bad, OK } from "@/lib/check";
import { sameDraft } from "@/lib/draft";
import { t } from "@/lib/i18n";
import { CHECK_NOT_SUPPORTED, macrosIn, usesPrevious } from "@/lib/steps";
import { formatDateTime, nowSeconds, parseTime } from "@/lib/time";
import { type MacroDefinition, macroKnowledge } from "@/lib/user-macros";
import { CheckedInput } from "@/ui/checked-input";
import { asDialog } from "@/ui/dialog";
import { useFocusBack } from "@/ui/focus";
import { FormError, Row } from "@/ui/form";
import { FormDialog } from "@/ui/form-dialog";
import type { StepDraft } from "./draft";
import { toStep } from "./draft";
import { Exchange } from "./exchange";
import classes from "./test-dialog.module.css";
import { EndResult, StepResults } from "./test-results";
import {
  macrosOfRequest,
  type SampleValue,
  type TestSubject,
  useItemValue,
  useMacroDefinitions,
  useSample,
  useStepsTest,
} from "./test-subject";

export interface TestDialogProps {
  readonly subject: TestSubject;
  readonly steps: readonly StepDraft[];
  readonly onClose: () => void;
}

interface Fields {
  readonly value: string;
  readonly isError: boolean;
  readonly previous: string;
  readonly previousTime: string;
}

const EMPTY: Fields = { value: "", isError: false, previous: "", previousTime: "now-1m" };

function checkTime(text: string) {
  return parseTime(text, nowSeconds()) === undefined
    ? bad(t("enter a time such as now-1m or 2026-01-31 08:00"), 0)
    : OK;
}

/** What was tested last: all steps, or one of them on the value before it. */
interface Tested {
  readonly result: StepsTestResult;
  readonly single: number | undefined;
}

export const TestDialog = asDialog(TestDialogBody);

function TestDialogBody({ subject, steps, onClose }: TestDialogProps) {
  const [fields, setFields] = useState(EMPTY);
  // a value that the server gave is not typed: nothing is lost with it
  const [given, setGiven] = useState(EMPTY);
  const [typed, setTyped] = useState<Typed>({});
  const [tested, setTested] = useState<Tested | undefined>(undefined);
  const set = (change: Partial<Fields>) => {
    setFields((before) => ({ ...before, ...change }));
    // results are of the value that they were made from
    setTested(undefined);
  };
  const fill = (change: Partial<Fields>) => {
    set(change);
    setGiven({ ...fields, ...change });
  };
  const ofRequest = macrosOfRequest(subject);
  const ofSteps = macrosIn(steps.flatMap((it) => [...it.params, it.onFailParams]));
  const macros = [...new Set([...ofSteps, ...ofRequest.all])];
  const definitions = useMacroDefinitions(subject.owner, macros.length > 0);
  const needsPrevious = usesPrevious(steps);
  const test = useStepsTest();
  useFocusBack(test.isPending);
  const timeIsGood = !needsPrevious || fields.previous === "" || checkTime(fields.previousTime).ok;
  const run = (single?: number) => {
    if (!timeIsGood) return;
    const before = single === undefined ? undefined : inputOf(single, fields.value, tested);
    const chosen = single === undefined ? steps : steps.slice(single, single + 1);
    const now = nowSeconds();
    const request = {
      hostid: subject.owner.id,
      valueType: subject.valueType,
      steps: chosen.map(toStep),
      macros: typedOf(ofSteps, typed),
      value: before ?? fields.value,
      isError: fields.isError && (single ?? 0) === 0,
      previous:
        needsPrevious && fields.previous !== ""
          ? { value: fields.previous, ageS: now - (parseTime(fields.previousTime, now) ?? now) }
          : undefined,
    };
    test.mutate(request, {
      onSuccess: (result) =>
        setTested(
          single === undefined ? { result, single } : withOne(tested, single, result, steps.length),
        ),
    });
  };
  return (
    <FormDialog
      title={t("Test preprocessing")}
      size={820}
      changed={!sameDraft(given, fields) || Object.values(typed).some((it) => it !== "")}
      onClose={onClose}
    >
      <form
        className={classes["dialog"]}
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
        onKeyDown={(event) => {
          // Enter alone is a new line of the value
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || test.isPending) return;
          event.preventDefault();
          run();
        }}
      >
        <ValueFields
          subject={subject}
          fields={fields}
          set={set}
          fill={fill}
          canFail={fields.isError || steps.some(({ type }) => Number(type) === CHECK_NOT_SUPPORTED)}
          needsPrevious={needsPrevious}
          needed={ofRequest.needed}
          typed={typedOf(ofRequest.all, typed)}
        />
        {macros.length === 0 ? null : (
          <MacroFields
            macros={macros}
            typed={typed}
            hint={(macro) => hintOf(macro, definitions.data)}
            onChange={setTyped}
          />
        )}
        <StepResults
          steps={steps}
          results={tested?.result.steps ?? []}
          busy={test.isPending}
          onTest={run}
        />
        {test.error === null ? null : <FormError error={test.error} />}
        {tested === undefined || tested.single !== undefined || test.isPending ? null : (
          <EndResult result={tested.result} valueType={subject.valueType} />
        )}
        <div className={classes["footer"]} data-foot>
          <Button variant="default" onClick={onClose}>
            {t("Close")}
          </Button>
          <Button
            type="submit"
            loading={test.isPending}
            disabled={!timeIsGood}
            title={t("Ctrl+Enter")}
          >
            {steps.length === 0 ? t("Test conversion") : t("Test all steps")}
          </Button>
        </div>
      </form>
    </FormDialog>
  );
}

type Typed = Readonly<Record<string, string>>;

/** Those of these macros for which something is typed. */
function typedOf(macros: readonly string[], typed: Typed): readonly TypedMacro[] {
  return macros.flatMap((macro) => {
    const value = typed[macro];
    return value === undefined ? [] : [{ macro, value }];
  });
}

/** A step alone gets what the one before it gave, where that is known. */
function inputOf(at: number, value: string, tested: Tested | undefined): string {
  return (at === 0 ? undefined : tested?.result.steps[at - 1]?.result) ?? value;
}

/** The outcome of one step among those known already. */
function withOne(
  tested: Tested | undefined,
  at: number,
  result: StepsTestResult,
  count: number,
): Tested {
  const none = {
    params: undefined,
    result: undefined,
    isDiscarded: false,
    error: undefined,
    action: 0,
    failed: undefined,
  } as const;
  const known = tested?.result.steps ?? [];
  const steps = Array.from({ length: count }, (_, i) =>
    i === at ? (result.steps[0] ?? none) : (known[i] ?? none),
  );
  return { result: { ...result, steps }, single: at };
}

interface ValueFieldsProps {
  readonly subject: TestSubject;
  readonly fields: Fields;
  readonly set: (change: Partial<Fields>) => void;
  /** sets what the server gave */
  readonly fill: (change: Partial<Fields>) => void;
  readonly canFail: boolean;
  readonly needsPrevious: boolean;
  /** macros in what is asked that need a value, and what is typed for those in it */
  readonly needed: readonly string[];
  readonly typed: readonly TypedMacro[];
}

function ValueFields(props: ValueFieldsProps) {
  const { subject, fields, set, fill, canFail, needsPrevious, needed, typed } = props;
  const [wasAsked, setWasAsked] = useState(false);
  const [taken, setTaken] = useState<string | undefined>(undefined);
  const [functions, setFunctions] = useState<SampleValue["functions"]>([]);
  const [exchange, setExchange] = useState<SampleValue["exchange"]>([]);
  const take = (sample: SampleValue, said: string) => {
    const { value, isError, isCut, previous } = sample;
    setFunctions(sample.functions);
    setExchange(sample.exchange);
    const notes = [
      said,
      ...(isError ? [t("It is an error.")] : []),
      ...(isCut
        ? [t("It is truncated, only this part is stored; the steps get the whole value.")]
        : []),
    ];
    setTaken(notes.join(" "));
    fill({
      value,
      isError,
      ...(previous === undefined
        ? {}
        : { previous: previous.value, previousTime: formatDateTime(previous.clock) }),
    });
  };
  const stored = useSample(subject.owner, (sample) =>
    take(sample, t("The value of {time}.", { time: formatDateTime(sample.clock) })),
  );
  const asked = useItemValue((sample) =>
    take(sample, subject.isComputed === true ? t("Just computed.") : t("Just retrieved.")),
  );
  const missing = needed.filter((macro) => !typed.some((it) => it.macro === macro));
  const askNow = () => {
    stored.reset();
    setWasAsked(true);
    if (subject.ask !== undefined && missing.length === 0) {
      asked.mutate({ ...subject.ask, macros: typed });
    }
  };
  const failure = stored.error ?? asked.error;
  useFocusBack(stored.isPending || asked.isPending);
  return (
    <>
      <Textarea
        label={t("Value")}
        rows={4}
        data-autofocus
        spellCheck={false}
        classNames={{ input: "mono" }}
        value={fields.value}
        onChange={(event) => {
          setTaken(undefined);
          setFunctions([]);
          setExchange([]);
          set({ value: event.currentTarget.value });
        }}
      />
      <div className={classes["sources"]}>
        <SampleButton
          subject={subject}
          loading={stored.isPending}
          onTake={(sample) => {
            asked.reset();
            stored.mutate(sample);
          }}
        />
        {subject.ask === undefined ? null : (
          <Button variant="default" size="compact-xs" loading={asked.isPending} onClick={askNow}>
            {subject.isComputed === true ? t("Compute now") : t("Get value from host")}
          </Button>
        )}
        {wasAsked && missing.length > 0 ? (
          <span role="status" className="bad">
            {t("Enter values of {macros} first.", { macros: missing.join(", ") })}
          </span>
        ) : (
          <span role="status" className={failure === null ? "dim" : "bad"}>
            {failure === null ? taken : errorText(failure)}
          </span>
        )}
      </div>
      <Exchange lines={failure === null ? exchange : exchangeOf(failure)} />
      {functions.length === 0 ? null : (
        <dl className={classes["functions"]} aria-label={t("Results of the functions")}>
          {functions.map((it) => (
            <div key={it.text}>
              <dt className="mono">{it.text}</dt>
              <dd className={it.error === undefined ? "mono" : "bad"}>{it.error ?? it.value}</dd>
            </div>
          ))}
        </dl>
      )}
      {canFail ? (
        <Checkbox
          label={t("The value is the error of a check that failed")}
          checked={fields.isError}
          onChange={(event) => set({ isError: event.currentTarget.checked })}
        />
      ) : null}
      {needsPrevious ? (
        <Row>
          <TextInput
            label={t("Previous value")}
            placeholder={t("none: this is the first value")}
            classNames={{ input: "mono" }}
            value={fields.previous}
            onChange={(event) => set({ previous: event.currentTarget.value })}
          />
          <CheckedInput
            label={t("Time of the previous value")}
            value={fields.previousTime}
            check={checkTime}
            onChange={(previousTime) => set({ previousTime })}
          />
        </Row>
      ) : null}
    </>
  );
}

interface SampleButtonProps {
  readonly subject: TestSubject;
  readonly loading: boolean;
  readonly onTake: (sample: NonNullable<TestSubject["sample"]>) => void;
}

function SampleButton({ subject, loading, onTake }: SampleButtonProps) {
  const { sample } = subject;
  if (sample === undefined) return null;
  return (
    <Button
      variant="default"
      size="compact-xs"
      loading={loading}
      title={sample.isMaster ? "" : t("As stored: preprocessing was already applied.")}
      onClick={() => onTake(sample)}
    >
      {sample.isMaster ? t("Latest value of the master item") : t("Latest value of this item")}
    </Button>
  );
}

interface MacroFieldsProps {
  readonly macros: readonly string[];
  readonly typed: Typed;
  /** what stands where nothing is typed */
  readonly hint: (macro: string) => string;
  readonly onChange: (typed: Typed) => void;
}

function hintOf(macro: string, definitions: readonly MacroDefinition[] | undefined): string {
  if (macro.startsWith("{#")) return t("enter a value: it comes from low-level discovery");
  if (definitions === undefined) return "";
  const knowledge = macroKnowledge(macro, definitions);
  switch (knowledge.known) {
    case "value":
      return knowledge.value;
    case "secret":
      return t("secret: known to the server");
    case "byServer":
      return t("by context: known to the server");
    case "nothing":
      return t("not defined");
  }
}

function MacroFields({ macros, typed, hint, onChange }: MacroFieldsProps) {
  return (
    <fieldset className={classes["macros"]}>
      <legend>{t("Macros")}</legend>
      {macros.map((macro) => (
        <div key={macro} className={classes["macro"]}>
          <code className="ellipsis" title={macro}>
            {macro}
          </code>
          <TextInput
            aria-label={t("Value of {macro}", { macro })}
            placeholder={hint(macro)}
            value={typed[macro] ?? ""}
            onChange={(event) => {
              const { [macro]: _, ...rest } = typed;
              const value = event.currentTarget.value;
              onChange(value === "" ? rest : { ...rest, [macro]: value });
            }}
          />
        </div>
      ))}
    </fieldset>
  );
}
