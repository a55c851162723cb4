// Thresholds of the triggers that look at a graph's items, and the times of their problems.

import { useQuery } from "@tanstack/react-query";
import {
  fetchConstant,
  fetchTriggerChanges,
  fetchWatchingTriggers,
  type TriggerChange,
  type WatchingTrigger,
} from "@/api/graph-marks";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { nowSeconds, resolveRange, type TimeRange } from "@/lib/time";
import { constantValue, isMacro, thresholdOf } from "./thresholds";

export interface ThresholdLevel {
  readonly triggerid: Id;
  readonly itemid: Id;
  readonly name: string;
  readonly severity: number;
  readonly operator: string;
  readonly value: number;
}

export interface ProblemSpan {
  readonly from: number;
  readonly to: number;
  readonly triggerid: Id;
  readonly name: string;
  readonly severity: number;
}

// beyond that a graph is a comb
const LEVELS_MAX = 12;

/** Triggers of the items with the levels that they are held against. */
export function useWatching(itemids: readonly Id[], enabled: boolean) {
  return useQuery({
    queryKey: keys.thresholds(itemids),
    queryFn: async ({ signal }) => {
      const triggers = await fetchWatchingTriggers({ itemids }, signal);
      return { triggers, levels: await levelsOf(triggers, signal) };
    },
    enabled: enabled && itemids.length > 0,
    staleTime: 60_000,
  });
}

async function levelsOf(
  triggers: readonly WatchingTrigger[],
  signal: AbortSignal,
): Promise<readonly ThresholdLevel[]> {
  const simple = triggers.flatMap((trigger) => {
    const threshold = thresholdOf(trigger.expression);
    const [itemid, ...others] = trigger.itemids;
    if (threshold === undefined || itemid === undefined || others.length > 0) return [];
    return [{ trigger, threshold, itemid }];
  });
  const asked = new Map<string, Promise<number | undefined>>();
  const numberOf = (constant: string, hostid: Id): Promise<number | undefined> => {
    if (!isMacro(constant)) return Promise.resolve(constantValue(constant));
    const key = `${hostid} ${constant}`;
    const known = asked.get(key) ?? fetchConstant(hostid, constant, signal);
    asked.set(key, known);
    return known;
  };
  const levels = await Promise.all(
    simple.slice(0, LEVELS_MAX).map(async ({ trigger, threshold, itemid }) => {
      const value = await numberOf(threshold.constant, trigger.hostids[0] ?? "");
      if (value === undefined) return undefined;
      const { triggerid, name, severity } = trigger;
      return { triggerid, itemid, name, severity, operator: threshold.operator, value };
    }),
  );
  return levels.filter((it) => it !== undefined);
}

const NO_TRIGGERS: readonly WatchingTrigger[] = [];
const PROBLEMS_MS = 30_000;

/** Problems of the triggers within the range, in order of their beginning. */
export function useProblemSpans(
  triggers: readonly WatchingTrigger[] = NO_TRIGGERS,
  range: TimeRange,
) {
  const triggerids = triggers.map((it) => it.triggerid);
  const { live } = resolveRange(range, nowSeconds());
  return useQuery({
    queryKey: keys.problemSpans(triggerids, range.from, range.to),
    queryFn: async ({ signal }) => {
      const { from, to } = resolveRange(range, nowSeconds());
      const changes = await fetchTriggerChanges(triggerids, from, signal);
      return problemSpans(triggers, changes, from, to);
    },
    enabled: triggerids.length > 0,
    refetchInterval: live ? PROBLEMS_MS : false,
  });
}

/** `changes` are all since `from`, oldest first, also behind `to`: what ends there was there before. */
export function problemSpans(
  triggers: readonly WatchingTrigger[],
  changes: readonly TriggerChange[],
  from: number,
  to: number,
): readonly ProblemSpan[] {
  const byTrigger = new Map<Id, TriggerChange[]>();
  for (const change of changes) {
    const known = byTrigger.get(change.triggerid) ?? [];
    known.push(change);
    byTrigger.set(change.triggerid, known);
  }
  const spans = triggers.flatMap((trigger) =>
    spansOf(trigger, byTrigger.get(trigger.triggerid) ?? [], from, to),
  );
  return spans.sort((a, b) => a.from - b.from);
}

function spansOf(
  { triggerid, name, severity, hasProblem, lastchange }: WatchingTrigger,
  changes: readonly TriggerChange[],
  from: number,
  to: number,
): ProblemSpan[] {
  const first = changes[0];
  // nothing happened since: it is as it was
  const hadProblem = first === undefined ? hasProblem && lastchange <= from : !first.isProblem;
  const spans: ProblemSpan[] = [];
  let began = hadProblem ? from : undefined;
  const end = (at: number) => {
    if (began !== undefined && began < to) {
      spans.push({ from: began, to: Math.min(at, to), triggerid, name, severity });
    }
    began = undefined;
  };
  for (const { clock, isProblem } of changes) {
    if (isProblem) began ??= clock;
    else end(clock);
  }
  end(to);
  return spans;
}
