import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { changed } from "@/api/changes";
import {
  fetchRule,
  fetchRulePrototypes,
  fetchRules,
  RULE_PROTOTYPES,
  RULES,
  type RuleDraft,
  type RulePrototypeDraft,
} from "@/api/discovery";
import { fetchGraphPrototypes } from "@/api/graphs";
import { executeNow, fetchItems } from "@/api/items";
import { fetchPrototypes, HOST_PROTOTYPES, type HostPrototypeDraft } from "@/api/prototypes";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { plural, t } from "@/lib/i18n";
import { notifyDone, notifyFailed } from "@/ui/notify";
import type { ObjectCalls } from "@/widgets/objects/calls";

export function useRules(ownerid: Id) {
  return useQuery({
    queryKey: keys.rulesOf(ownerid),
    queryFn: ({ signal }) => fetchRules(ownerid, signal),
    refetchInterval: 30_000,
  });
}

export function useRule(ruleid: Id) {
  return useQuery({
    queryKey: keys.rule(ruleid),
    queryFn: async ({ signal }) => (await fetchRule(ruleid, signal)) ?? null,
    enabled: ruleid !== "new",
  });
}

export function usePrototypes(ruleid: Id) {
  return useQuery({
    queryKey: keys.prototypes(ruleid),
    queryFn: ({ signal }) => fetchPrototypes(ruleid, signal),
  });
}

export function useRulePrototypes(ruleid: Id) {
  return useQuery({
    queryKey: keys.rulePrototypes(ruleid),
    queryFn: ({ signal }) => fetchRulePrototypes(ruleid, signal),
  });
}

export function useHostPrototype(hostid: Id | "new") {
  return useQuery({
    queryKey: keys.hostPrototype(hostid),
    queryFn: async ({ signal }) => (await HOST_PROTOTYPES.one(hostid, signal)) ?? null,
    enabled: hostid !== "new",
  });
}

export const hostPrototypeCalls = (): ObjectCalls<Partial<HostPrototypeDraft>> => ({
  ...HOST_PROTOTYPES,
  words: {
    one: t("Host prototype"),
    create: t("New host prototype"),
    remove: t("Delete host prototype"),
    loss: t("Hosts and groups created from it are also deleted."),
    absent: t("There is no such host prototype."),
    saved: t("Host prototype saved"),
    notRemoved: t("The host prototype could not be deleted."),
  },
  change: HOST_PROTOTYPES.object,
  create: (draft) => HOST_PROTOTYPES.create(draft as HostPrototypeDraft),
});

export function useGraphPrototypes(ruleid: Id) {
  return useQuery({
    queryKey: keys.graphPrototypes(ruleid),
    queryFn: ({ signal }) => fetchGraphPrototypes(ruleid, signal),
  });
}

/** Items that a dependent rule can take its data from; for a prototype also those of the rule above. */
export function useMasterItems(ownerid: Id, ruleid: Id | undefined) {
  return useQuery({
    queryKey: keys.masters(ownerid, ruleid),
    queryFn: async ({ signal }) => {
      const items = await fetchItems(ownerid, signal);
      if (ruleid === undefined) return items;
      const prototypes = await fetchPrototypes(ruleid, signal);
      return [...prototypes.items, ...items];
    },
  });
}

/** What is saved: a rule, or the prototype of one. */
type AnyRuleDraft = Partial<RuleDraft | RulePrototypeDraft>;

export const RULE_CALLS: ObjectCalls<AnyRuleDraft> = {
  object: "discoveryrule",
  words: {
    one: t("Discovery rule"),
    create: t("New discovery rule"),
    remove: t("Delete rule"),
    loss: t("Its prototypes and all discovered objects are also deleted."),
    absent: t("There is no such discovery rule."),
    saved: t("Discovery rule saved"),
    notRemoved: t("The rule could not be deleted."),
  },
  change: "discoveryrule",
  create: (draft) => RULES.create(draft as RuleDraft),
  update: RULES.update,
  remove: RULES.remove,
  created: () => ({ message: t("Discovery rule created: its prototypes are below") }),
};

export const RULE_PROTOTYPE_CALLS: ObjectCalls<AnyRuleDraft> = {
  ...RULE_CALLS,
  object: "discoveryruleprototype",
  words: { ...RULE_CALLS.words, one: t("Rule prototype"), create: t("New rule prototype") },
  create: (draft) => RULE_PROTOTYPES.create(draft as RulePrototypeDraft),
  update: RULE_PROTOTYPES.update,
  remove: RULE_PROTOTYPES.remove,
};

export function useExecution(onDone: () => void = () => undefined) {
  return useMutation({
    mutationFn: (ruleids: readonly Id[]) => executeNow(ruleids),
    onSuccess: (_, ruleids) => {
      notifyDone(
        plural(ruleids.length, "The discovery run was requested", "{n} discovery runs requested"),
      );
      onDone();
    },
    onError: (error) => notifyFailed(t("The discovery could not be requested."), error),
  });
}

/** What is done with the rules that are picked in a list. */
export function usePickedRules(onDone: () => void) {
  const client = useQueryClient();
  const done = (message: string) => {
    notifyDone(message);
    void changed(client, "discoveryrule");
    onDone();
  };
  const remove = useMutation({
    mutationFn: (ruleids: readonly Id[]) => RULES.remove(ruleids),
    onSuccess: () => done(t("Deleted")),
    onError: (error) => notifyFailed(t("The rules could not be deleted."), error),
  });
  const setStatus = useMutation({
    mutationFn: ({ ruleids, status }: { ruleids: readonly Id[]; status: 0 | 1 }) =>
      RULES.updateAll(ruleids, { status }),
    onSuccess: () => done(t("Rules updated")),
    onError: (error) => notifyFailed(t("The rules could not be changed."), error),
  });
  return { remove, setStatus, execute: useExecution(onDone) };
}
