// What the lines of a chart were read from, in words.

import type { Series, SeriesPart } from "@/api/types";
import { t } from "@/lib/i18n";
import { formatDateTime } from "@/lib/time";

export interface Sources {
  readonly name: string;
  /** where they meet, if it is at one time for all lines that have both */
  readonly detail: string;
}

const TRENDS_DETAIL = t("Minimum, average and maximum of each hour");
const HISTORY_DETAIL = t("Stored values");

/** undefined: there are no numbers. */
export function sourcesOf(series: readonly Series[]): Sources | undefined {
  const parts = series.flatMap((line) => line.parts);
  const hasTrends = parts.some((part) => part.source === "trends");
  const hasHistory = parts.some((part) => part.source === "history");
  if (!hasTrends) {
    return hasHistory ? { name: t("History"), detail: HISTORY_DETAIL } : undefined;
  }
  if (!hasHistory) return { name: t("Trends"), detail: TRENDS_DETAIL };
  const details = new Set(series.filter((line) => line.parts.length > 1).map(detailOf));
  const [only] = details;
  const detail =
    details.size === 1 && only !== undefined
      ? only
      : t("Auto: by the storage periods of each item");
  return { name: t("Trends, history"), detail };
}

function detailOf(line: Series): string {
  return line.parts.map(describe).join(", ");
}

function describe(part: SeriesPart, at: number): string {
  const name = part.source === "trends" ? t("trends") : t("history");
  return at === 0 ? name : t("{name} from {time}", { name, time: formatDateTime(part.from) });
}
