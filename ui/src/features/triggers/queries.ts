import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import {
  type BacktestProgress,
  type BacktestReport,
  type BacktestRun,
  backtest,
} from "@/api/backtest";
import { type Change, changed } from "@/api/changes";
import { fetchExpressionItems } from "@/api/items";
import { TRIGGER_PROTOTYPES, type TriggerPrototypeDraft } from "@/api/prototypes";
import { keys } from "@/api/query-keys";
import type { TriggerTrial } from "@/api/testing";
import { fetchTriggerPlaces, fetchTriggers, TRIGGERS, type TriggerDraft } from "@/api/triggers";
import type { Id } from "@/api/types";
import { itemsIn } from "@/lib/expression-items";
import { t } from "@/lib/i18n";
import { type Owner, ownerPath } from "@/lib/owner";
import { nowSeconds } from "@/lib/time";
import { notifyDone, notifyFailed } from "@/ui/notify";
import type { ObjectCalls, ObjectWords } from "@/widgets/objects/calls";
import type { SentTrigger } from "./trigger-fields";

export function useTriggers(ownerid: Id) {
  return useQuery({
    queryKey: keys.triggersOf(ownerid),
    queryFn: ({ signal }) => fetchTriggers(ownerid, signal),
    refetchInterval: 30_000,
  });
}

export function useTrigger(triggerid: Id) {
  return useQuery({
    queryKey: keys.trigger(triggerid),
    queryFn: async ({ signal }) => (await TRIGGERS.one(triggerid, signal)) ?? null,
    enabled: triggerid !== "new",
  });
}

/** The hosts of triggers that others depend on. */
export function useTriggerPlaces(triggerids: readonly Id[]) {
  return useQuery({
    queryKey: keys.triggerPlaces(triggerids),
    queryFn: ({ signal }) => fetchTriggerPlaces(triggerids, signal),
    enabled: triggerids.length > 0,
  });
}

export function useTriggerPrototype(triggerid: Id) {
  return useQuery({
    queryKey: keys.triggerPrototype(triggerid),
    queryFn: async ({ signal }) => (await TRIGGER_PROTOTYPES.one(triggerid, signal)) ?? null,
    enabled: triggerid !== "new",
  });
}

export const TRIGGER_WORDS: ObjectWords = {
  one: t("Trigger"),
  create: t("New trigger"),
  remove: t("Delete trigger"),
  loss: t("Its problems are also deleted."),
  absent: t("There is no such trigger."),
  saved: t("Trigger saved"),
  notRemoved: t("The trigger could not be deleted."),
};

export function triggerCalls(owner: Owner): ObjectCalls<SentTrigger> {
  return {
    object: "trigger",
    words: TRIGGER_WORDS,
    change: "trigger",
    create: (draft) => TRIGGERS.create(draft as TriggerDraft),
    update: TRIGGERS.update,
    remove: TRIGGERS.remove,
    created: (id, { description = id }) => ({
      message: t("Trigger created"),
      place: { path: ownerPath(owner, `triggers/${id}`), name: String(description) },
    }),
  };
}

export const PROTOTYPE_CALLS: ObjectCalls<SentTrigger> = {
  object: "triggerprototype",
  words: {
    one: t("Trigger prototype"),
    create: t("New trigger prototype"),
    remove: t("Delete trigger prototype"),
    loss: t("Objects discovered from it are also deleted."),
    absent: t("There is no such trigger prototype."),
    saved: t("Trigger prototype saved"),
    notRemoved: t("The trigger prototype could not be deleted."),
  },
  change: "triggerprototype",
  create: (draft) => TRIGGER_PROTOTYPES.create(draft as TriggerPrototypeDraft),
  update: TRIGGER_PROTOTYPES.update,
  remove: TRIGGER_PROTOTYPES.remove,
};

export function useTriggerMutations(onDone: () => void) {
  const client = useQueryClient();
  const done = (message: string, change: Change) => {
    notifyDone(message);
    void changed(client, change);
    onDone();
  };
  const remove = useMutation({
    mutationFn: (triggerids: readonly Id[]) => TRIGGERS.remove(triggerids),
    onSuccess: () => done(t("Deleted"), "trigger"),
    onError: (error) => notifyFailed(t("The triggers could not be deleted."), error),
  });
  const setStatus = useMutation({
    mutationFn: ({ triggerids, status }: { triggerids: readonly Id[]; status: 0 | 1 }) =>
      TRIGGERS.updateAll(triggerids, { status }),
    onSuccess: () => done(t("Triggers updated"), "triggerStatus"),
    onError: (error) => notifyFailed(t("The triggers could not be updated."), error),
  });
  return { remove, setStatus };
}

/** The items that a trigger's expressions name. */
export function useExpressionItems(trial: TriggerTrial) {
  const { expression, recoveryExpression } = trial;
  return useQuery({
    queryKey: keys.expressionItems(expression, recoveryExpression),
    queryFn: ({ signal }) =>
      fetchExpressionItems(itemsIn(`(${expression}) and (${recoveryExpression})`), signal),
    staleTime: 60_000,
  });
}

export type BacktestState =
  | { readonly state: "idle" | "cancelled" }
  | {
      readonly state: "running";
      readonly since: number;
      readonly progress: BacktestProgress | undefined;
    }
  | { readonly state: "failed"; readonly error: unknown }
  | { readonly state: "done"; readonly trial: TriggerTrial; readonly report: BacktestReport };

/** One run at a time; leaving the page ends it. */
export function useBacktest() {
  const [state, setState] = useState<BacktestState>({ state: "idle" });
  const current = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => current.current?.abort(), []);
  const run = useCallback((wanted: BacktestRun) => {
    current.current?.abort();
    const controller = new AbortController();
    current.current = controller;
    const since = nowSeconds();
    setState({ state: "running", since, progress: undefined });
    const onProgress = (progress: BacktestProgress) => {
      if (!controller.signal.aborted) setState({ state: "running", since, progress });
    };
    backtest(wanted, controller.signal, onProgress).then(
      (report) => {
        if (!controller.signal.aborted) setState({ state: "done", trial: wanted.trial, report });
      },
      (error: unknown) => {
        if (!controller.signal.aborted) setState({ state: "failed", error });
      },
    );
  }, []);
  const cancel = useCallback(() => {
    current.current?.abort();
    setState({ state: "cancelled" });
  }, []);
  return { state, run, cancel };
}
