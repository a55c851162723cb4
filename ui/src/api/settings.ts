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
