import { useQuery } from "@tanstack/react-query";
import {
  type ConnectorDraft,
  createConnector,
  deleteConnectors,
  fetchConnector,
  fetchConnectors,
  updateConnector,
} from "@/api/connectors";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import type { ObjectCalls } from "@/widgets/objects/calls";

export function useConnectors() {
  return useQuery({
    queryKey: keys.connectorList,
    queryFn: ({ signal }) => fetchConnectors(signal),
  });
}

export function useConnector(connectorid: Id | "new") {
  return useQuery({
    queryKey: keys.connector(connectorid),
    queryFn: async ({ signal }) => (await fetchConnector(connectorid, signal)) ?? null,
    enabled: connectorid !== "new",
  });
}

export const CONNECTORS: ObjectCalls<ConnectorDraft> = {
  object: "connector",
  words: {
    one: t("Connector"),
    create: t("New connector"),
    remove: t("Delete connector"),
    loss: t("Data not yet sent is discarded."),
    absent: t("There is no such connector."),
    saved: t("Connector saved"),
    notRemoved: t("The connector could not be deleted."),
  },
  change: "connector",
  create: createConnector,
  update: updateConnector,
  remove: deleteConnectors,
};
