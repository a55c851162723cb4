import { t } from "@/lib/i18n";
import { Page } from "@/ui/page";
import { EmptyState, QueryGate } from "@/ui/states";
import { ConnectorForm } from "./connector-form";
import { useConnector } from "./queries";

export interface ConnectorPageProps {
  readonly connectorid: string;
  readonly onDone: () => void;
}

export function ConnectorPage({ connectorid, onDone }: ConnectorPageProps) {
  const query = useConnector(connectorid);
  if (connectorid === "new") {
    return (
      <Page title={t("New connector")} scroll>
        <ConnectorForm connector={undefined} onDone={onDone} />
      </Page>
    );
  }
  return (
    <Page title={query.data?.name ?? t("Connector")} scroll>
      <QueryGate query={query}>
        {(connector) =>
          connector === null ? (
            <EmptyState title={t("There is no such connector.")} />
          ) : (
            <ConnectorForm key={connectorid} connector={connector} onDone={onDone} />
          )
        }
      </QueryGate>
    </Page>
  );
}
