import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { fetchTriggerNames } from "@/api/actions";
import { fetchHostGroups } from "@/api/groups";
import { fetchHostNames } from "@/api/hosts";
import {
  createIconMap,
  createMap,
  deleteIconMaps,
  deleteMaps,
  fetchDrawnMap,
  fetchIconMap,
  fetchIconMaps,
  fetchImages,
  fetchMap,
  fetchMaps,
  fetchWritableMaps,
  type IconMapDraft,
  type MapDraft,
  type MapElement,
  updateIconMap,
  updateMap,
} from "@/api/maps";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import type { ObjectCalls } from "@/widgets/objects/calls";

// Zabbix asks twice a minute; who looks at a map waits for it to change
const REFRESH_MS = 5_000;

export function useMaps() {
  return useQuery({ queryKey: keys.mapList, queryFn: ({ signal }) => fetchMaps(signal) });
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
  return useQuery({
    queryKey: keys.map(sysmapid ?? "new"),
    queryFn: async ({ signal }) => (await fetchMap(sysmapid ?? "", signal)) ?? null,
    enabled: sysmapid !== undefined,
  });
}

export function useImages() {
  return useQuery({ queryKey: keys.images, queryFn: ({ signal }) => fetchImages(signal) });
}

export function useIconMaps() {
  return useQuery({ queryKey: keys.iconMapList, queryFn: ({ signal }) => fetchIconMaps(signal) });
}

export function useIconMap(iconmapid: Id | "new") {
  return useQuery({
    queryKey: keys.iconMap(iconmapid),
    queryFn: async ({ signal }) => (await fetchIconMap(iconmapid, signal)) ?? null,
    enabled: iconmapid !== "new",
  });
}

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
  object: "map",
  words: {
    one: t("Map"),
    create: t("New map"),
    remove: t("Delete map"),
    loss: t("It is removed from the maps and dashboards that show it."),
    absent: t("There is no such map."),
    saved: t("Map saved"),
    notRemoved: t("The map could not be deleted."),
  },
  change: "map",
  create: createMap,
  update: updateMap,
  remove: deleteMaps,
};

export const ICON_MAPS: ObjectCalls<IconMapDraft> = {
  object: "iconmap",
  words: {
    one: t("Icon map"),
    create: t("New icon map"),
    remove: t("Delete icon map"),
    loss: t("An icon map that a map uses is not deleted."),
    absent: t("There is no such icon map."),
    saved: t("Icon map saved"),
    notRemoved: t("The icon map could not be deleted."),
  },
  change: "iconMap",
  create: createIconMap,
  update: updateIconMap,
  remove: deleteIconMaps,
};
