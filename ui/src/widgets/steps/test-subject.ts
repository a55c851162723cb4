// What steps are tested for, and where values for it come from.

import { useMutation, useQuery } from "@tanstack/react-query";
import { fetchHost } from "@/api/hosts";
import { fetchHistory } from "@/api/items";
import { fetchGlobalMacros, fetchInheritedMacros } from "@/api/macros";
import { keys } from "@/api/query-keys";
import { TEMPLATES } from "@/api/templates";
import {
  type Evaluated,
  type ExchangeLine,
  fetchGivenValue,
  type ItemToAsk,
  type StepsTest,
  testSteps,
} from "@/api/testing";
import type { Id } from "@/api/types";
import type { Owner } from "@/lib/owner";
import { macrosIn, textsIn } from "@/lib/steps";
import type { MacroDefinition } from "@/lib/user-macros";

/** An item whose stored values serve as samples. */
export interface Sample {
  readonly itemid: Id;
  readonly valueType: number;
  /** true: it is the master, whose values are what the steps get */
  readonly isMaster: boolean;
}

export interface TestSubject {
  readonly owner: Owner;
  /** kind of the value at the end; text for discovery rules */
  readonly valueType: number;
  readonly sample: Sample | undefined;
  /** what is asked for a value; undefined where nothing can be asked */
  readonly ask: ItemToAsk | undefined;
  /** true: it is computed from what is stored, no host is asked */
  readonly isComputed?: boolean;
  /** true: discovery gives macros of what is asked their values */
  readonly isPrototype?: boolean;
}

/** Definitions that hold for the owner, nearest first. */
export function useMacroDefinitions(owner: Owner, enabled: boolean) {
  return useQuery({
    queryKey: keys.macroDefinitions(owner.kind, owner.id),
    queryFn: async ({ signal }): Promise<readonly MacroDefinition[]> => {
      const holder =
        owner.kind === "host"
          ? await fetchHost(owner.id, signal)
          : await TEMPLATES.one(owner.id, signal);
      const linked = (holder?.parentTemplates ?? []).map((it) => it.templateid);
      const inherited = linked.length > 0 ? await fetchInheritedMacros(linked, signal) : [];
      return [...(holder?.macros ?? []), ...inherited, ...(await fetchGlobalMacros(signal))];
    },
    enabled,
  });
}

export interface SampleValue {
  readonly value: string;
  readonly isError: boolean;
  /** the value is longer than the part that is returned or stored */
  readonly isCut: boolean;
  /** seconds since the epoch */
  readonly clock: number;
  readonly previous: { readonly value: string; readonly clock: number } | undefined;
  /** what each function of a formula gave */
  readonly functions: readonly Evaluated[];
  /** what was said, of an item that was asked for */
  readonly exchange: readonly ExchangeLine[];
}

/** The latest value, with the one before where history has it. */
export function useSample(owner: Owner, onDone: (sample: SampleValue) => void) {
  return useMutation({
    mutationFn: async ({ itemid, valueType }: Sample): Promise<SampleValue> => {
      const latest = await fetchGivenValue({ hostid: owner.id, itemid, item: undefined }, "latest");
      const history = await fetchHistory(itemid, valueType, 2);
      const before = history.find((it) => Number(it.clock) < latest.clock);
      return {
        ...latest,
        previous:
          before === undefined ? undefined : { value: before.value, clock: Number(before.clock) },
      };
    },
    onSuccess: onDone,
  });
}

export function useItemValue(onDone: (sample: SampleValue) => void) {
  return useMutation({
    mutationFn: async (item: ItemToAsk): Promise<SampleValue> => ({
      ...(await fetchGivenValue(item, "host")),
      previous: undefined,
    }),
    onSuccess: onDone,
  });
}

export function useStepsTest() {
  return useMutation({ mutationFn: (test: StepsTest) => testSteps(test) });
}

/** Macros in what is asked that can have a value typed in, and those that need one. */
export function macrosOfRequest({ ask, isComputed, isPrototype }: TestSubject): {
  readonly all: readonly string[];
  readonly needed: readonly string[];
} {
  const isDiscovery = (macro: string) => macro.startsWith("{#");
  const found = macrosIn(textsIn(ask?.item));
  // elsewhere what looks like one stays as it is: scripts of rules make rows of them
  if (isPrototype !== true) return { all: found.filter((it) => !isDiscovery(it)), needed: [] };
  const { params: _, ...rest } = ask?.item ?? {};
  const withoutScript = isComputed === true ? ask?.item : rest;
  return { all: found, needed: macrosIn(textsIn(withoutScript)).filter(isDiscovery) };
}
