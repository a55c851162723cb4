// A graph with everything around it: its lines, those of a time before, thresholds and problems, a legend with
// numbers, and ways to take it away.

import { ActionIcon, Menu } from "@mantine/core";
import { IconDotsVertical } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useCallback, useMemo, useRef, useState } from "react";
import { fetchValuedItems } from "@/api/items";
import { keys } from "@/api/query-keys";
import type { Id, Series } from "@/api/types";
import { saveCsv } from "@/lib/csv";
import { t } from "@/lib/i18n";
import { fileName, saveBlob } from "@/lib/save-file";
import { toSeverity } from "@/lib/severity";
import { formatDateTime, nowSeconds, resolveRange, type TimeRange } from "@/lib/time";
import { formatValue } from "@/lib/units";
import type { Axis, ChartLine } from "@/ui/charts/plot-data";
import type { ChartLevel, ChartSpan } from "@/ui/charts/plot-draw";
import type { AxisEnds } from "@/ui/charts/plot-scale";
import type { StackMode } from "@/ui/charts/stack";
import { TimeChart } from "@/ui/charts/time-chart";
import { notifyFailed } from "@/ui/notify";
import { graphCsv, graphPng } from "./export";
import classes from "./graph.module.css";
import { Legend } from "./legend";
import { type ProblemSpan, type ThresholdLevel, useProblemSpans, useWatching } from "./marks";
import { PieFigure } from "./pie-figure";
import { BUCKETS, chartLine, lineId, percentile, useSeries, valuesOf } from "./series";
import { sourcesOf } from "./sources";
import { type EndSpec, type GraphLine, type GraphSpec, unitsOf } from "./spec";
import { comparisonOf, type GraphView, PLAIN_VIEW } from "./view";
import type { Zoom } from "./zoom";

export interface GraphFigureProps {
  readonly spec: GraphSpec;
  readonly range: TimeRange;
  readonly zoom: Pick<Zoom, "zoom"> & Partial<Zoom>;
  readonly view?: GraphView;
  readonly height?: number;
  /** charts of one group share their crosshair */
  readonly sync?: string | undefined;
  readonly buckets?: number;
  readonly legend?: boolean;
  /** marked next to the problems of its triggers */
  readonly spans?: readonly ChartSpan[] | undefined;
  /** in place of the title: a link to the graph */
  readonly caption?: ReactNode;
}

const NONE: readonly Id[] = [];

export function GraphFigure(props: GraphFigureProps) {
  const { kind } = props.spec;
  return kind === "pie" || kind === "exploded" ? (
    <PieFigure {...props} />
  ) : (
    <LineFigure {...props} />
  );
}

