import type { ReactElement } from "react";
import {
  SEVERITIES_WORST_FIRST,
  type Severity,
  type SeverityShape,
  severityLook,
  severityName,
} from "@/lib/severity";
import classes from "./severity-mark.module.css";

const SHAPES: Readonly<Record<SeverityShape, ReactElement>> = {
  ring: <circle cx="9" cy="9" r="7.2" fill="none" stroke="currentColor" strokeWidth="1.8" />,
  circle: <circle cx="9" cy="9" r="8.2" fill="currentColor" />,
  triangle: <path d="M9 0.6 17.7 16.8 H0.3Z" fill="currentColor" />,
  diamond: <path d="M9 0 18 9 9 18 0 9Z" fill="currentColor" />,
  hexagon: <path d="M4.7 1h8.6L17.8 9l-4.5 8H4.7L0.2 9Z" fill="currentColor" />,
  octagon: <path d="M5.4 0.4h7.2l5 5v7.2l-5 5H5.4l-5-5V5.4Z" fill="currentColor" />,
};

export interface SeverityMarkProps {
  readonly severity: Severity;
  readonly size?: number;
  /** decoration next to a written name: hidden from screen readers */
  readonly quiet?: boolean;
}

/** Color, shape and letter: each of them alone distinguishes severities. */
export function SeverityMark({ severity, size = 16, quiet = false }: SeverityMarkProps) {
  const { shape, letter } = severityLook(severity);
  const label = severityName(severity);
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: titled where it stands alone, hidden next to a name
    <svg
      className={classes["mark"]}
      data-severity={severity}
      width={size}
      height={size}
      viewBox="0 0 18 18"
      {...(quiet ? { "aria-hidden": true } : { role: "img", "aria-label": label })}
    >
      {quiet ? null : <title>{label}</title>}
      {SHAPES[shape]}
      <text
        x="9"
        y={shape === "triangle" ? 15.2 : 12.6}
        data-shape={shape}
        className={classes["letter"] ?? ""}
      >
        {letter}
      </text>
    </svg>
  );
}

/** Of a column of labels: names may be longer ones, of the settings or of another language. */
export function severityWidth(): string {
  const longest = Math.max(...SEVERITIES_WORST_FIRST.map((it) => severityName(it).length));
  return `${Math.ceil(longest * 7) + 44}px`;
}

export interface SeverityLabelProps {
  readonly severity: Severity;
}

export function SeverityLabel({ severity }: SeverityLabelProps) {
  return (
    <span className={classes["label"]} data-severity={severity}>
      <SeverityMark severity={severity} quiet />
      <span>{severityName(severity)}</span>
    </span>
  );
}
