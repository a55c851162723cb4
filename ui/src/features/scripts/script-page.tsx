import { t } from "@/lib/i18n";
import { Page } from "@/ui/page";
import { EmptyState, QueryGate } from "@/ui/states";
import { useScript } from "./queries";
import { ScriptForm } from "./script-form";

export interface ScriptPageProps {
  readonly scriptid: string;
  readonly onDone: () => void;
}

export function ScriptPage({ scriptid, onDone }: ScriptPageProps) {
  const query = useScript(scriptid);
  if (scriptid === "new") {
    return (
      <Page title={t("New script")} scroll>
        <ScriptForm script={undefined} onDone={onDone} />
      </Page>
    );
  }
  return (
    <Page title={query.data?.name ?? t("Script")} scroll>
      <QueryGate query={query}>
        {(script) =>
          script === null ? (
            <EmptyState title={t("There is no such script.")} />
          ) : (
            <ScriptForm key={scriptid} script={script} onDone={onDone} />
          )
        }
      </QueryGate>
    </Page>
  );
}
