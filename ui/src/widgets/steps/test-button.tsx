import { Button } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { t } from "@/lib/i18n";
import { asDialog } from "@/ui/dialog";
import type { StepDraft } from "./draft";
import type { TestSubject } from "./test-subject";

const TestDialog = asDialog(
  lazy(() => import("./test-dialog").then((it) => ({ default: it.TestDialog }))),
);

export interface TestButtonProps {
  readonly subject: TestSubject;
  readonly steps: readonly StepDraft[];
  /** steps that are not complete cannot be tested: says so instead */
  readonly complete: boolean;
  readonly onIncomplete: () => void;
}

export function TestButton({ subject, steps, complete, onIncomplete }: TestButtonProps) {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button
        variant="default"
        size="compact-xs"
        leftSection={<IconPlayerPlay size={13} />}
        onClick={() => (complete ? setOpened(true) : onIncomplete())}
      >
        {t("Test")}
      </Button>
      {opened ? (
        <Suspense fallback={null}>
          <TestDialog subject={subject} steps={steps} onClose={() => setOpened(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
