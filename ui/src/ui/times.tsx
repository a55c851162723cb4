import { t } from "@/lib/i18n";
import { formatAge, formatDateTime, formatWhen } from "@/lib/time";
import { useNow } from "./clock";

export interface InstantProps {
  readonly seconds: number;
}

/** An instant: clock today, date and clock else; its age in the tooltip. */
export function Instant({ seconds }: InstantProps) {
  const now = useNow();
  if (seconds <= 0) return <span className="dim">{t("never")}</span>;
  return (
    <time dateTime={new Date(seconds * 1000).toISOString()} title={formatAge(now - seconds)}>
      {formatWhen(seconds, now)}
    </time>
  );
}

export interface AgeProps {
  readonly since: number;
  /** an end makes it a duration that stands still */
  readonly until?: number | undefined;
}

/** How long ago, or how long it lasted; the exact instant in the tooltip. */
export function Age({ since, until }: AgeProps) {
  const now = useNow();
  if (since <= 0) return <span className="dim">–</span>;
  return <time title={formatDateTime(since)}>{formatAge((until ?? now) - since)}</time>;
}
