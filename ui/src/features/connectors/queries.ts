import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { changed } from "@/api/changes";
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
import { notifyDone, notifyFailed } from "@/ui/notify";

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

export function useConnectorMutations(onDone: () => void) {
  const client = useQueryClient();
  const done = (message: string) => {
    notifyDone(message);
    void changed(client, "connector");
    onDone();
  };
  const save = useMutation({
    mutationFn: (change: { id: Id | undefined; draft: ConnectorDraft }): Promise<unknown> =>
      change.id === undefined
        ? createConnector(change.draft)
        : updateConnector(change.id, change.draft),
    onSuccess: () => done(t("Connector saved")),
  });
  const remove = useMutation({
    mutationFn: (ids: readonly Id[]) => deleteConnectors(ids),
    onSuccess: () => done(t("Deleted")),
    onError: (error) => notifyFailed(t("The connector could not be deleted."), error),
  });
  return { save, remove };
}