function LineFigure(props: GraphFigureProps) {
  const { spec, range, zoom, view = PLAIN_VIEW, height = 150, sync, buckets = BUCKETS } = props;
  const { legend = spec.hasLegend, caption } = props;
  const itemids = useMemo(() => [...new Set(spec.lines.map((it) => it.itemid))], [spec]);
  const query = useSeries(itemids, range, buckets);
  const shift = comparisonOf(view);
  const before = useSeries(shift === 0 ? NONE : itemids, range, buckets, shift);
  const [hover, setHover] = useState<number | undefined>(undefined);
  const [focus, setFocus] = useState<string | undefined>(undefined);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const canvas = useRef<HTMLCanvasElement | null>(null);
  const series = useMemo(() => byItem(query.data?.series), [query.data]);
  const earlier = useMemo(
    () => (shift === 0 ? undefined : byItem(before.data?.series)),
    [shift, before.data],
  );
  const shown = useMemo(
    () => spec.lines.filter((line) => !hidden.has(lineId(line))),
    [spec, hidden],
  );
  const stack = stackOf(spec, view);
  const lines = useMemo(
    () => chartLines(shown, series, earlier, view),
    [shown, series, earlier, view],
  );
  const marks = useMarks({ spec, itemids, range, view, series, shown, stack });
  const spans = useMemo(() => [...(props.spans ?? []), ...marks.spans], [props.spans, marks.spans]);
  const ends = useEnds(spec);
  const toggle = useCallback(
    (id: string) =>
      setHidden((known) => {
        const next = new Set(known);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
    [],
  );
  const at = query.data ?? resolveRange(range, nowSeconds());
  const failed = query.isError && query.data === undefined;
  const empty = query.data?.series.every((it) => it.t.length === 0) === true;
  const { title } = spec;
  return (
    <figure className={classes["figure"]} aria-label={title}>
      <figcaption className={classes["caption"]}>
        <span className="ellipsis" title={title}>
          {caption ?? title}
        </span>
        <span className={classes["note"]}>
          <HoverNote hover={hover} problems={marks.problems} />
          <SourceNote series={query.data?.series ?? []} />
          <FigureMenu spec={spec} shown={shown} series={series} range={range} canvas={canvas} />
        </span>
      </figcaption>
      <TimeChart
        label={t("Chart of {title}", { title })}
        lines={lines}
        units={unitsOf(spec, "left")}
        unitsRight={unitsOf(spec, "right")}
        height={height}
        from={at.from}
        to={at.to}
        onZoom={zoom.zoom}
        onZoomBack={zoom.back}
        onHover={setHover}
        fill={spec.lines.length === 1 && spec.lines[0]?.draw === "line"}
        stack={stack}
        isLogarithmic={view.isLogarithmic}
        ends={ends}
        sync={sync}
        spans={spans}
        levels={marks.levels}
        focus={focus}
        canvas={canvas}
      />
      {empty ? <p className={classes["empty"]}>{t("no values in this period")}</p> : null}
      {failed ? <p className={classes["failed"]}>{t("The values could not be loaded.")}</p> : null}
      {legend ? (
        <Legend
          label={t("Legend of {title}", { title })}
          lines={spec.lines}
          series={series}
          earlier={earlier}
          hover={hover}
          hidden={hidden}
          onToggle={toggle}
          onFocus={setFocus}
        />
      ) : null}
    </figure>
  );
}

const NO_SERIES: ReadonlyMap<string, Series> = new Map();

function byItem(series: readonly Series[] | undefined): ReadonlyMap<string, Series> {
  return series === undefined ? NO_SERIES : new Map(series.map((it) => [it.itemid, it]));
}

function stackOf({ kind }: GraphSpec, { stack }: GraphView): StackMode {
  if (stack !== "auto") return stack;
  return kind === "stacked" ? "stacked" : "none";
}

function chartLines(
  shown: readonly GraphLine[],
  series: ReadonlyMap<string, Series>,
  earlier: ReadonlyMap<string, Series> | undefined,
  { hasBands }: GraphView,
): readonly ChartLine[] {
  const lines = shown.map((line) =>
    chartLine(line, series.get(line.itemid), {
      hasBand: hasBands || line.calc === "all",
      isEarlier: false,
    }),
  );
  if (earlier === undefined) return lines;
  const before = shown.map((line) =>
    chartLine(line, earlier.get(line.itemid), { hasBand: false, isEarlier: true }),
  );
  return [...lines, ...before];
}

interface MarksInput {
  readonly spec: GraphSpec;
  readonly itemids: readonly Id[];
  readonly range: TimeRange;
  readonly view: GraphView;
  readonly series: ReadonlyMap<string, Series>;
  readonly shown: readonly GraphLine[];
  readonly stack: StackMode;
}

const NO_PROBLEMS: readonly ProblemSpan[] = [];

/** Levels across the graph and times behind it. */
function useMarks({ spec, itemids, range, view, series, shown, stack }: MarksInput) {
  const wanted = view.hasMarks && spec.hasThresholds;
  const watching = useWatching(itemids, wanted);
  const found = useProblemSpans(wanted ? watching.data?.triggers : undefined, range);
  const problems = wanted ? (found.data ?? NO_PROBLEMS) : NO_PROBLEMS;
  const thresholds = wanted && stack === "none" ? watching.data?.levels : undefined;
  const levels = useMemo(
    () => [
      ...thresholdLevels(thresholds ?? [], shown),
      ...(stack === "none" ? percentileLevels(spec, view, shown, series) : []),
    ],
    [thresholds, spec, view, shown, series, stack],
  );
  const spans = useMemo(
    () => problems.map(({ from, to }): ChartSpan => ({ from, to, tone: "problem" })),
    [problems],
  );
  return { problems, levels, spans };
}

function thresholdLevels(
  thresholds: readonly ThresholdLevel[],
  shown: readonly GraphLine[],
): readonly ChartLevel[] {
  return thresholds.flatMap(({ itemid, name, severity, operator, value }): ChartLevel[] => {
    const line = shown.find((it) => it.itemid === itemid);
    if (line === undefined) return [];
    return [
      {
        value,
        axis: line.axis,
        text: `${name} (${operator} ${formatValue(value, line.units, 2)})`,
        color: `var(--severity-${toSeverity(severity)})`,
        dash: [7, 4],
        textAt: "start",
      },
    ];
  });
}

function percentileLevels(
  spec: GraphSpec,
  view: GraphView,
  shown: readonly GraphLine[],
  series: ReadonlyMap<string, Series>,
): readonly ChartLevel[] {
  const wanted: Readonly<Record<Axis, number>> = {
    left: view.percentile || spec.percentLeft,
    right: view.percentile || spec.percentRight,
  };
  return (["left", "right"] as const).flatMap((axis): ChartLevel[] => {
    const percent = wanted[axis];
    const lines = shown.filter((it) => it.axis === axis);
    if (percent <= 0 || lines.length === 0) return [];
    const values = lines.flatMap((line) => {
      const of = series.get(line.itemid);
      return of === undefined ? [] : valuesOf(of, line.calc);
    });
    const value = percentile(values, percent);
    if (value === undefined) return [];
    const text = t("{percent}th percentile: {value}", {
      percent,
      value: formatValue(value, unitsOf(spec, axis), 2),
    });
    return [{ value, axis, text, color: "var(--accent)", dash: [2, 3], textAt: "end" }];
  });
}

/** Both axes of a configured graph end where it says. */
function useEnds({ min, max }: GraphSpec): Readonly<Record<Axis, AxisEnds>> {
  const wanted = [min, max].flatMap((it) =>
    it !== undefined && "itemid" in it ? [it.itemid] : [],
  );
  const query = useQuery({
    queryKey: keys.picked(wanted),
    queryFn: ({ signal }) => fetchValuedItems({ itemids: wanted }, signal),
    enabled: wanted.length > 0,
  });
  return useMemo(() => {
    const place = (end: EndSpec): number | undefined => {
      if (end === undefined) return undefined;
      if ("value" in end) return end.value;
      const item = query.data?.find((it) => it.itemid === end.itemid);
      return item === undefined || item.lastclock === 0 ? undefined : Number(item.lastvalue);
    };
    const ends = { min: place(min), max: place(max) };
    return { left: ends, right: ends };
  }, [min, max, query.data]);
}

interface HoverNoteProps {
  readonly hover: number | undefined;
  readonly problems: readonly ProblemSpan[];
}

/** The time under the crosshair, and what was wrong then. */
function HoverNote({ hover, problems }: HoverNoteProps) {
  if (hover === undefined) return null;
  const here = problems.filter(({ from, to }) => from <= hover && hover <= to);
  const names = [...new Set(here.map((it) => it.name))];
  return (
    <>
      {names.length === 0 ? null : (
        <span className={`bad ellipsis ${classes["problems"]}`}>{names.join(", ")}</span>
      )}
      <time>{formatDateTime(hover)}</time>
    </>
  );
}

/** Whether the lines are of values, of trends or of both. */
function SourceNote({ series }: { readonly series: readonly Series[] }) {
  const sources = sourcesOf(series);
  if (sources === undefined) return null;
  return <span title={sources.detail}>{sources.name}</span>;
}

interface FigureMenuProps {
  readonly spec: GraphSpec;
  readonly shown: readonly GraphLine[];
  readonly series: ReadonlyMap<string, Series>;
  readonly range: TimeRange;
  readonly canvas: { readonly current: HTMLCanvasElement | null };
}

function FigureMenu({ spec, shown, series, range, canvas }: FigureMenuProps) {
  const { title } = spec;
  const png = async () => {
    const plot = canvas.current;
    if (plot === null) return;
    const { from, to } = resolveRange(range, nowSeconds());
    const note = `${formatDateTime(from)} – ${formatDateTime(to)}`;
    saveBlob(fileName(title, "png"), await graphPng({ title, note, plot, lines: shown }));
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          size="xs"
          variant="subtle"
          color="gray"
          aria-label={t("Menu of {title}", { title })}
          data-print="hide"
        >
          <IconDotsVertical size={13} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          onClick={() =>
            void png().catch((error: unknown) =>
              notifyFailed(t("The image could not be created."), error),
            )
          }
        >
          {t("Save as PNG")}
        </Menu.Item>
        <Menu.Item onClick={() => saveCsv(fileName(title, "csv"), graphCsv(shown, series))}>
          {t("Save as CSV")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
