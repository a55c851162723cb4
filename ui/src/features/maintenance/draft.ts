// A maintenance while it is edited: times as people write them, sets of days and months as lists.

import type { Maintenance, MaintenanceDraft, MaintenanceTag, TimePeriod } from "@/api/maintenance";
import type { Id } from "@/api/types";
import { bad, type Check, checkName, OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import { nowSeconds, parseTime } from "@/lib/time";
import { minuteIn, parseIn, writtenIn } from "@/lib/zone";
import { type Keyed, keyed } from "@/widgets/keyed";

const DAY = 86_400;
const PERIOD_MIN = 300;

export const KINDS = [
  { value: "0", label: t("Once") },
  { value: "2", label: t("Daily") },
  { value: "3", label: t("Weekly") },
  { value: "4", label: t("Monthly") },
] as const;

export const WEEKDAYS = [
  t("Mon"),
  t("Tue"),
  t("Wed"),
  t("Thu"),
  t("Fri"),
  t("Sat"),
  t("Sun"),
] as const;

export const MONTHS = [
  t("Jan"),
  t("Feb"),
  t("Mar"),
  t("Apr"),
  t("May"),
  t("Jun"),
  t("Jul"),
  t("Aug"),
  t("Sep"),
  t("Oct"),
  t("Nov"),
  t("Dec"),
] as const;

export const NTHS = [t("first"), t("second"), t("third"), t("fourth"), t("last")] as const;

export interface PeriodFields {
  readonly kind: string;
  /** once: when it begins */
  readonly start: string;
  /** 09:30 */
  readonly time: string;
  /** as 2h or 90m */
  readonly length: string;
  /** daily and weekly */
  readonly every: string;
  /** from 0, Monday */
  readonly weekdays: readonly number[];
  /** from 0, January */
  readonly months: readonly number[];
  /** monthly: on a day of the month, or on weekdays */
  readonly by: "day" | "weekday";
  readonly day: string;
  /** 1 to 4; 5 the last one */
  readonly nth: string;
}

/** All times of the form are in one time zone: the server's, which goes by it. */
export interface MaintenanceFields {
  readonly zone: string;
  readonly name: string;
  readonly description: string;
  readonly since: string;
  readonly till: string;
  /** Or no values are taken meanwhile. */
  readonly withData: boolean;
  readonly hosts: readonly Id[];
  readonly groups: readonly Id[];
  readonly evaltype: string;
  readonly tags: readonly Keyed<MaintenanceTag>[];
  readonly periods: readonly Keyed<PeriodFields>[];
}

function bitsOf(set: number, n: number): readonly number[] {
  return Array.from({ length: n }, (_, at) => at).filter((at) => (set & (1 << at)) !== 0);
}

function setOf(bits: readonly number[]): string {
  return String(bits.reduce((sum, at) => sum | (1 << at), 0));
}

const UNITS = [
  ["w", 7 * DAY],
  ["d", DAY],
  ["h", 3_600],
  ["m", 60],
] as const;

/** 5400 is 90m, 7200 is 2h. */
export function lengthText(seconds: number): string {
  const unit = UNITS.find(([, length]) => seconds >= length && seconds % length === 0);
  return unit === undefined ? `${seconds}s` : `${seconds / unit[1]}${unit[0]}`;
}

/** Undefined: it is not written as lengths are. */
export function lengthSeconds(text: string): number | undefined {
  const [, n, name] = /^(\d{1,6})([wdhm])$/.exec(text.trim()) ?? [];
  const unit = UNITS.find(([letter]) => letter === name);
  return unit === undefined ? undefined : Number(n) * unit[1];
}

/** Undefined: it is no time of the day. */
export function timeSeconds(text: string): number | undefined {
  const [, hours, minutes] = /^(\d{1,2}):(\d{2})$/.exec(text.trim()) ?? [];
  if (hours === undefined || 23 < Number(hours) || 59 < Number(minutes)) return undefined;
  return Number(hours) * 3_600 + Number(minutes) * 60;
}

function timeText(seconds: number): string {
  const two = (n: number) => String(n).padStart(2, "0");
  return `${two(Math.floor(seconds / 3_600))}:${two(Math.floor((seconds % 3_600) / 60))}`;
}

/** `start` is proposed where a period becomes one that is not repeated. */
export function newPeriod(start: string): Keyed<PeriodFields> {
  return keyed({
    kind: "0",
    start,
    time: "23:00",
    length: "1h",
    every: "1",
    weekdays: [6],
    months: MONTHS.map((_, at) => at),
    by: "day" as const,
    day: "1",
    nth: "1",
  });
}

export function periodOf(period: TimePeriod, zone: string, since: string): PeriodFields {
  const usual = newPeriod(since);
  const kind = period.timeperiod_type;
  const isByDay = period.day !== "0" || kind !== "4";
  return {
    ...usual,
    kind,
    start: kind === "0" ? writtenIn(Number(period.start_date), zone) : usual.start,
    time: kind === "0" ? usual.time : timeText(Number(period.start_time)),
    length: lengthText(Number(period.period)),
    every: kind === "2" || kind === "3" ? (period.every ?? "1") : "1",
    weekdays: period.dayofweek === "0" ? usual.weekdays : bitsOf(Number(period.dayofweek), 7),
    months: kind === "4" ? bitsOf(Number(period.month), 12) : usual.months,
    by: isByDay ? "day" : "weekday",
    day: period.day === "0" ? "1" : (period.day ?? "1"),
    nth: isByDay ? "1" : (period.every ?? "1"),
  };
}

export function fieldsOf(maintenance: Maintenance | undefined, zone: string): MaintenanceFields {
  if (maintenance === undefined) return newMaintenance(zone);
  const since = writtenIn(Number(maintenance.active_since), zone);
  return {
    zone,
    name: maintenance.name,
    description: maintenance.description,
    since,
    till: writtenIn(Number(maintenance.active_till), zone),
    withData: maintenance.maintenance_type !== "1",
    hosts: maintenance.hosts.map(({ hostid }) => hostid),
    groups: maintenance.hostgroups.map(({ groupid }) => groupid),
    evaltype: maintenance.tags_evaltype,
    tags: maintenance.tags.map(keyed),
    periods: maintenance.timeperiods.map((period) => keyed(periodOf(period, zone, since))),
  };
}

function newMaintenance(zone: string): MaintenanceFields {
  const since = minuteIn(nowSeconds(), zone);
  return {
    zone,
    name: "",
    description: "",
    since,
    till: minuteIn(nowSeconds() + DAY, zone),
    withData: true,
    hosts: [],
    groups: [],
    evaltype: "0",
    tags: [],
    periods: [newPeriod(since)],
  };
}

function instant(text: string, zone: string): number | undefined {
  // now+2h is the same moment everywhere
  return text.trim().startsWith("now") ? parseTime(text, nowSeconds()) : parseIn(text, zone);
}

/** With the fields that its kind has, and no other ones: the server refuses those. */
export function timePeriodOf(fields: PeriodFields, zone: string): Partial<TimePeriod> {
  const common = {
    timeperiod_type: fields.kind,
    period: String(lengthSeconds(fields.length) ?? 0),
  };
  if (fields.kind === "0") {
    return { ...common, start_date: String(instant(fields.start, zone) ?? 0) };
  }
  const repeated = { ...common, start_time: String(timeSeconds(fields.time) ?? 0) };
  const dayofweek = setOf(fields.weekdays);
  if (fields.kind === "2") return { ...repeated, every: fields.every };
  if (fields.kind === "3") return { ...repeated, every: fields.every, dayofweek };
  const month = setOf(fields.months);
  return fields.by === "day"
    ? { ...repeated, month, day: fields.day }
    : { ...repeated, month, every: fields.nth, dayofweek };
}

function tagsOf(fields: MaintenanceFields) {
  return {
    tags_evaltype: fields.evaltype,
    tags: fields.tags
      .filter(({ tag }) => tag !== "")
      .map(({ tag, operator, value }) => ({ tag, operator, value })),
  };
}

export function draftOf(fields: MaintenanceFields): MaintenanceDraft {
  return {
    name: fields.name.trim(),
    description: fields.description,
    active_since: String(instant(fields.since, fields.zone) ?? 0),
    active_till: String(instant(fields.till, fields.zone) ?? 0),
    hosts: fields.hosts.map((hostid) => ({ hostid })),
    groups: fields.groups.map((groupid) => ({ groupid })),
    timeperiods: fields.periods.map((it) => timePeriodOf(it, fields.zone)),
    maintenance_type: fields.withData ? "0" : "1",
    // Without data there are no conditions: the server refuses them.
    ...(fields.withData ? tagsOf(fields) : {}),
  };
}

export function checkInstant(zone: string) {
  return (text: string): Check =>
    instant(text, zone) === undefined ? bad(t("enter a date such as 2026-01-31 08:00"), 0) : OK;
}

export function checkTime(text: string): Check {
  return timeSeconds(text) === undefined ? bad(t("enter a time such as 23:30"), 0) : OK;
}

export function checkLength(text: string): Check {
  const ok = (lengthSeconds(text) ?? 0) >= PERIOD_MIN;
  return ok ? OK : bad(t("at least 5 minutes, such as 90m, 2h or 1d"), 0);
}

export function checkNumber(text: string, max: number): Check {
  const ok = /^\d{1,4}$/.test(text.trim()) && 1 <= Number(text) && Number(text) <= max;
  return ok ? OK : bad(t("a number from 1 to {max}", { max }), 0);
}

export function isOrdered(fields: MaintenanceFields): boolean {
  const { zone } = fields;
  const [since, till] = [instant(fields.since, zone), instant(fields.till, zone)];
  return since === undefined || till === undefined || since < till;
}

function isPeriodOk(fields: PeriodFields, zone: string): boolean {
  if (!checkLength(fields.length).ok) return false;
  if (fields.kind === "0") return checkInstant(zone)(fields.start).ok;
  if (!checkTime(fields.time).ok) return false;
  if (fields.kind === "2") return checkNumber(fields.every, 999).ok;
  const hasDays = fields.weekdays.length > 0;
  if (fields.kind === "3") return checkNumber(fields.every, 99).ok && hasDays;
  return (
    fields.months.length > 0 && (fields.by === "day" ? checkNumber(fields.day, 31).ok : hasDays)
  );
}

export function isComplete(fields: MaintenanceFields): boolean {
  return (
    checkName(fields.name).ok &&
    checkInstant(fields.zone)(fields.since).ok &&
    checkInstant(fields.zone)(fields.till).ok &&
    isOrdered(fields) &&
    fields.hosts.length + fields.groups.length > 0 &&
    fields.periods.length > 0 &&
    fields.periods.every((it) => isPeriodOk(it, fields.zone))
  );
}
