// What the list and the calendar say of a maintenance at some moment.

import type { InEffect, Maintenance } from "@/api/maintenance";
import { t } from "@/lib/i18n";
import { instantOf, wallAt } from "@/lib/time";

export type MaintenanceState = "active" | "upcoming" | "expired";

export const STATE_NAMES: Readonly<Record<MaintenanceState, string>> = {
  active: t("Active"),
  upcoming: t("Upcoming"),
  expired: t("Expired"),
};

export function stateOf(
  { active_since, active_till }: Pick<Maintenance, "active_since" | "active_till">,
  now: number,
): MaintenanceState {
  if (now < Number(active_since)) return "upcoming";
  return now < Number(active_till) ? "active" : "expired";
}

export interface Occurrence {
  readonly since: number;
  readonly until: number;
}

/** What lies in a range, by maintenance. */
export function occurrencesOf(
  found: readonly InEffect[] | undefined,
): ReadonlyMap<string, readonly Occurrence[]> {
  return new Map(
    (found ?? []).map(({ maintenanceid, periods }) => [
      maintenanceid,
      periods.map(([since = 0, until = 0]) => ({ since, until })),
    ]),
  );
}

/** The one under way, or else the next one. */
export function nearest(
  all: readonly Occurrence[] | undefined,
  now: number,
): Occurrence | undefined {
  return all?.find(({ until }) => now < until);
}

/** Midnights where times are shown: days are not all of one length. */
export function midnights(now: number, back: number, n: number): readonly number[] {
  const { year, month, day } = wallAt(now);
  return Array.from({ length: n + 1 }, (_, at) => instantOf(year, month, day + at + back));
}

export function hostsText({ hosts, hostgroups }: Pick<Maintenance, "hosts" | "hostgroups">) {
  const names = [
    ...hostgroups.map(({ name }) => t("group {name}", { name })),
    ...hosts.map(({ name }) => name),
  ];
  const shown = names.slice(0, 3).join(", ");
  return names.length <= 3 ? shown : t("{shown} and {n} more", { shown, n: names.length - 3 });
}
