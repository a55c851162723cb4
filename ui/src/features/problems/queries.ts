import { useMutation, useQuery } from "@tanstack/react-query";
import {
  ACKNOWLEDGE,
  type Acknowledgement,
  acknowledge,
  fetchEvent,
  fetchProblem,
  fetchTriggerEvents,
} from "@/api/events";
import { fetchValuedItems } from "@/api/items";
import { problemStore } from "@/api/problem-store";
import { keys } from "@/api/query-keys";
import { fetchTrigger } from "@/api/triggers";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { notifyFailed } from "@/ui/notify";

const EVENTS_SHOWN = 30;

export function useEvent(eventid: Id) {
  return useQuery({
    queryKey: keys.event(eventid),
    queryFn: async ({ signal }) => (await fetchEvent(eventid, signal)) ?? null,
  });
}

export function useTriggerOf(objectid: Id) {
  return useQuery({
    queryKey: keys.trigger(objectid),
    queryFn: async ({ signal }) => (await fetchTrigger(objectid, signal)) ?? null,
    enabled: objectid !== "",
  });
}

// values come by polling: the panel is open for minutes, and about few items
const VALUES_MS = 10_000;

/** What the trigger looks at. */
export function useTriggerItems(objectid: Id) {
  return useQuery({
    queryKey: keys.itemsOfTrigger(objectid),
    queryFn: ({ signal }) => fetchValuedItems({ triggerids: [objectid] }, signal),
    enabled: objectid !== "",
    refetchInterval: VALUES_MS,
  });
}

/** A problem that is not in the live list, such as one that ended long ago. */
export function usePastProblem(eventid: Id | undefined) {
  return useQuery({
    queryKey: keys.pastProblem(eventid ?? ""),
    queryFn: async ({ signal }) => (await fetchProblem(eventid ?? "", signal)) ?? null,
    enabled: eventid !== undefined,
  });
}

export function useTriggerEvents(objectid: Id) {
  return useQuery({
    queryKey: keys.eventsOfTrigger(objectid),
    queryFn: ({ signal }) => fetchTriggerEvents(objectid, EVENTS_SHOWN, signal),
    enabled: objectid !== "",
  });
}

export function useAcknowledge(onDone: () => void) {
  return useMutation({
    mutationFn: (update: Acknowledgement) => acknowledge(update),
    onMutate: ({ eventids, action }) => {
      if ((action & ACKNOWLEDGE.acknowledge) !== 0) {
        problemStore.patch(eventids, { acknowledged: true });
      }
      if ((action & ACKNOWLEDGE.unacknowledge) !== 0) {
        problemStore.patch(eventids, { acknowledged: false });
      }
    },
    onSuccess: onDone,
    onError: (error) => {
      problemStore.refresh();
      notifyFailed(t("The problems could not be updated."), error);
    },
  });
}
