import { useMutation, useQuery } from "@tanstack/react-query";
import {
  ACKNOWLEDGE,
  type Acknowledgement,
  acknowledge,
  fetchEvent,
  fetchTriggerEvents,
} from "@/api/events";
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
