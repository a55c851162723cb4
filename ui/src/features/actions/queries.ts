import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { fetchOperationScripts, fetchTriggerNames, ACTIONS as OBJECTS } from "@/api/actions";
import { fetchHostGroups } from "@/api/groups";
import { fetchHostNames } from "@/api/host-names";
import { fetchMediaTypeNames } from "@/api/media";
import { NETWORK_RULES, type NetworkRule } from "@/api/network-discovery";
import { SCHEDULES } from "@/api/oncall";
import { keys, objectKeys } from "@/api/query-keys";
import { fetchServices } from "@/api/services";
import { fetchTemplateIndex } from "@/api/templates";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { useUserGroupNames, useUserNames } from "@/widgets/names";
import { checkName } from "@/widgets/network-checks";
import { callsOf } from "@/widgets/objects/calls";
import { useObject, useObjects } from "@/widgets/objects/queries";
import type { NamedKind, NameOf } from "./conditions";
import type { ActionFields } from "./draft";

export const useActions = () => useObjects(OBJECTS);

export const useAction = (id: Id) => useObject(OBJECTS, id);

export const ACTIONS = callsOf(OBJECTS, {
  one: t("Action"),
  create: t("New action"),
  remove: t("Delete action"),
  loss: t("Its escalations end without a notification."),
  absent: t("There is no such action."),
  saved: t("Action saved"),
  notRemoved: t("The action could not be deleted."),
});

export function useMediaTypeNames() {
  return useQuery({
    queryKey: keys.mediaTypeNames,
    queryFn: ({ signal }) => fetchMediaTypeNames(signal),
  });
}

export function useScriptNames() {
  return useQuery({
    queryKey: keys.operationScripts,
    queryFn: ({ signal }) => fetchOperationScripts(signal),
  });
}

export function useScheduleNames() {
  return useQuery({
    queryKey: objectKeys(SCHEDULES.object).list,
    queryFn: ({ signal }) => SCHEDULES.list(signal),
    select: (all) => all.map(({ oncallid, name }) => ({ id: oncallid, name })),
  });
}

function useServiceNames(isAsked: boolean) {
  return useQuery({
    queryKey: keys.serviceRows,
    queryFn: ({ signal }) => fetchServices(signal),
    enabled: isAsked,
  });
}

export function useServiceChoices() {
  const { data } = useServiceNames(true);
  return (data ?? []).map(({ serviceid, name }) => ({ value: serviceid, label: name }));
}

function useNetworkRules(isAsked: boolean) {
  return useQuery({
    queryKey: objectKeys(NETWORK_RULES.object).list,
    queryFn: ({ signal }) => NETWORK_RULES.list(signal),
    enabled: isAsked,
  });
}

/** Rules of network discovery, and their checks with the rule's name. */
export function useNetworkChoices() {
  const { data } = useNetworkRules(true);
  return {
    rules: (data ?? []).map(({ druleid, name }) => ({ value: druleid, label: name })),
    checks: (data ?? []).flatMap(checkChoices),
  };
}

function checkChoices({ name, dchecks }: NetworkRule) {
  return dchecks.map((it) => ({ value: it.dcheckid, label: `${name}: ${checkName(it)}` }));
}

type Parts = Pick<
  ActionFields,
  "conditions" | "operations" | "recovery_operations" | "update_operations"
>;

function idsOf(actions: readonly Parts[], code: string): readonly Id[] {
  const values = actions.flatMap(({ conditions }) =>
    conditions.filter((it) => it.conditiontype === code && it.value !== "").map((it) => it.value),
  );
  return [...new Set(values)].sort();
}

/** Names of all that actions have by id. Missing or inaccessible objects are shown by their id. */
export function useNames(actions: readonly Parts[]): NameOf {
  const hostids = idsOf(actions, "1");
  const triggerids = idsOf(actions, "2");
  const hosts = useQuery({
    queryKey: keys.hostNamesOf(hostids),
    queryFn: ({ signal }) => fetchHostNames(hostids, signal),
    enabled: hostids.length > 0,
    placeholderData: keepPreviousData,
  });
  const triggers = useQuery({
    queryKey: keys.triggerNamesOf(triggerids),
    queryFn: ({ signal }) => fetchTriggerNames(triggerids, signal),
    enabled: triggerids.length > 0,
    placeholderData: keepPreviousData,
  });
  const groups = useQuery({
    queryKey: keys.hostGroups,
    queryFn: ({ signal }) => fetchHostGroups(signal),
  });
  const templates = useQuery({
    queryKey: keys.templateIndex,
    queryFn: ({ signal }) => fetchTemplateIndex(signal),
  });
  const services = useServiceNames(idsOf(actions, "27").length > 0);
  const networks = useNetworkRules(
    idsOf(actions, "18").length > 0 || idsOf(actions, "19").length > 0,
  );
  const users = useUserNames();
  const userGroups = useUserGroupNames();
  const mediaTypes = useMediaTypeNames();
  const scripts = useScriptNames();
  const schedules = useScheduleNames();
  return useMemo(() => {
    const names: Readonly<Record<NamedKind, ReadonlyMap<Id, string>>> = {
      host: new Map(hosts.data?.map((it) => [it.hostid, it.name])),
      trigger: new Map(triggers.data?.map((it) => [it.id, it.name])),
      hostGroup: new Map(groups.data?.map((it) => [it.groupid, it.name])),
      template: new Map(templates.data?.map((it) => [it.templateid, it.name])),
      service: new Map(services.data?.map((it) => [it.serviceid, it.name])),
      networkRule: new Map(networks.data?.map((it) => [it.druleid, it.name])),
      networkCheck: new Map(networks.data?.flatMap(checkChoices).map((it) => [it.value, it.label])),
      user: new Map(users.data?.map((it) => [it.id, it.name])),
      userGroup: new Map(userGroups.data?.map((it) => [it.id, it.name])),
      mediaType: new Map(mediaTypes.data?.map((it) => [it.mediatypeid, it.name])),
      script: new Map(scripts.data?.map((it) => [it.id, it.name])),
      schedule: new Map(schedules.data?.map((it) => [it.id, it.name])),
    };
    return (kind: NamedKind, id: string) => names[kind].get(id) ?? `#${id}`;
  }, [
    hosts.data,
    triggers.data,
    groups.data,
    templates.data,
    services.data,
    networks.data,
    users.data,
    userGroups.data,
    mediaTypes.data,
    scripts.data,
    schedules.data,
  ]);
}
