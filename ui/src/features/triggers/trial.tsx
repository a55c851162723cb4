// An expression tried before it is saved: on what is known now, and on stored history.

import { Button } from "@mantine/core";
import { IconHistory, IconPlayerPlay } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import type { TriggerTrial } from "@/api/testing";
import { checkExpression } from "@/lib/expression";
import { t } from "@/lib/i18n";
import type { Owner } from "@/lib/owner";
import { LoadingState } from "@/ui/states";
import { EvaluationPanel } from "./evaluation-panel";
import classes from "./trial.module.css";
import { closesByTag, type TriggerFields, tagsOf } from "./trigger-fields";

const BacktestPanel = lazy(() =>
  import("./backtest-panel").then((it) => ({ default: it.BacktestPanel })),
);

export interface TrialProps {
  readonly owner: Owner;
  readonly triggerid: string | undefined;
  readonly fields: TriggerFields;
  readonly onIncomplete: () => void;
}

type Opened = "evaluate" | "backtest" | undefined;

export function Trial({ owner, triggerid, fields, onIncomplete }: TrialProps) {
  const [opened, setOpened] = useState<Opened>(undefined);
  if (owner.kind === "template") {
    return (
      <p className="dim">
        {t("A template has no values: expressions are tested on a host that is linked to it.")}
      </p>
    );
  }
  const complete =
    checkExpression(fields.expression).ok &&
    (fields.recovery !== "own" || checkExpression(fields.recoveryExpression).ok) &&
    (!closesByTag(fields) || fields.correlationTag.trim() !== "");
  const trial: TriggerTrial = {
    hostid: owner.id,
    triggerid,
    expression: fields.expression.trim(),
    recoveryMode: { expression: 0, own: 1, none: 2 }[fields.recovery],
    recoveryExpression: fields.recovery === "own" ? fields.recoveryExpression.trim() : "",
    name: fields.name,
    multiple: fields.multiple,
    correlationTag: closesByTag(fields) ? fields.correlationTag.trim() : undefined,
    tags: tagsOf(fields),
  };
  const open = (what: Opened) => {
    if (!complete) onIncomplete();
    else setOpened(opened === what ? undefined : what);
  };
  return (
    <div className={classes["trial"]}>
      <div className={classes["buttons"]}>
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconPlayerPlay size={14} />}
          aria-expanded={opened === "evaluate"}
          onClick={() => open("evaluate")}
        >
          {t("Evaluate now")}
        </Button>
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconHistory size={14} />}
          aria-expanded={opened === "backtest"}
          onClick={() => open("backtest")}
        >
          {t("Backtest")}
        </Button>
      </div>
      {opened === "evaluate" ? <EvaluationPanel trial={trial} complete={complete} /> : null}
      {opened === "backtest" ? (
        <Suspense fallback={<LoadingState />}>
          <BacktestPanel trial={trial} complete={complete} />
        </Suspense>
      ) : null}
    </div>
  );
}
