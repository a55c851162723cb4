import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { changed } from "@/api/changes";
import {
  createSchedule,
  deleteSchedules,
  fetchOnCall,
  fetchSchedule,
  fetchSchedules,
  type OncallDraft,
  type OncallSchedule,
  type Override,
  updateSchedule,
} from "@/api/oncall";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { notifyDone } from "@/ui/notify";
import type { ObjectCalls } from "@/widgets/objects/calls";

// shifts begin at whole minutes
const REFRESH_MS = 60_000;

export function useSchedules() {
  return useQuery({ queryKey: keys.oncallList, queryFn: ({ signal }) => fetchSchedules(signal) });
}

export function useSchedule(id: Id | "new") {
  return useQuery({
    queryKey: keys.oncallSchedule(id),
    queryFn: async ({ signal }) => (await fetchSchedule(id, signal)) ?? null,
    enabled: id !== "new",
  });
}

/** Of one schedule, or of all. */
export function useOnCall(id: Id | undefined, from: number, till: number) {
  return useQuery({
    queryKey: keys.onCall(id, from, till),
    queryFn: ({ signal }) => fetchOnCall(id === undefined ? undefined : [id], from, till, signal),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
}

export const SCHEDULES: ObjectCalls<OncallDraft> = {
  object: "oncall",
  words: {
    one: t("On-call schedule"),
    create: t("New on-call schedule"),
    remove: t("Delete schedule"),
    loss: t("Actions can no longer use it."),
    absent: t("There is no such on-call schedule."),
    saved: t("On-call schedule saved"),
    notRemoved: t("The on-call schedule could not be deleted."),
  },
  change: "oncall",
  create: createSchedule,
  update: updateSchedule,
  remove: deleteSchedules,
};

/** The last override in the list decides: the new one comes last. */
export function useOverride(schedule: OncallSchedule, onDone: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (override: Override) => {
      // with those that others have added meanwhile
      const { overrides } = (await fetchSchedule(schedule.oncallid)) ?? schedule;
      await updateSchedule(schedule.oncallid, { overrides: [...overrides, override] });
    },
    onSuccess: () => {
      notifyDone(t("Override saved"));
      void changed(client, "oncall");
      onDone();
    },
  });
}
