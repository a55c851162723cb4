// Ends of value axes, their ticks and the clock below.

import { wallAt } from "@/lib/time";
import { formatTicks, formatValue } from "@/lib/units";

/** An end that does not follow the values. */
export interface AxisEnds {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** Zero belongs to the picture of small and positive values; flat lines get room above and below. */
export function valueRange(
  min: number | null | undefined,
  max: number | null | undefined,
  ends: AxisEnds = {},
): [number, number] {
  const [low, high] = byValues(min ?? null, max ?? null);
  const from = ends.min ?? low;
  const to = ends.max ?? high;
  return from < to ? [from, to] : [from, from + 1];
}

function byValues(min: number | null, max: number | null): [number, number] {
  if (min === null || max === null) return [0, 1];
  if (min === max) {
    const pad = min === 0 ? 1 : Math.abs(min) * 0.25;
    return min >= 0 ? [0, max + pad] : [min - pad, max + pad];
  }
  const room = (max - min) * 0.06;
  const low = min >= 0 && min < max * 0.6 ? 0 : min - room;
  return [min >= 0 ? Math.max(0, low) : low, max + room];
}

/** Whole powers of ten around the values. */
export function logRange(
  min: number | null | undefined,
  max: number | null | undefined,
): [number, number] {
  const [low, high] = [min ?? 1, max ?? 10];
  if (!(low > 0) || !(high > 0)) return [1, 10];
  const from = 10 ** Math.floor(Math.log10(low));
  const to = 10 ** Math.ceil(Math.log10(high));
  return from < to ? [from, to] : [from, from * 10];
}

// a tick of a logarithmic axis says its size, not its digits
const LOG_DECIMALS = 3;

export function valueTicks(
  ticks: readonly (number | null)[],
  units: string,
  isLogarithmic: boolean,
): string[] {
  if (!isLogarithmic)
    return formatTicks(
      ticks.map((tick) => tick ?? 0),
      units,
    );
  return ticks.map((tick) => (tick === null ? "" : formatValue(tick, units, LOG_DECIMALS)));
}

// steps between ticks of bytes, so that they read 2, 4, 6 GB and not 1.86, 3.73
export const BINARY_STEPS = Array.from({ length: 60 }, (_, power) => 2 ** power);

// about the width of a digit at 11 px, plus the gap to the axis
const DIGIT_PX = 6.4;
const AXIS_PX_MIN = 44;

export function axisWidth(ticks: readonly string[] | null): number {
  const longest = Math.max(0, ...(ticks ?? []).map((tick) => tick.length));
  return Math.max(AXIS_PX_MIN, Math.ceil(longest * DIGIT_PX) + 12);
}

const DAY = 86_400;
// between its months a year shows which one it is
const MONTH = 28 * DAY;

/** 24-hour clock; the date where a new day begins; the year where months are between ticks. */
export function timeTicks(ticks: readonly number[], step: number): string[] {
  const two = (n: number) => String(n).padStart(2, "0");
  return ticks.map((tick) => {
    const { year, month, day, hour, minute, second } = wallAt(tick);
    const date = `${two(month)}-${two(day)}`;
    if (step >= MONTH) return `${year}-${two(month)}`;
    if (step >= DAY) return date;
    if (hour === 0 && minute === 0 && second === 0) return date;
    const clock = `${two(hour)}:${two(minute)}`;
    return step < 60 ? `${clock}:${two(second)}` : clock;
  });
}
