// What became of the last run of a scenario, in a cell.

import { Tooltip } from "@mantine/core";
import type { WebResult, WebScenario } from "@/api/web";
import { t } from "@/lib/i18n";

export interface WebOutcomeProps {
  readonly scenario: WebScenario;
  readonly result: WebResult | undefined;
}

export function WebOutcome({ scenario, result }: WebOutcomeProps) {
  if (result !== undefined && result.refusal !== "") {
    return <Bad text={t("Not supported")} why={result.refusal} />;
  }
  if (result === undefined || result.clock === 0) {
    return <span className="dim">{t("Not yet run")}</span>;
  }
  if (result.failed === 0) return <span className="ok">{t("OK")}</span>;
  const step = scenario.steps[result.failed - 1];
  const name = step === undefined ? String(result.failed) : step.name;
  const text = t("Step {n} of {all} failed: {name}", {
    n: result.failed,
    all: scenario.steps.length,
    name,
  });
  return <Bad text={result.error === "" ? text : `${text}: ${result.error}`} why={result.error} />;
}

function Bad({ text, why }: { readonly text: string; readonly why: string }) {
  return (
    <Tooltip label={why === "" ? text : why} maw={420} multiline>
      <span className="bad ellipsis">{text}</span>
    </Tooltip>
  );
}

/** What rows are sorted by: those that failed first. */
export function outcomeOrder(result: WebResult | undefined): number {
  if (result === undefined || result.clock === 0) return 2;
  return result.failed === 0 && result.refusal === "" ? 1 : 0;
}
