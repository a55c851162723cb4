// The six severities: name, letter and shape. Colour is in tokens.css (`--severity-N`); it never stands alone.

import { t } from "@/lib/i18n";

export type Severity = 0 | 1 | 2 | 3 | 4 | 5;
export type SeverityShape = "ring" | "circle" | "triangle" | "diamond" | "hexagon" | "octagon";

export interface SeverityLook {
  readonly severity: Severity;
  /** a function: this is read before the catalogue is there */
  readonly name: () => string;
  readonly letter: string;
  readonly shape: SeverityShape;
}

const LOOKS: readonly [
  SeverityLook,
  SeverityLook,
  SeverityLook,
  SeverityLook,
  SeverityLook,
  SeverityLook,
] = [
  { severity: 0, name: () => t("Not classified"), letter: "N", shape: "ring" },
  { severity: 1, name: () => t("Information"), letter: "I", shape: "circle" },
  { severity: 2, name: () => t("Warning"), letter: "W", shape: "triangle" },
  { severity: 3, name: () => t("Average"), letter: "A", shape: "diamond" },
  { severity: 4, name: () => t("High"), letter: "H", shape: "hexagon" },
  { severity: 5, name: () => t("Disaster"), letter: "D", shape: "octagon" },
];

export const SEVERITIES: readonly Severity[] = [0, 1, 2, 3, 4, 5];
export const SEVERITIES_WORST_FIRST: readonly Severity[] = [5, 4, 3, 2, 1, 0];

/** Anything that is not one of the six counts as not classified. */
export function toSeverity(value: unknown): Severity {
  const n = Number(value);
  return n === 1 || n === 2 || n === 3 || n === 4 || n === 5 ? n : 0;
}

export function severityLook(severity: Severity): SeverityLook {
  return LOOKS[severity];
}

export function severityName(severity: Severity): string {
  return LOOKS[severity].name();
}

export function worstSeverity(severities: Iterable<Severity>): Severity | undefined {
  let worst: Severity | undefined;
  for (const severity of severities) {
    if (worst === undefined || severity > worst) worst = severity;
  }
  return worst;
}
