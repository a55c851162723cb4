// Series of several items on one time axis. A gap is drawn only where values really stopped coming: items
// with longer intervals than the buckets have empty buckets between their values, and those are bridged.

/** One line: its own times and values, null where a bucket was empty. */
export interface Line {
  readonly t: readonly number[];
  readonly values: readonly (number | null)[];
  /** beginnings of stretches with steps of their own: hours of trends before values of a minute */
  readonly joints?: readonly number[];
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
  const runs = lines.map(lineRuns);
  // a break needs a place of its own where no other line has a time within it
  const known = sorted(times);
  for (const [from, to] of runs.flatMap(breaksOf)) {
    if (known[known.indexOf(from) + 1] === to) times.add((from + to) / 2);
  }
  const t = sorted(times);
  return { t, lines: runs.map((ofLine) => spread(ofLine, t)) };
}

const sorted = (times: Iterable<number>): number[] => [...times].sort((a, b) => a - b);

export type Point = readonly [time: number, value: number];

/** The stretches of a line without outages: what is drawn as one. */
export function lineRuns(line: Line): readonly Point[][] {
  const points: Point[] = [];
  for (const [at, time] of line.t.entries()) {
    const value = line.values[at];
    if (value !== null && value !== undefined) points.push([time, value]);
  }
  const stepAt = steps(points, line.joints ?? []);
  const runs: Point[][] = [];
  let previous: Point | undefined;
  for (const point of points) {
    if (previous === undefined || isGap(previous[0], point[0], stepAt)) runs.push([]);
    runs.at(-1)?.push(point);
    previous = point;
  }
  return runs;
}

function isGap(from: number, to: number, stepAt: (time: number) => number): boolean {
  // a stretch of one value has no step of its own
  const known = [stepAt(from), stepAt(to)].filter(Number.isFinite);
  return known.length > 0 && to - from > Math.max(...known) * GAP_STEPS;
}

/** The usual distance of values, by time. */
function steps(points: readonly Point[], joints: readonly number[]): (time: number) => number {
  const begins = [Number.NEGATIVE_INFINITY, ...joints];
  const usual = begins.map((begin, at) => {
    const end = begins[at + 1] ?? Number.POSITIVE_INFINITY;
    const times = points.map(([time]) => time);
    return medianStep(times.filter((time) => begin <= time && time < end));
  });
  const last = (time: number) => begins.findLastIndex((begin) => begin <= time);
  return (time) => usual[last(time)] ?? Number.POSITIVE_INFINITY;
}

function breaksOf(runs: readonly Point[][]): [from: number, to: number][] {
  return runs
    .slice(1)
    .map((run, at): [number, number] => [runs[at]?.at(-1)?.[0] ?? 0, run[0]?.[0] ?? 0]);
}

function spread(runs: readonly Point[][], t: readonly number[]): (number | null | undefined)[] {
  const known = new Map<number, number>(runs.flat());
  const ends = new Set(runs.slice(0, -1).map((run) => run.at(-1)?.[0]));
  const out: (number | null | undefined)[] = t.map((time) => known.get(time));
  for (const [at, time] of t.entries()) if (ends.has(time)) out[at + 1] = null;
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
  /** the newest value: the average of the last bucket is another number */
  readonly last: number | null;
}

/** Over the whole range; the average weighs each bucket by its count. */
export function lineStats(series: BucketColumns): LineStats {
  let [sum, n] = [0, 0];
  let min: number | undefined;
  let max: number | undefined;
  for (const [at, avg] of series.avg.entries()) {
    if (avg === null) continue;
    const weight = series.count[at] ?? 1;
    sum += avg * weight;
    n += weight;
    const low = series.min[at] ?? avg;
    const high = series.max[at] ?? avg;
    if (min === undefined || low < min) min = low;
    if (max === undefined || high > max) max = high;
  }
  return { last: series.last ?? undefined, min, avg: n === 0 ? undefined : sum / n, max };
}
