// One number over a time, from buckets of values.

import type { Series } from "@/api/types";
import { t } from "@/lib/i18n";
import { lineStats } from "@/ui/charts/align";
import type { Option } from "./kind";

export const AGGREGATES: readonly Option[] = [
  [0, t("Not used")],
  [1, t("min")],
  [2, t("max")],
  [3, t("avg")],
  [4, t("count")],
  [5, t("sum")],
  [6, t("first")],
  [7, t("last")],
];

const [MIN, MAX, AVG, COUNT, SUM, FIRST, LAST] = [1, 2, 3, 4, 5, 6, 7] as const;

/** By Zabbix's codes of functions; undefined where there are no values. */
export function aggregated(series: Series | undefined, how: number): number | undefined {
  if (series === undefined) return undefined;
  const stats = lineStats(series);
  const count = series.count.reduce((sum, n) => sum + n, 0);
  switch (how) {
    case MIN:
      return stats.min;
    case MAX:
      return stats.max;
    case AVG:
      return stats.avg;
    case COUNT:
      return count;
    case SUM:
      return stats.avg === undefined ? undefined : stats.avg * count;
    case FIRST:
      return series.avg.find((it) => it !== null) ?? undefined;
    case LAST:
      return stats.last;
    default:
      return undefined;
  }
}
