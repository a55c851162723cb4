// What a report shows of an indicator.

import type { Indicator, SlaReport } from "@/api/services";
import { t } from "@/lib/i18n";

export interface ReportCell {
  readonly text: string;
  /** share of the bar, 0 to 100; undefined: there was nothing to count */
  readonly share: number | undefined;
  readonly isKept: boolean;
}

/** As many digits as it takes to distinguish it from the objective. */
export function percent(sli: number): string {
  if (sli === 100 || sli === 0) return `${sli} %`;
  // never rounded up to what it is not
  return `${(Math.floor(sli * 10_000) / 10_000).toFixed(4).replace(/0{1,3}$/, "")} %`;
}

export function cellOf({ sli }: Indicator, slo: number): ReportCell {
  if (sli < 0) return { text: t("no time counted"), share: undefined, isKept: true };
  return { text: percent(sli), share: sli, isKept: slo <= sli };
}

/** The indicators of one service, the newest period first. */
export function historyOf(report: SlaReport, at: number): readonly Indicator[] {
  return report.sli.flatMap((row) => row[at] ?? []).reverse();
}

export function periodName(from: number, to: number, period: string, zone: string): string {
  const at = (seconds: number, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat("en-CA", { timeZone: zone, ...options }).format(seconds * 1000);
  if (period === "4") return at(from, { year: "numeric" });
  if (period === "2") return at(from, { year: "numeric", month: "2-digit" });
  const day: Intl.DateTimeFormatOptions = { year: "numeric", month: "2-digit", day: "2-digit" };
  if (period === "0") return at(from, day);
  return `${at(from, day)} – ${at(to - 1, day)}`;
}
