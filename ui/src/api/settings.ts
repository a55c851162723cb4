// General settings and housekeeping: one object each, of texts.

import * as z from "zod/mini";
import { call } from "./rpc";

export type SettingsKind = "settings" | "housekeeping";
export type SettingsValues = Readonly<Record<string, string>>;

const values: z.ZodMiniType<SettingsValues> = z.record(z.string(), z.string());
const names: z.ZodMiniType<readonly string[]> = z.array(z.string());

export async function fetchSettings(
  kind: SettingsKind,
  signal?: AbortSignal,
): Promise<SettingsValues> {
  return kind === "settings"
    ? call("settings.get", { output: "extend" }, values, signal)
    : call("housekeeping.get", { output: "extend" }, values, signal);
}

/** Only what is given changes. */
export async function updateSettings(kind: SettingsKind, changes: SettingsValues): Promise<void> {
  if (kind === "settings") await call("settings.update", changes, names);
  else await call("housekeeping.update", changes, names);
}

/** Where maps get their tiles. */
export interface Tiles {
  /** with `{z}`, `{x}`, `{y}` */
  readonly url: string;
  readonly attribution: string;
  readonly zoomMax: number;
}

// what Zabbix takes where nothing is said
const TILE_ZOOM_MAX = 18;

/** When people work, `1-5,09:00-18:00`. */
export async function fetchWorkPeriod(signal?: AbortSignal): Promise<string> {
  const found = await call("settings.get", { output: ["work_period"] }, values, signal);
  return found["work_period"] ?? "";
}

/** The zone of pages of users who chose none; undefined: each one's browser's. */
export async function fetchDefaultZone(signal?: AbortSignal): Promise<string | undefined> {
  const found = await call("settings.get", { output: ["default_timezone"] }, values, signal);
  const zone = found["default_timezone"] ?? "";
  return ["", "system", "default"].includes(zone) ? undefined : zone;
}

/** Null: no tiles are requested. A provider given by name is ignored: it is a default, not a choice. */
export async function fetchTiles(signal?: AbortSignal): Promise<Tiles | null> {
  const output = [
    "geomaps_tile_provider",
    "geomaps_tile_url",
    "geomaps_attribution",
    "geomaps_max_zoom",
  ] as const;
  const found = await call("settings.get", { output: [...output] }, values, signal);
  const url = found["geomaps_tile_url"] ?? "";
  if (url === "" || found["geomaps_tile_provider"] !== "") return null;
  return {
    url,
    // Zabbix has HTML in it
    attribution: (found["geomaps_attribution"] ?? "").replace(/<[^>]*>/g, ""),
    zoomMax: Number(found["geomaps_max_zoom"]) || TILE_ZOOM_MAX,
  };
}
