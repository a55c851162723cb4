import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { changed } from "@/api/changes";
import {
  fetchOnCall,
  SCHEDULES as OBJECTS,
  type OncallSchedule,
  type Override,
} from "@/api/oncall";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { notifyDone } from "@/ui/notify";
import { callsOf } from "@/widgets/objects/calls";
import { useObject, useObjects } from "@/widgets/objects/queries";

// shifts begin at whole minutes
const REFRESH_MS = 60_000;

export const useSchedules = () => useObjects(OBJECTS);

export const useSchedule = (id: Id) => useObject(OBJECTS, id);

/** Of one schedule, or of all. */
export function useOnCall(id: Id | undefined, from: number, till: number) {
  return useQuery({
    queryKey: keys.onCall(id, from, till),
    queryFn: ({ signal }) => fetchOnCall(id === undefined ? undefined : [id], from, till, signal),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
}

export const SCHEDULES = callsOf(OBJECTS, {
  one: t("On-call schedule"),
  create: t("New on-call schedule"),
  remove: t("Delete schedule"),
  loss: t("Actions can no longer use it."),
  absent: t("There is no such on-call schedule."),
  saved: t("On-call schedule saved"),
  notRemoved: t("The on-call schedule could not be deleted."),
});

/** The last override in the list decides: the new one comes last. */
export function useOverride(schedule: OncallSchedule, onDone: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (override: Override) => {
      // with those that others have added meanwhile
      const { overrides } = (await OBJECTS.one(schedule.oncallid)) ?? schedule;
      await OBJECTS.update(schedule.oncallid, { overrides: [...overrides, override] });
    },
    onSuccess: () => {
      notifyDone(t("Override saved"));
      void changed(client, "oncall");
      onDone();
    },
  });
}
