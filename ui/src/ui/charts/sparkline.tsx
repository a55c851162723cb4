// A line without axes, for table cells: one SVG path.

import classes from "./sparkline.module.css";

export interface SparklineProps {
  readonly t: readonly number[];
  readonly values: readonly (number | null)[];
  readonly from: number;
  readonly to: number;
  readonly width?: number;
  readonly height?: number;
}

/** Path of the line; empty when there are fewer than two values. */
export function sparkPath(props: Required<SparklineProps>): string {
  const { t, values, from, to, width, height } = props;
  const points: [number, number][] = [];
  for (const [at, value] of values.entries()) {
    const time = t[at];
    if (value !== null && time !== undefined) points.push([time, value]);
  }
  if (points.length < 2 || to <= from) return "";
  const low = Math.min(...points.map(([, value]) => value));
  const high = Math.max(...points.map(([, value]) => value));
  const span = high - low;
  return points
    .map(([time, value], at) => {
      const x = ((time - from) / (to - from)) * width;
      const y = span === 0 ? height / 2 : height - 1.5 - ((value - low) / span) * (height - 3);
      return `${at === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`;
    })
    .join("");
}

export function Sparkline({ width = 96, height = 20, ...rest }: SparklineProps) {
  return (
    <svg className={classes["spark"]} width={width} height={height} aria-hidden>
      <path d={sparkPath({ width, height, ...rest })} />
    </svg>
  );
}
