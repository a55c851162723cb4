import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { Page } from "@/ui/page";
import { EmptyState, ObjectGate } from "@/ui/states";
import { ChangeHistory } from "@/widgets/audit/change-history";
import { ObjectArea, useRightsOf } from "@/widgets/editable";
import type { Owner } from "@/widgets/owner";
import { useTrigger } from "./queries";
import { TriggerForm } from "./trigger-form";

export interface TriggerPageProps {
  readonly owner: Owner;
  readonly triggerid: Id | "new";
  readonly onDone: () => void;
}

export function TriggerPage({ owner, triggerid, onDone }: TriggerPageProps) {
  const query = useTrigger(triggerid);
  // asked alongside the trigger, not after it
  useRightsOf("trigger", triggerid);
  if (triggerid === "new") {
    return (
      <Page title={t("New trigger")} scroll>
        <TriggerForm owner={owner} trigger={undefined} onDone={onDone} />
      </Page>
    );
  }
  return (
    <Page
      title={query.data?.description ?? t("Trigger")}
      actions={<ChangeHistory kind="trigger" id={triggerid} />}
      scroll
    >
      <ObjectGate query={query} absent={<EmptyState title={t("There is no such trigger.")} />}>
        {(trigger) => (
          <ObjectArea kind="trigger" id={triggerid}>
            <TriggerForm key={triggerid} owner={owner} trigger={trigger} onDone={onDone} />
          </ObjectArea>
        )}
      </ObjectGate>
    </Page>
  );
}
