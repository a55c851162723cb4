// What a test of steps gave: a line for each step, and what would be stored.

import { Button } from "@mantine/core";
import { IconAlertTriangle, IconCheck, IconCircleMinus } from "@tabler/icons-react";
import type { StepResult, StepsTestResult } from "@/api/testing";
import { countText, t } from "@/lib/i18n";
import { valueTypeName } from "@/lib/item-types";
import { stepKind } from "@/lib/steps";
import { type StepDraft, toStep } from "./draft";
import classes from "./test-dialog.module.css";

export interface StepResultsProps {
  readonly steps: readonly StepDraft[];
  readonly results: readonly StepResult[];
  readonly busy: boolean;
  readonly onTest: (at: number) => void;
}

export function StepResults({ steps, results, busy, onTest }: StepResultsProps) {
  if (steps.length === 0) return <p className="dim">{t("No steps: the value is unchanged.")}</p>;
  return (
    <table className={classes["steps"]} aria-label={t("Results of the steps")}>
      <tbody>
        {steps.map((step, at) => (
          <tr key={step.key}>
            <th scope="row">
              <span className="dim">{at + 1}</span> {stepKind(step.type).name}
              <Params step={step} outcome={results[at]} />
            </th>
            <td aria-busy={busy}>
              <Outcome outcome={results[at]} />
            </td>
            <td className={classes["one"]}>
              <Button
                variant="subtle"
                size="compact-xs"
                disabled={busy}
                aria-label={t("Test step {n}", { n: at + 1 })}
                onClick={() => onTest(at)}
              >
                {t("Test")}
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** As they were used, macros resolved; before a test as they are written. */
function Params({ step, outcome }: ParamsProps) {
  const written = toStep(step).params;
  const used = (outcome?.params ?? written).trim();
  if (used === "") return null;
  return (
    <code className={classes["params"]} title={used === written ? used : `${written} → ${used}`}>
      {used}
    </code>
  );
}

interface ParamsProps {
  readonly step: StepDraft;
  readonly outcome: StepResult | undefined;
}

function Outcome({ outcome }: { readonly outcome: StepResult | undefined }) {
  if (outcome === undefined) return <span className="dim">–</span>;
  const { result, isDiscarded, error, action, failed } = outcome;
  if (error === undefined && result === undefined && !isDiscarded) {
    return <span className="dim">–</span>;
  }
  return (
    <>
      {error === undefined ? null : (
        <span className={classes["line"]} data-tone="bad">
          <IconAlertTriangle size={14} aria-hidden />
          <span>{error}</span>
        </span>
      )}
      {isDiscarded ? (
        <span className={classes["line"]}>
          <IconCircleMinus size={14} aria-hidden />{" "}
          {action === 1 ? t("on failure: discarded") : t("discarded")}
        </span>
      ) : null}
      {failed === undefined ? null : (
        <span className={classes["line"]}>
          {t("on failure, error set:")} <span className="bad">{failed}</span>
        </span>
      )}
      {result === undefined ? null : (
        <>
          {action === 2 ? <span className="dim">{t("on failure, value set:")}</span> : null}
          <ValueText value={result} />
        </>
      )}
    </>
  );
}

// what a browser lays out without a pause
const SHOWN_MAX = 20_000;

function ValueText({ value }: { readonly value: string }) {
  if (value === "") return <span className="dim">{t("(empty)")}</span>;
  const cut = value.length > SHOWN_MAX;
  return (
    <pre className={classes["value"]}>
      {cut ? `${value.slice(0, SHOWN_MAX)}…` : value}
      {cut ? (
        <span className="dim">
          {"\n"}
          {t("{n} characters in all", { n: countText(value.length) })}
        </span>
      ) : null}
    </pre>
  );
}

export interface EndResultProps {
  readonly result: StepsTestResult;
  readonly valueType: number;
}

export function EndResult({ result, valueType }: EndResultProps) {
  const type = valueTypeName(valueType);
  if (result.error !== undefined) {
    return (
      <div className={classes["end"]} data-tone="bad" role="alert">
        <strong>
          <IconAlertTriangle size={15} aria-hidden />{" "}
          {result.inPrevious
            ? t("The steps fail on the previous value.")
            : t("The item would become not supported.")}
        </strong>
        <span>{result.error}</span>
      </div>
    );
  }
  if (result.result === undefined) {
    return (
      <div className={classes["end"]} role="status">
        <strong>
          <IconCircleMinus size={15} aria-hidden /> {t("The value would be discarded.")}
        </strong>
      </div>
    );
  }
  return (
    <div className={classes["end"]} data-tone="ok" role="status">
      <strong>
        <IconCheck size={15} aria-hidden /> {t("Stored as {type}:", { type })}
      </strong>
      <ValueText value={result.result} />
    </div>
  );
}
