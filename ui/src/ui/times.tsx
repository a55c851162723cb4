// Times as lists show them, by the hundred: a text is rendered again when it is another one, not with each second.

import type { PointerEvent } from "react";
import { t } from "@/lib/i18n";
import { formatAge, formatDateTime, formatWhen, nowSeconds, zoneName } from "@/lib/time";
import { useOfNow } from "./clock";

export interface InstantProps {
  readonly seconds: number;
}

/** An instant: clock today, date and clock else; its age in the tooltip. */
export function Instant({ seconds }: InstantProps) {
  const text = useOfNow((now) => formatWhen(seconds, now));
  if (seconds <= 0) return <span className="dim">{t("never")}</span>;
  // the age is made when somebody points at it
  const showTime = ({ currentTarget }: PointerEvent<HTMLElement>) => {
    currentTarget.title = t("{age} ago, {zone}", {
      age: formatAge(nowSeconds() - seconds),
      zone: zoneName(),
    });
  };
  return (
    <time dateTime={new Date(seconds * 1000).toISOString()} onPointerEnter={showTime}>
      {text}
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
  const text = useOfNow((now) => formatAge((until ?? now) - since));
  if (since <= 0) return <span className="dim">–</span>;
  return <time title={`${formatDateTime(since)} ${zoneName()}`}>{text}</time>;
}
