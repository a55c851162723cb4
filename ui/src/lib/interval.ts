// Update intervals: a simple interval, then flexible (`50s/1-5,09:00-18:00`) and scheduling (`wd1-5h9m0`)
// ones after semicolons; any part may be a macro. Whether an item is ever polled is the server's to check.

import type { Check } from "@/lib/check";
import { bad, OK } from "@/lib/check";
import { t } from "@/lib/i18n";

const MACRO = String.raw`\{[$#][^}]*\}`;
const SIMPLE = new RegExp(`^(?:\\d+[smhdw]?|${MACRO})$`);
const PERIOD = new RegExp(`^(?:[1-7](?:-[1-7])?,\\d{1,2}:\\d\\d-\\d{1,2}:\\d\\d|${MACRO})$`);
const FILTER = String.raw`\d+(?:-\d+)?(?:\/\d+)?|\/\d+`;
const FILTERS = `(?:${FILTER})(?:,(?:${FILTER}))*`;
const SCHEDULE = new RegExp(
  `^(?=.)(?:md${FILTERS})?(?:wd${FILTERS})?(?:h${FILTERS})?(?:m${FILTERS})?(?:s${FILTERS})?$`,
);
const DAY_SECONDS = 86_400;
const UNIT: Readonly<Record<string, number>> = {
  "": 1,
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 604_800,
};

export function checkInterval(text: string): Check {
  const parts = text.split(";");
  let position = 0;
  for (const [at, part] of parts.entries()) {
    const result = at === 0 ? checkSimple(part) : checkCustom(part);
    if (result !== undefined) return bad(result, position);
    position += part.length + 1;
  }
  return OK;
}

function checkSimple(part: string): string | undefined {
  if (part === "") return t("an interval is required");
  if (!SIMPLE.test(part))
    return t('"{text}" is not an interval such as 30s, 1m or 1h', { text: part });
  const seconds = intervalSeconds(part);
  if (seconds !== undefined && seconds > DAY_SECONDS) return t("an interval is at most one day");
  return undefined;
}

function checkCustom(part: string): string | undefined {
  if (part === "") return t("an interval is missing after the semicolon");
  const slash = part.indexOf("/");
  if (slash > 0 && SIMPLE.test(part.slice(0, slash))) {
    const period = part.slice(slash + 1);
    return PERIOD.test(period)
      ? undefined
      : t('"{text}" is not a period such as 1-5,09:00-18:00', { text: period });
  }
  if (SCHEDULE.test(part) || new RegExp(`^${MACRO}$`).test(part)) return undefined;
  return t('"{text}" is neither a flexible nor a scheduling interval', { text: part });
}

/** Seconds of a simple interval; undefined for macros and anything else. */
export function intervalSeconds(text: string): number | undefined {
  const match = /^(\d+)([smhdw]?)$/.exec(text.trim());
  if (match === null) return undefined;
  const unit = UNIT[match[2] ?? ""];
  return unit === undefined ? undefined : Number(match[1]) * unit;
}

/** History and trend periods, timeouts: a number with an optional unit, or a macro. */
export function checkPeriod(text: string): Check {
  return SIMPLE.test(text) ? OK : bad(t('"{text}" is not a period such as 7d or 1h', { text }), 0);
}
