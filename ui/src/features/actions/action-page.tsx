import { t } from "@/lib/i18n";
import { Page } from "@/ui/page";
import { EmptyState, QueryGate } from "@/ui/states";
import { ActionForm } from "./action-form";
import { useAction } from "./queries";

export interface ActionPageProps {
  readonly actionid: string;
  /** of a new one */
  readonly source: string;
  readonly onDone: () => void;
}

export function ActionPage({ actionid, source, onDone }: ActionPageProps) {
  const query = useAction(actionid);
  if (actionid === "new") {
    return (
      <Page title={t("New action")} scroll>
        <ActionForm key={source} action={undefined} source={source} onDone={onDone} />
      </Page>
    );
  }
  return (
    <Page title={query.data?.name ?? t("Action")} scroll>
      <QueryGate query={query}>
        {(action) =>
          action === null ? (
            <EmptyState title={t("There is no such action.")} />
          ) : (
            <ActionForm
              key={actionid}
              action={action}
              source={action.eventsource}
              onDone={onDone}
            />
          )
        }
      </QueryGate>
    </Page>
  );
}
