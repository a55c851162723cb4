// What an expression gives now, with the values that it used.

import { Button } from "@mantine/core";
import { IconAlertTriangle, IconCheck, IconHelpCircle, IconRefresh } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { keys } from "@/api/query-keys";
import {
  type Evaluated,
  type EvaluatedFunction,
  type Evaluation,
  type ExpressionEvaluation,
  evaluateTrigger,
  type TriggerTrial,
} from "@/api/testing";
import { t } from "@/lib/i18n";
import { formatDateTime } from "@/lib/time";
import { tidyNumber } from "@/lib/units";
import { useFocusBack } from "@/ui/focus";
import { QueryGate } from "@/ui/states";
import { Truncated } from "@/ui/truncated";
import { ExpressionCode } from "@/widgets/expression-text";
import classes from "./trial.module.css";

export interface EvaluationPanelProps {
  readonly trial: TriggerTrial;
  readonly complete: boolean;
}

export function EvaluationPanel({ trial, complete }: EvaluationPanelProps) {
  const query = useQuery({
    queryKey: keys.evaluation(trial.hostid, trial.expression, trial.recoveryExpression),
    queryFn: ({ signal }) => evaluateTrigger(trial, signal),
    enabled: complete,
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  useFocusBack(query.isFetching);
  return (
    <section className={classes["panel"]} aria-label={t("Evaluation")}>
      {complete ? (
        <QueryGate query={query}>
          {(evaluation) => (
            <>
              <Verdicts evaluation={evaluation} />
              <div className={classes["buttons"]}>
                <Button
                  variant="subtle"
                  size="compact-xs"
                  leftSection={<IconRefresh size={13} />}
                  loading={query.isFetching}
                  onClick={() => void query.refetch()}
                >
                  {t("Evaluate again")}
                </Button>
                <span className="dim">
                  {t("as of {time}", { time: formatDateTime(evaluation.clock) })}
                </span>
              </div>
            </>
          )}
        </QueryGate>
      ) : (
        <p className="dim">{t("The expression is not complete.")}</p>
      )}
    </section>
  );
}

function Verdicts({ evaluation }: { readonly evaluation: Evaluation }) {
  const { problem, recovery, functions } = evaluation;
  return (
    <>
      <Verdict judges="problem" of={problem} />
      {recovery === undefined ? null : <Verdict judges="recovery" of={recovery} />}
      <Functions functions={functions} />
      <Parts of={problem} label={t("Parts of the expression")} />
      {recovery === undefined ? null : (
        <Parts of={recovery} label={t("Parts of the recovery expression")} />
      )}
    </>
  );
}

interface VerdictProps {
  readonly judges: "problem" | "recovery";
  readonly of: ExpressionEvaluation;
}

function Verdict({ judges, of: { value, error, isTrue } }: VerdictProps) {
  const name = judges === "problem" ? t("Expression") : t("Recovery expression");
  if (value === undefined || isTrue === undefined) {
    return (
      <p className={classes["verdict"]} data-tone="unknown" role="status">
        <IconHelpCircle size={16} aria-hidden />
        <strong>{t("{name}: unknown", { name })}</strong>
        <span>{error ?? t("the result {value} is not a number", { value: value ?? "" })}</span>
      </p>
    );
  }
  const isBad = isTrue && judges === "problem";
  const Icon = isBad ? IconAlertTriangle : IconCheck;
  return (
    <p className={classes["verdict"]} data-tone={isBad ? "bad" : "ok"} role="status">
      <Icon size={16} aria-hidden />
      <strong>{isTrue ? t("{name}: true", { name }) : t("{name}: false", { name })}</strong>
      {judges === "problem" ? (
        <span>{isTrue ? t("a problem would be created") : t("no problem")}</span>
      ) : (
        <span>
          {isTrue ? t("the problem would be resolved") : t("the problem would stay open")}
        </span>
      )}
      <span className="dim">{t("result {value}", { value: tidyNumber(value) })}</span>
    </p>
  );
}

function Functions({ functions }: { readonly functions: readonly EvaluatedFunction[] }) {
  if (functions.length === 0) return null;
  return (
    <table className={classes["terms"]} data-columns="fixed" aria-label={t("Functions")}>
      <thead>
        <tr>
          <th scope="col">{t("Function")}</th>
          <th scope="col">{t("Value")}</th>
          <th scope="col">{t("Newest values")}</th>
        </tr>
      </thead>
      <tbody>
        {functions.map((it) => (
          <tr key={it.text}>
            <td>
              <ExpressionCode text={it.text} />
              {it.item === undefined ? null : <div className="dim">{it.item}</div>}
            </td>
            <td>
              <ValueOrError of={it} />
            </td>
            <td className="dim">
              {it.values.map(({ clock, value }) => (
                <span key={clock} title={formatDateTime(clock)} className={classes["newest"]}>
                  <Truncated text={value} />
                </span>
              ))}
              {it.nValues > it.values.length ? t(" … {n} in all", { n: it.nValues }) : null}
              {it.values[0] === undefined ? null : (
                <div>{t("newest at {time}", { time: formatDateTime(it.values[0].clock) })}</div>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface PartsProps {
  readonly label: string;
  readonly of: ExpressionEvaluation;
}

function Parts({ label, of }: PartsProps) {
  if (of.parts.length === 0) return null;
  return (
    <table className={classes["terms"]} aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{label}</th>
          <th scope="col">{t("Value")}</th>
        </tr>
      </thead>
      <tbody>
        {of.parts.map((part, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same part may stand there twice
          <tr key={at}>
            <td>
              <ExpressionCode text={part.text} />
            </td>
            <td>
              <ValueOrError of={part} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function ValueOrError({ of }: { readonly of: Evaluated }) {
  if (of.error !== undefined) return <span className="bad">{of.error}</span>;
  const value = of.value ?? "–";
  return (
    <code>
      <Truncated text={tidyNumber(value)} whole={value} />
    </code>
  );
}
