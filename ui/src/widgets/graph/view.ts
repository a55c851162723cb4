// How graphs of a page are looked at: it is in the address, so that a link shows the same.

import { t } from "@/lib/i18n";
import type { TimeRange } from "@/lib/time";

export interface GraphViewSearch {
  readonly from?: string;
  readonly to?: string;
  readonly stack?: string;
  readonly log?: string;
  readonly band?: string;
  readonly pct?: string;
  readonly compare?: string;
  readonly marks?: string;
}

/** Names of the parameters, for the routes of pages with graphs. */
export const GRAPH_VIEW_SEARCH = [
  "from",
  "to",
  "stack",
  "log",
  "band",
  "pct",
  "compare",
  "marks",
] as const;

/** `auto`: as the graph is configured. */
export type StackChoice = "auto" | "none" | "stacked" | "percent";

export interface GraphView {
  readonly stack: StackChoice;
  readonly isLogarithmic: boolean;
  /** from the lowest to the highest value, around every line */
  readonly hasBands: boolean;
  /** per cent; 0: as the graph is configured */
  readonly percentile: number;
  /** how long before is drawn next to it, as a key of `COMPARISONS`; empty: nothing */
  readonly compare: string;
  /** thresholds of triggers, and their problems */
  readonly hasMarks: boolean;
}

export const PLAIN_VIEW: GraphView = {
  stack: "auto",
  isLogarithmic: false,
  hasBands: false,
  percentile: 0,
  compare: "",
  hasMarks: true,
};

const DAY = 86_400;
// weeks, so that the same days of the week are next to each other
export const COMPARISONS: Readonly<Record<string, number>> = {
  "1d": DAY,
  "1w": 7 * DAY,
  "4w": 28 * DAY,
  "52w": 364 * DAY,
};

export function comparisonNames(): readonly { readonly value: string; readonly label: string }[] {
  return [
    { value: "", label: t("No comparison") },
    { value: "1d", label: t("A day before") },
    { value: "1w", label: t("A week before") },
    { value: "4w", label: t("4 weeks before") },
    { value: "52w", label: t("52 weeks before") },
  ];
}

/** Seconds; 0: nothing is compared. */
export function comparisonOf(view: GraphView): number {
  return COMPARISONS[view.compare] ?? 0;
}

const STACKS: readonly StackChoice[] = ["auto", "none", "stacked", "percent"];
export const PERCENTILES: readonly number[] = [50, 90, 95, 99];

export function readView(search: GraphViewSearch): GraphView {
  const percentile = Number(search.pct ?? 0);
  return {
    stack: STACKS.find((it) => it === search.stack) ?? "auto",
    isLogarithmic: search.log === "1",
    hasBands: search.band === "1",
    percentile: percentile > 0 && percentile <= 100 ? percentile : 0,
    compare: COMPARISONS[search.compare ?? ""] === undefined ? "" : (search.compare ?? ""),
    hasMarks: search.marks !== "0",
  };
}

/** What differs from the plain view. */
export function writeView(view: GraphView): Omit<GraphViewSearch, "from" | "to"> {
  return {
    ...(view.stack === "auto" ? {} : { stack: view.stack }),
    ...(view.isLogarithmic ? { log: "1" } : {}),
    ...(view.hasBands ? { band: "1" } : {}),
    ...(view.percentile === 0 ? {} : { pct: String(view.percentile) }),
    ...(view.compare === "" ? {} : { compare: view.compare }),
    ...(view.hasMarks ? {} : { marks: "0" }),
  };
}

const DEFAULT_RANGE: TimeRange = { from: "now-1h", to: "now" };

export function readRange(search: GraphViewSearch): TimeRange {
  return { from: search.from ?? DEFAULT_RANGE.from, to: search.to ?? DEFAULT_RANGE.to };
}
