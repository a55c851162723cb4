// How the queue's figures are said.

import { t } from "@/lib/i18n";
import { formatNumber } from "@/lib/units";

/** A column of the overview: late by so much, and by less than the next one. */
export function className(classes: readonly number[], at: number): string {
  const from = classes[at] ?? 0;
  return classes[at + 1] === undefined
    ? t("More than {time}", { time: lengthName(from) })
    : lengthName(from);
}

function lengthName(seconds: number): string {
  if (seconds < 60) return t("{n} seconds", { n: seconds });
  return seconds === 60 ? t("1 minute") : t("{n} minutes", { n: seconds / 60 });
}

/** Milliseconds with the digits that matter: "0.42 ms", "12 ms", "1.3 s". */
export function duration(ms: number): string {
  if (ms >= 1000) return `${formatNumber(ms / 1000, ms < 10_000 ? 1 : 0)} s`;
  return `${formatNumber(ms, ms < 10 ? 2 : 0)} ms`;
}

export function percent(share: number): string {
  const n = share * 100;
  return n > 0 && n < 0.1 ? "< 0.1 %" : `${formatNumber(n, 1)} %`;
}

/** How late a class is, for its colour: none, some, much. */
export function weight(classes: readonly number[], at: number): "some" | "more" | "much" {
  const from = classes[at] ?? 0;
  if (from >= 300) return "much";
  return from >= 30 ? "more" : "some";
}
