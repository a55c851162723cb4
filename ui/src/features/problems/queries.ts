import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef } from "react";
import { changed } from "@/api/changes";
import {
  ACKNOWLEDGE,
  type Acknowledgement,
  acknowledge,
  fetchEvent,
  fetchProblem,
  fetchTriggerEvents,
} from "@/api/events";
import { fetchGroupMembers, type GroupMembers } from "@/api/groups";
import { fetchValuedItems } from "@/api/items";
import { problemStore } from "@/api/problem-store";
import { keys } from "@/api/query-keys";
import { fetchShownTrigger } from "@/api/triggers";
import type { Id } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import { notifyDone, notifyFailed, notifyUndo } from "@/ui/notify";
import type { Undo } from "./undo";

const EVENTS_SHOWN = 30;
// hosts change their groups rarely
const GROUPS_MS = 60_000;
const NO_GROUPS: readonly GroupMembers[] = [];

/** Which hosts are in which group, once somebody wants to know. */
export function useGroups(wanted: boolean) {
  const client = useQueryClient();
  const { data, error } = useQuery({
    queryKey: keys.groupMembers,
    queryFn: ({ signal }) => fetchGroupMembers(signal),
    enabled: wanted,
    staleTime: GROUPS_MS,
    refetchInterval: GROUPS_MS,
  });
  const nameOf = useCallback(
    (groupid: Id) => data?.find((it) => it.groupid === groupid)?.name ?? groupid,
    [data],
  );
  /** for the callers that need them now */
  const fetched = useCallback(
    () =>
      client.ensureQueryData({
        queryKey: keys.groupMembers,
        queryFn: ({ signal }) => fetchGroupMembers(signal),
      }),
    [client],
  );
  return {
    groups: data ?? NO_GROUPS,
    nameOf,
    fetched,
    isReady: !wanted || data !== undefined || error !== null,
  };
}

export function useEvent(eventid: Id) {
  return useQuery({
    queryKey: keys.event(eventid),
    queryFn: async ({ signal }) => (await fetchEvent(eventid, signal)) ?? null,
  });
}

export function useTriggerOf(objectid: Id) {
  return useQuery({
    queryKey: keys.shownTrigger(objectid),
    queryFn: async ({ signal }) => (await fetchShownTrigger(objectid, signal)) ?? null,
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

export function useAcknowledge(onDone: (made: Acknowledgement) => void) {
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
    onSuccess: (_, made) => onDone(made),
    onError: (error) => {
      problemStore.refresh();
      notifyFailed(t("The problems could not be updated."), error);
    },
  });
}

// long enough to see what one has done
const UNDO_MS = 15_000;

/** The last update can be taken back for some seconds, by its notification or a key. */
export function useUndo() {
  const client = useQueryClient();
  const offered = useRef<{ readonly undo: Undo; readonly close: () => void } | undefined>(
    undefined,
  );
  useEffect(() => () => offered.current?.close(), []);
  const mutation = useMutation({
    // one after the other: the second may be about the same problem
    mutationFn: async ({ calls }: Undo) => {
      for (const it of calls) await acknowledge(it);
    },
    onSuccess: (_, { isPartial }) =>
      notifyDone(
        isPartial
          ? t("Undone, except messages, closed problems and earlier suppressions")
          : t("Undone"),
      ),
    onError: (error) => notifyFailed(t("The update could not be undone."), error),
    onSettled: () => {
      problemStore.refresh();
      void changed(client, "event");
    },
  });
  const run = () => {
    const it = offered.current;
    if (it === undefined) return;
    offered.current = undefined;
    it.close();
    mutation.mutate(it.undo);
  };
  const offer = (n: number, undo: Undo) => {
    offered.current?.close();
    offered.current = undefined;
    const done = plural(n, "Updated 1 problem", "Updated {n} problems");
    if (undo.calls.length === 0) {
      notifyDone(done);
      return;
    }
    const close = notifyUndo(done, UNDO_MS, run, () => {
      if (offered.current?.close === close) offered.current = undefined;
    });
    offered.current = { undo, close };
  };
  return { run, offer };
}
