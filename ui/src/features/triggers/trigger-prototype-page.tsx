import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { Page } from "@/ui/page";
import { EmptyState, ObjectGate } from "@/ui/states";
import type { Owner } from "@/widgets/owner";
import { useTriggerPrototype } from "./queries";
import { TriggerForm } from "./trigger-form";

export interface TriggerPrototypePageProps {
  readonly owner: Owner;
  readonly triggerid: Id | "new";
  readonly onDone: () => void;
}

export function TriggerPrototypePage({ owner, triggerid, onDone }: TriggerPrototypePageProps) {
  const query = useTriggerPrototype(triggerid);
  if (triggerid === "new") {
    return (
      <Page title={t("New trigger prototype")} scroll>
        <TriggerForm owner={owner} trigger={undefined} isPrototype onDone={onDone} />
      </Page>
    );
  }
  return (
    <Page title={query.data?.description ?? t("Trigger prototype")} scroll>
      <ObjectGate
        query={query}
        absent={<EmptyState title={t("There is no such trigger prototype.")} />}
      >
        {(trigger) => (
          <TriggerForm
            key={triggerid}
            owner={owner}
            trigger={trigger}
            isPrototype
            onDone={onDone}
          />
        )}
      </ObjectGate>
    </Page>
  );
}
