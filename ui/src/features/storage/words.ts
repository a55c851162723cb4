// Figures of storage in words.

import type { Storage, StorageClass } from "@/api/storage";
import { t } from "@/lib/i18n";
import { formatBytes } from "@/lib/units";

export function bytesAValue({ bytes, count }: { bytes: number; count: number }): string {
  return count === 0 ? "–" : (bytes / count).toFixed(2);
}

export function className(kept: StorageClass | undefined): string {
  if (kept === undefined) return "";
  const kind = kept.kind === "values" ? t("Values") : t("Trends");
  return kept.days === null
    ? t("{kind}, forever", { kind })
    : t("{kind}, {n} days", { kind, n: kept.days });
}

export interface ForecastText {
  readonly name: string;
  readonly note: string;
}

export function forecastText(forecast: Storage["forecast"]): ForecastText {
  switch (forecast.state) {
    case "unknown":
      return { name: t("not known"), note: t("not enough data") };
    case "steady":
      return {
        name: t("enough"),
        note: t("grows by {bytes} more, then stays constant", {
          bytes: formatBytes(forecast.growth_bytes),
        }),
      };
    case "full": {
      const n = forecast.days < 10 ? forecast.days.toFixed(1) : Math.floor(forecast.days);
      return {
        name: t("{n} days", { n }),
        note:
          forecast.limit === "disk"
            ? t("then the disk is full")
            : t("then the oldest data is deleted early"),
      };
    }
  }
}
