import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { fetchTriggerNames } from "@/api/actions";
import { fetchHostGroups } from "@/api/groups";
import { fetchHostNames } from "@/api/host-names";
import {
  fetchDrawnMap,
  fetchMaps,
  fetchWritableMaps,
  IMAGES,
  type MapDraft,
  type MapElement,
  ICON_MAPS as STORED_ICON_MAPS,
  MAPS as STORED_MAPS,
} from "@/api/maps";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { callsOf, type ObjectCalls } from "@/widgets/objects/calls";
import { useObject, useObjects } from "@/widgets/objects/queries";

// Zabbix asks twice a minute; who looks at a map waits for it to change
const REFRESH_MS = 5_000;

export function useMaps() {
  return useQuery({ queryKey: keys.mapRows, queryFn: ({ signal }) => fetchMaps(signal) });
}

export function useWritableMaps() {
  return useQuery({
    queryKey: keys.mapsWritable,
    queryFn: ({ signal }) => fetchWritableMaps(signal),
  });
}

/** A map with its states, again and again. */
export function useDrawnMap(sysmapid: Id, severityMin: number | undefined) {
  return useQuery({
    queryKey: keys.mapDrawn(sysmapid, severityMin),
    queryFn: ({ signal }) => fetchDrawnMap(sysmapid, severityMin, signal),
    refetchInterval: REFRESH_MS,
    // another severity of the same map
    placeholderData: (before) => (before?.sysmapid === sysmapid ? before : undefined),
  });
}

export function useMap(sysmapid: Id | undefined) {
  return useObject(STORED_MAPS, sysmapid ?? "new");
}

export const useImages = () => useObjects(IMAGES);
export const useIconMaps = () => useObjects(STORED_ICON_MAPS);
export const useIconMap = (iconmapid: Id) => useObject(STORED_ICON_MAPS, iconmapid);

/** What elements stand for, by name. */
export function useTargetNames(elements: readonly MapElement[]): (element: MapElement) => string {
  const ids = (field: "hostid" | "triggerid") =>
    [
      ...new Set(elements.flatMap((it) => it.elements.flatMap((target) => target[field] ?? []))),
    ].sort();
  const [hostids, triggerids] = [ids("hostid"), ids("triggerid")];
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
    enabled: elements.some(({ elementtype }) => elementtype === "3"),
  });
  const maps = useMaps();
  const names = new Map<string, string>([
    ...(hosts.data ?? []).map((it) => [`h${it.hostid}`, it.name] as const),
    ...(triggers.data ?? []).map((it) => [`t${it.id}`, it.name] as const),
    ...(groups.data ?? []).map((it) => [`g${it.groupid}`, it.name] as const),
    ...(maps.data ?? []).map((it) => [`m${it.sysmapid}`, it.name] as const),
  ]);
  return ({ elements: [first] }) => {
    if (first === undefined) return "";
    const key =
      first.hostid !== undefined
        ? `h${first.hostid}`
        : first.triggerid !== undefined
          ? `t${first.triggerid}`
          : first.groupid !== undefined
            ? `g${first.groupid}`
            : `m${first.sysmapid}`;
    return names.get(key) ?? "";
  };
}

export const MAPS: ObjectCalls<MapDraft> = {
  ...STORED_MAPS,
  words: {
    one: t("Map"),
    create: t("New map"),
    remove: t("Delete map"),
    loss: t("It is removed from the maps and dashboards that show it."),
    absent: t("There is no such map."),
    saved: t("Map saved"),
    notRemoved: t("The map could not be deleted."),
  },
  change: STORED_MAPS.object,
};

export const ICON_MAPS = callsOf(STORED_ICON_MAPS, {
  one: t("Icon map"),
  create: t("New icon map"),
  remove: t("Delete icon map"),
  loss: t("An icon map that a map uses is not deleted."),
  absent: t("There is no such icon map."),
  saved: t("Icon map saved"),
  notRemoved: t("The icon map could not be deleted."),
});
