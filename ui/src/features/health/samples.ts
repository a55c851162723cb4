// Samples of the metrics while the page is open. They are kept for a while after it is closed, so that its graphs do
// not start from nothing.

import type { MetricSample } from "@/api/metrics";
import { STAGES } from "./stages";

/** A line over the moments of a stage; where it had no value there is a gap. */
export interface StageLine {
  readonly name: string;
  readonly values: readonly (number | null)[];
}

export interface StageSeries {
  /** seconds since the epoch */
  readonly t: readonly number[];
  readonly lines: readonly StageLine[];
}

// half an hour at one sample each 5 seconds
const POINTS_MAX = 360;

type Point = ReadonlyMap<string, number>;

export class SampleLog {
  private readonly times: number[] = [];
  private readonly points = new Map<string, Point[]>();
  private last: MetricSample | undefined;

  get size(): number {
    return this.times.length;
  }

  /** A sample that was added before changes nothing. */
  add(sample: MetricSample): void {
    if (this.last !== undefined && sample.at <= this.last.at) return;
    this.times.push(sample.at / 1000);
    for (const { id, read } of STAGES) {
      const known = this.points.get(id) ?? [];
      known.push(read(sample, this.last));
      if (known.length > POINTS_MAX) known.shift();
      this.points.set(id, known);
    }
    if (this.times.length > POINTS_MAX) this.times.shift();
    this.last = sample;
  }

  series(id: string): StageSeries {
    const points = this.points.get(id) ?? [];
    const names = [...new Set(points.flatMap((it) => [...it.keys()]))];
    return {
      t: [...this.times],
      lines: names.map((name) => ({ name, values: points.map((it) => it.get(name) ?? null) })),
    };
  }
}
