import { ObjectPage } from "@/widgets/objects/object-page";
import { ConnectorForm } from "./connector-form";
import { CONNECTORS, useConnector } from "./queries";

export interface ConnectorPageProps {
  readonly connectorid: string;
  readonly onDone: () => void;
}

export function ConnectorPage({ connectorid, onDone }: ConnectorPageProps) {
  return (
    <ObjectPage
      id={connectorid}
      audited="connector"
      words={CONNECTORS.words}
      query={useConnector(connectorid)}
    >
      {(connector) => <ConnectorForm key={connectorid} connector={connector} onDone={onDone} />}
    </ObjectPage>
  );
}
