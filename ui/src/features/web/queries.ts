import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { changed } from "@/api/changes";
import { executeNow } from "@/api/items";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import {
  fetchMonitoredScenarios,
  fetchWebResults,
  SCENARIOS as OBJECTS,
  type WebResult,
  type WebScenario,
} from "@/api/web";
import { t } from "@/lib/i18n";
import { notifyDone, notifyFailed } from "@/ui/notify";
import { callsOf } from "@/widgets/objects/calls";
import { useObject } from "@/widgets/objects/queries";

const REFRESH_MS = 10_000;

export interface WebRow {
  readonly scenario: WebScenario;
  readonly result: WebResult | undefined;
}

async function withResults(
  scenarios: readonly WebScenario[],
  signal: AbortSignal,
): Promise<readonly WebRow[]> {
  const results = await fetchWebResults(scenarios, signal);
  return scenarios.map((scenario) => ({ scenario, result: results.get(scenario.httptestid) }));
}

export function useScenarios(ownerid: Id) {
  return useQuery({
    queryKey: keys.webOf(ownerid),
    queryFn: async ({ signal }) =>
      withResults(await OBJECTS.get({ hostids: [ownerid] }, signal), signal),
    refetchInterval: REFRESH_MS,
  });
}

export function useMonitoredScenarios() {
  return useQuery({
    queryKey: keys.webMonitored,
    queryFn: async ({ signal }) => withResults(await fetchMonitoredScenarios(signal), signal),
    refetchInterval: REFRESH_MS,
  });
}

export const useScenario = (id: Id | "new") => useObject(OBJECTS, id);

export const SCENARIOS = callsOf(OBJECTS, {
  one: t("Web scenario"),
  create: t("New web scenario"),
  remove: t("Delete web scenario"),
  loss: t("Its items, their history and the triggers that use them are also deleted."),
  absent: t("There is no such web scenario."),
  saved: t("Web scenario saved"),
  notRemoved: t("The web scenario could not be deleted."),
});

export function useScenarioMutations(onDone: () => void) {
  const client = useQueryClient();
  const done = (message: string) => () => {
    notifyDone(message);
    void changed(client, "httptest");
    onDone();
  };
  const failed = (what: string) => (error: unknown) => notifyFailed(what, error);
  const remove = useMutation({
    mutationFn: OBJECTS.remove,
    onSuccess: done(t("Deleted")),
    onError: failed(t("The web scenarios could not be deleted.")),
  });
  const setStatus = useMutation({
    mutationFn: ({ ids, status }: { ids: readonly Id[]; status: string }) =>
      OBJECTS.updateAll(ids, { status }),
    onSuccess: done(t("Changed")),
    onError: failed(t("The web scenarios could not be changed.")),
  });
  const execute = useMutation({
    mutationFn: (ids: readonly Id[]) => executeNow(ids),
    onSuccess: done(t("Check requested")),
    onError: failed(t("The web scenarios could not be executed.")),
  });
  return { remove, setStatus, execute };
}
