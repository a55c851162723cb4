// A line without axes, for table cells: one SVG path.

import { lineRuns, type Point } from "./align";
import classes from "./sparkline.module.css";

export interface SparklineProps {
  readonly t: readonly number[];
  readonly values: readonly (number | null)[];
  readonly from: number;
  readonly to: number;
  readonly width?: number;
  readonly height?: number;
}

/** Path of the line, broken where values stopped coming; empty when there are fewer than two values. */
export function sparkPath(props: Required<SparklineProps>): string {
  const { t, values, from, to, width, height } = props;
  const runs = lineRuns({ t, values });
  const points = runs.flat();
  if (points.length < 2 || to <= from) return "";
  const low = Math.min(...points.map(([, value]) => value));
  const high = Math.max(...points.map(([, value]) => value));
  const span = high - low;
  const place = ([time, value]: Point): string => {
    const x = ((time - from) / (to - from)) * width;
    const y = span === 0 ? height / 2 : height - 1.5 - ((value - low) / span) * (height - 3);
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
  };
  // a value by itself is a line without length: a dot
  return runs.map((run) => `M${run.map(place).join("L")}${run.length === 1 ? "h0" : ""}`).join("");
}

export function Sparkline({ width = 96, height = 20, ...rest }: SparklineProps) {
  return (
    <svg className={classes["spark"]} width={width} height={height} aria-hidden>
      <path d={sparkPath({ width, height, ...rest })} />
    </svg>
  );
}
