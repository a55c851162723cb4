// The time that the graphs of a problem show at first: what led to it, and what came of it.

import { formatDateTime, type TimeRange, toRange } from "@/lib/time";

const HOUR = 3600;
const WEEK = 7 * 24 * HOUR;
// before a problem begins there is something to compare it with
const LEAD_MIN = HOUR / 4;
const LEAD_SHARE = 0.3;

export function rangeAround(clock: number, rClock: number, now: number): TimeRange {
  const end = rClock > 0 ? rClock : now;
  const lead = Math.max(LEAD_MIN, (end - clock) * LEAD_SHARE);
  if (rClock > 0) return toRange(clock - lead, Math.min(now, rClock + lead));
  if (now - clock + lead <= HOUR) return { from: "now-1h", to: "now" };
  // of what lasts for weeks, the beginning says less than how it is now
  if (now - clock + lead > WEEK) return { from: "now-7d", to: "now" };
  return { from: formatDateTime(Math.round(clock - lead)), to: "now" };
}
