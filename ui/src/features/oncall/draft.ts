// An on-call schedule while it is edited: moments are written on the wall of the schedule's zone.

import { ONCALL_SCHEDULE } from "@/api/generated/oncall-schedule";
import type { OncallDraft, OncallSchedule, Override, Rotation } from "@/api/oncall";
import type { Id } from "@/api/types";
import { bad, type Check, checkName, OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import { nowSeconds } from "@/lib/time";
import { browserZone, isZone, midnightOf, minuteIn, parseIn, writtenIn } from "@/lib/zone";
import { type Keyed, keyed } from "@/widgets/keyed";

export const { HOURS, WEEKS } = ONCALL_SCHEDULE.fields.rotations.fields.unit.names;

export const UNITS = [t("Hours"), t("Days"), t("Weeks")] as const;
export const WEEKDAYS = [
  t("Monday"),
  t("Tuesday"),
  t("Wednesday"),
  t("Thursday"),
  t("Friday"),
  t("Saturday"),
  t("Sunday"),
] as const;

export interface Turn {
  readonly userid: Id;
}

export interface RotationFields {
  readonly name: string;
  readonly start: string;
  readonly length: string;
  readonly unit: string;
  readonly handover: string;
  readonly weekday: string;
  readonly period: string;
  readonly users: readonly Keyed<Turn>[];
}

export interface OverrideFields {
  readonly userid: Id;
  readonly from: string;
  readonly till: string;
}

export interface ScheduleFields {
  readonly name: string;
  readonly timezone: string;
  readonly description: string;
  readonly rotations: readonly Keyed<RotationFields>[];
  readonly overrides: readonly Keyed<OverrideFields>[];
  /** what "system" stands for */
  readonly serverZone: string;
}

/** The zone that dates are written in; while none is written, the server's. */
export function zoneOf({
  timezone,
  serverZone,
}: Pick<ScheduleFields, "timezone" | "serverZone">): string {
  const zone = timezone.trim();
  return zone !== "" && zone !== "system" && isZone(zone) ? zone : serverZone;
}

export function newTurn(): Keyed<Turn> {
  return keyed({ userid: "" });
}

export function newRotation(zone: string): Keyed<RotationFields> {
  return keyed({
    name: "",
    start: minuteIn(midnightOf(nowSeconds(), zone), zone),
    length: "1",
    unit: WEEKS,
    handover: "09:00",
    weekday: "1",
    period: "",
    users: [newTurn()],
  });
}

/** A day from now on. */
export function newOverride(zone: string): Keyed<OverrideFields> {
  const now = nowSeconds();
  return keyed({
    userid: "",
    from: minuteIn(now, zone),
    till: minuteIn(midnightOf(now, zone, 1), zone),
  });
}

export function fieldsOf(schedule: OncallSchedule | undefined, serverZone: string): ScheduleFields {
  if (schedule === undefined) {
    const timezone = browserZone();
    return {
      name: "",
      timezone,
      description: "",
      rotations: [newRotation(timezone)],
      overrides: [],
      serverZone,
    };
  }
  const zone = zoneOf({ timezone: schedule.timezone, serverZone });
  return {
    name: schedule.name,
    timezone: schedule.timezone,
    description: schedule.description,
    rotations: schedule.rotations.map((it) => rotationFields(it, zone)),
    overrides: schedule.overrides.map((it) => overrideFields(it, zone)),
    serverZone,
  };
}

function rotationFields(it: Rotation, zone: string): Keyed<RotationFields> {
  const users = it.users.map(({ userid }) => keyed({ userid }));
  return keyed({ ...it, start: written(it.start, zone), users });
}

function overrideFields(it: Override, zone: string): Keyed<OverrideFields> {
  return keyed({
    userid: it.userid,
    from: written(it.time_from, zone),
    till: written(it.time_till, zone),
  });
}

// what is read is saved as it was
function written(seconds: string, zone: string): string {
  return writtenIn(Number(seconds), zone);
}

export function draftOf(fields: ScheduleFields): OncallDraft {
  const zone = zoneOf(fields);
  const seconds = (text: string) => String(parseIn(text, zone) ?? 0);
  return {
    name: fields.name.trim(),
    timezone: fields.timezone.trim(),
    description: fields.description,
    rotations: fields.rotations.map(({ key: _, users, start, ...it }) => ({
      ...it,
      name: it.name.trim(),
      length: it.length.trim(),
      handover: it.handover.trim(),
      period: it.period.trim(),
      start: seconds(start),
      users: users.filter(({ userid }) => userid !== "").map(({ userid }) => ({ userid })),
    })),
    overrides: fields.overrides.map(({ userid, from, till }) => ({
      userid,
      time_from: seconds(from),
      time_till: seconds(till),
    })),
  };
}

export function checkZone(text: string): Check {
  const zone = text.trim();
  return zone === "system" || isZone(zone)
    ? OK
    : bad(t("enter a time zone such as Europe/Riga"), 0);
}

export function checkInstant(zone: string) {
  return (text: string): Check =>
    parseIn(text, zone) === undefined ? bad(t("enter a date such as 2026-01-31 08:00"), 0) : OK;
}

export function checkLength(text: string): Check {
  const ok = /^\d{1,4}$/.test(text.trim()) && 1 <= Number(text) && Number(text) <= 1000;
  return ok ? OK : bad(t("enter a number from 1 to 1000"), 0);
}

export function checkHandover(text: string): Check {
  return /^([01]\d|2[0-3]):[0-5]\d$/.test(text.trim())
    ? OK
    : bad(t("enter a time from 00:00 to 23:59"), 0);
}

const PERIOD = /^[1-7](-[1-7])?,\d{1,2}:\d\d-\d{1,2}:\d\d$/;

export function checkPeriod(text: string): Check {
  const ok = text.trim() === "" || text.split(";").every((it) => PERIOD.test(it.trim()));
  return ok ? OK : bad(t("enter times of the week such as 1-5,08:00-18:00"), 0);
}

export function overrideError(it: OverrideFields, zone: string): string | undefined {
  const [from, till] = [parseIn(it.from, zone), parseIn(it.till, zone)];
  if (it.userid === "") return t("a user is required");
  if (from === undefined || till === undefined) return t("enter both times");
  return from < till ? undefined : t("the end is before the start");
}

export function hasUsers({ users }: RotationFields): boolean {
  return users.some(({ userid }) => userid !== "");
}

function isRotationComplete(it: RotationFields, zone: string): boolean {
  return (
    checkName(it.name).ok &&
    checkInstant(zone)(it.start).ok &&
    checkLength(it.length).ok &&
    checkHandover(it.handover).ok &&
    checkPeriod(it.period).ok &&
    hasUsers(it)
  );
}

export function isComplete(fields: ScheduleFields): boolean {
  const zone = zoneOf(fields);
  return (
    checkName(fields.name).ok &&
    checkZone(fields.timezone).ok &&
    fields.rotations.length > 0 &&
    fields.rotations.every((it) => isRotationComplete(it, zone)) &&
    fields.overrides.every((it) => overrideError(it, zone) === undefined)
  );
}
