import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ConnectorPage } from "@/features/connectors/connector-page";
import { ConnectorsPage } from "@/features/connectors/connectors-page";

export function ConnectorsRoute() {
  const { q = "" } = useSearch({ from: "/shell/connectors" });
  const navigate = useNavigate();
  return (
    <ConnectorsPage
      text={q}
      onText={(text) =>
        void navigate({ to: "/connectors", search: text === "" ? {} : { q: text }, replace: true })
      }
    />
  );
}

export function ConnectorRoute() {
  const { connectorid } = useParams({ from: "/shell/connectors/$connectorid" });
  const navigate = useNavigate();
  return (
    <ConnectorPage
      connectorid={connectorid}
      onDone={() => void navigate({ to: "/connectors", ignoreBlocker: true })}
    />
  );
}
