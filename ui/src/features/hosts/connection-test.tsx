// Whether something answers at an interface, before anything is saved.

import { Button } from "@mantine/core";
import { IconPlugConnected } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { errorText } from "@/api/http";
import { exchangeOf, type GivenValue, tryInterface } from "@/api/testing";
import { sameDraft } from "@/lib/draft";
import { t } from "@/lib/i18n";
import { type InterfaceDraft, interfaceError } from "@/widgets/interfaces/interface-draft";
import { Exchange } from "@/widgets/steps/exchange";
import classes from "./hosts.module.css";
import { type TrialSubject, toTrial } from "./interface-trial";

export interface ConnectionTestProps {
  readonly subject: TrialSubject;
  readonly draft: InterfaceDraft;
  readonly n: number;
}

export function ConnectionTest({ subject, draft, n }: ConnectionTestProps) {
  const trial = useMutation({ mutationFn: tryInterface });
  const asked = toTrial(subject, draft);
  // an answer is of what was asked, not of what was typed since
  const isOfThis = sameDraft(trial.variables, asked);
  return (
    <div className={classes["trial"]}>
      <Button
        variant="default"
        size="compact-xs"
        leftSection={<IconPlugConnected size={13} />}
        aria-label={t("Test connection of interface {n}", { n })}
        disabled={interfaceError(draft) !== undefined}
        loading={trial.isPending}
        onClick={() => trial.mutate(asked)}
      >
        {t("Test connection")}
      </Button>
      {isOfThis ? <TrialResult result={trial.data} error={trial.error} /> : null}
      {isOfThis ? <Exchange lines={trial.data?.exchange ?? exchangeOf(trial.error)} /> : null}
    </div>
  );
}

export interface TrialResultProps {
  readonly result: GivenValue | undefined;
  readonly error: Error | null;
}

export function TrialResult({ result, error }: TrialResultProps) {
  return (
    <span aria-live="polite">
      {error !== null ? <span className="bad">{errorText(error)}</span> : null}
      {error === null && result?.isError === true ? (
        <span className="bad">{result.value}</span>
      ) : null}
      {error === null && result?.isError === false ? (
        <span className="ok">{t("Response: {value}", { value: result.value })}</span>
      ) : null}
    </span>
  );
}
