// A preprocessing step while it is edited.

import type { PreprocessingStep } from "@/api/types";
import { newParams, paramsOf, type StepText, stepKind, textOfParams } from "@/lib/steps";
import { type Keyed, keyed } from "@/widgets/keyed";

export type StepDraft = Keyed<StepText>;

const REGULAR_EXPRESSION = "5";

export function newStep(): StepDraft {
  return ofKind(keyed({ type: "", params: [], onFail: "0", onFailParams: "" }), REGULAR_EXPRESSION);
}

/** The step turned into another kind: what happens on failure stays where that kind can do so. */
export function ofKind(step: StepDraft, type: string): StepDraft {
  const { onFail } = stepKind(type);
  const kept = onFail.find((it) => it === step.onFail) ?? onFail[0] ?? "0";
  return { ...step, type, params: newParams(type), onFail: kept };
}

/** Kinds that cannot fail have no `error_handler`. */
type StoredStep = Omit<PreprocessingStep, "error_handler"> & {
  readonly error_handler?: string | undefined;
};

export function stepOf(step: StoredStep): StepDraft {
  return keyed({
    type: step.type,
    params: paramsOf(step.type, step.params),
    onFail: step.error_handler ?? "0",
    onFailParams: step.error_handler_params,
  });
}

export function toStep(step: StepDraft): PreprocessingStep {
  const sets = step.onFail === "2" || step.onFail === "3";
  return {
    type: step.type,
    params: textOfParams(step.type, step.params),
    error_handler: step.onFail,
    error_handler_params: sets ? step.onFailParams : "",
  };
}
