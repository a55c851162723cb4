// An agreement while it is edited: its schedule as times of weekdays, dates as people write them.

import { newFields } from "@/api/described";
import { SLA } from "@/api/generated/sla";
import type { ConditionTag, Sla, SlaDraft, Span } from "@/api/services";
import { bad, type Check, checkName, OK } from "@/lib/check";
import { t } from "@/lib/i18n";
import { nowSeconds, parseTime } from "@/lib/time";
import { isZone, parseIn, writtenIn } from "@/lib/zone";
import { type Keyed, keyed } from "@/widgets/keyed";

const { fields: FIELDS } = SLA;
const { ENABLED, DISABLED } = FIELDS.status.names;
const DAY = 86_400;

export const PERIODS = [
  t("Daily"),
  t("Weekly"),
  t("Monthly"),
  t("Quarterly"),
  t("Annually"),
] as const;
export const WEEKDAYS = [
  t("Sunday"),
  t("Monday"),
  t("Tuesday"),
  t("Wednesday"),
  t("Thursday"),
  t("Friday"),
  t("Saturday"),
] as const;

export interface DowntimeFields {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

export interface SlaFields {
  readonly name: string;
  readonly period: string;
  readonly slo: string;
  readonly effective: string;
  /** of all times of the form; "system" is the server's */
  readonly timezone: string;
  readonly serverZone: string;
  readonly enabled: boolean;
  readonly description: string;
  readonly service_tags: readonly Keyed<ConditionTag>[];
  /** times of each weekday; all empty: always */
  readonly days: readonly string[];
  readonly excluded: readonly Keyed<DowntimeFields>[];
}

function clock(seconds: number): string {
  const two = (n: number) => String(n).padStart(2, "0");
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor((seconds % 3600) / 60))}`;
}

/** "09:00-17:00, 18:00-20:00" of each weekday. */
export function daysOf(schedule: readonly Span[]): readonly string[] {
  return WEEKDAYS.map((_, day) =>
    schedule
      .flatMap(({ period_from, period_to }) => {
        const from = Math.max(Number(period_from), day * DAY) - day * DAY;
        const to = Math.min(Number(period_to), (day + 1) * DAY) - day * DAY;
        return from < to ? [`${clock(from)}-${clock(to)}`] : [];
      })
      .join(", "),
  );
}

const SPAN = /^(\d{1,2}):(\d{2})-(\d{1,2}):(\d{2})$/;

/** Undefined: it is not written as times are. */
export function spansOf(days: readonly string[]): readonly Span[] | undefined {
  const spans: Span[] = [];
  for (const [day, text] of days.entries()) {
    for (const part of text.split(",").map((it) => it.replaceAll(" ", ""))) {
      if (part === "") continue;
      const [, h1, m1, h2, m2] = SPAN.exec(part) ?? [];
      if (h1 === undefined) return undefined;
      const from = Number(h1) * 3600 + Number(m1) * 60;
      const to = Number(h2) * 3600 + Number(m2) * 60;
      if (to <= from || DAY < to || 59 < Number(m1) || 59 < Number(m2)) return undefined;
      spans.push({
        period_from: String(day * DAY + from),
        period_to: String(day * DAY + to),
      });
    }
  }
  return spans;
}

export function newCondition(): Keyed<ConditionTag> {
  return keyed(newFields(FIELDS.service_tags.fields));
}

export function newDowntime(): Keyed<DowntimeFields> {
  return keyed({ name: "", from: "", to: "" });
}

/** Which the times of the form are in: a zone that is still being typed counts once it is one. */
export function zoneOf({ timezone, serverZone }: Pick<SlaFields, "timezone" | "serverZone">) {
  const zone = timezone.trim();
  return zone !== "system" && isZone(zone) ? zone : serverZone;
}

export function fieldsOf(sla: Sla | undefined, serverZone: string): SlaFields {
  const now = nowSeconds();
  const timezone = sla?.timezone ?? "system";
  const zone = zoneOf({ timezone, serverZone });
  const written = (seconds: string | number) => writtenIn(Number(seconds), zone);
  return {
    name: sla?.name ?? "",
    period: sla?.period ?? FIELDS.period.names.MONTHLY,
    slo: sla?.slo ?? "99.9",
    effective: written(sla?.effective_date ?? Math.floor(now - (now % DAY))),
    timezone,
    serverZone,
    enabled: sla === undefined || sla.status === ENABLED,
    description: sla?.description ?? "",
    service_tags: sla === undefined ? [newCondition()] : sla.service_tags.map(keyed),
    days: daysOf(sla?.schedule ?? []),
    excluded: (sla?.excluded_downtimes ?? []).map(({ name, period_from, period_to }) =>
      keyed({
        name,
        from: written(period_from),
        to: written(period_to),
      }),
    ),
  };
}

function instant(text: string, zone: string): number | undefined {
  // now-1d is the same moment everywhere
  return text.trim().startsWith("now") ? parseTime(text, nowSeconds()) : parseIn(text, zone);
}

export function draftOf(fields: SlaFields): SlaDraft {
  const zone = zoneOf(fields);
  const seconds = (text: string) => String(instant(text, zone) ?? 0);
  return {
    name: fields.name.trim(),
    period: fields.period,
    slo: fields.slo.trim(),
    effective_date: seconds(fields.effective),
    timezone: fields.timezone.trim(),
    status: fields.enabled ? ENABLED : DISABLED,
    description: fields.description,
    service_tags: fields.service_tags
      .filter(({ tag }) => tag !== "")
      .map(({ tag, operator, value }) => ({ tag, operator, value })),
    schedule: spansOf(fields.days) ?? [],
    excluded_downtimes: fields.excluded.map(({ name, from, to }) => ({
      name: name.trim(),
      period_from: seconds(from),
      period_to: seconds(to),
    })),
  };
}

export function checkSlo(text: string): Check {
  const ok = /^\d{1,3}(\.\d{1,4})?$/.test(text.trim()) && Number(text) <= 100;
  return ok ? OK : bad(t("percent, with at most four decimal places"), 0);
}

export function checkInstant(zone: string) {
  return (text: string): Check =>
    instant(text, zone) === undefined ? bad(t("enter a date such as 2026-01-31 08:00"), 0) : OK;
}

export function checkDay(text: string): Check {
  return spansOf([text]) === undefined ? bad(t("enter times such as 09:00-17:00"), 0) : OK;
}

export function checkZone(text: string): Check {
  return text.trim() === "" ? bad(t("a time zone is required"), 0) : OK;
}

export function isExcludedOk({ name, from, to }: DowntimeFields, zone: string): boolean {
  const [since, until] = [instant(from, zone), instant(to, zone)];
  return name.trim() !== "" && since !== undefined && until !== undefined && since < until;
}

export function isComplete(fields: SlaFields): boolean {
  return (
    checkName(fields.name).ok &&
    checkSlo(fields.slo).ok &&
    checkInstant(zoneOf(fields))(fields.effective).ok &&
    checkZone(fields.timezone).ok &&
    fields.service_tags.some(({ tag }) => tag !== "") &&
    spansOf(fields.days) !== undefined &&
    fields.excluded.every((it) => isExcludedOk(it, zoneOf(fields)))
  );
}
