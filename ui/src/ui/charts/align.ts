// Series of several items on one time axis. A gap is drawn only where values really stopped coming: items
// with longer intervals than the buckets have empty buckets between their values, and those are bridged.

/** One line: its own times and values, null where a bucket was empty. */
export interface Line {
  readonly t: readonly number[];
  readonly values: readonly (number | null)[];
}

export interface Aligned {
  readonly t: number[];
  /** undefined is bridged by the chart, null breaks the line */
  readonly lines: (number | null | undefined)[][];
}

// three missed values in a row are an outage, one is jitter
const GAP_STEPS = 3.5;

export function alignLines(lines: readonly Line[]): Aligned {
  const times = new Set<number>();
  for (const line of lines) for (const at of line.t) times.add(at);
  const t = [...times].sort((a, b) => a - b);
  return { t, lines: lines.map((line) => spread(line, t)) };
}

function spread(line: Line, t: readonly number[]): (number | null | undefined)[] {
  const known = new Map<number, number>();
  for (const [at, time] of line.t.entries()) {
    const value = line.values[at];
    if (value !== null && value !== undefined) known.set(time, value);
  }
  const longest = medianStep([...known.keys()]) * GAP_STEPS;
  const out: (number | null | undefined)[] = t.map((time) => known.get(time));
  let previous = -1;
  for (const [at, value] of out.entries()) {
    if (value === undefined) continue;
    const gap = previous >= 0 ? (t[at] ?? 0) - (t[previous] ?? 0) : 0;
    if (gap > longest && at - previous > 1) out[previous + 1] = null;
    previous = at;
  }
  return out;
}

function medianStep(times: readonly number[]): number {
  const steps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
  steps.sort((a, b) => a - b);
  return steps[Math.floor(steps.length / 2)] ?? Number.POSITIVE_INFINITY;
}

export interface LineStats {
  readonly last: number | undefined;
  readonly min: number | undefined;
  readonly avg: number | undefined;
  readonly max: number | undefined;
}

export interface BucketColumns {
  readonly min: readonly (number | null)[];
  readonly avg: readonly (number | null)[];
  readonly max: readonly (number | null)[];
  readonly count: readonly number[];
}

/** Over the whole range; the average weighs each bucket by its count. */
export function lineStats(series: BucketColumns): LineStats {
  let [sum, n] = [0, 0];
  let min: number | undefined;
  let max: number | undefined;
  let last: number | undefined;
  for (const [at, avg] of series.avg.entries()) {
    if (avg === null) continue;
    const weight = series.count[at] ?? 1;
    sum += avg * weight;
    n += weight;
    last = avg;
    const low = series.min[at] ?? avg;
    const high = series.max[at] ?? avg;
    if (min === undefined || low < min) min = low;
    if (max === undefined || high > max) max = high;
  }
  return { last, min, avg: n === 0 ? undefined : sum / n, max };
}
