// A chart with its legend, as graph widgets of all kinds show it.

import { useMemo, useState } from "react";
import type { Id, Series } from "@/api/types";
import type { BoardItem } from "@/api/widgets";
import { t } from "@/lib/i18n";
import { formatDateTime } from "@/lib/time";
import { formatValue } from "@/lib/units";
import { lineStats } from "@/ui/charts/align";
import { type Axis, BoardChart, type BoardChartProps, type BoardLine } from "./board-chart";
import { useBoard } from "./context";
import classes from "./widgets.module.css";

/** How an item is drawn. */
export interface LineLook extends Omit<BoardLine, "t" | "values" | "joints" | "name"> {
  /** of the line: an item may be drawn twice */
  readonly id: string;
  readonly itemid: Id;
  readonly name: string;
  /** seconds that the line is moved by */
  readonly shift: number;
  readonly value: "avg" | "min" | "max";
  /** from the least to the greatest value as well */
  readonly band?: boolean;
  /** the legend leaves it out */
  readonly unnamed?: boolean;
  /** what is missing: 0 a gap, 1 connected, 2 zero, 3 the last value */
  readonly missing: number;
}

export interface ChartViewProps {
  readonly label: string;
  readonly looks: readonly LineLook[];
  readonly items: readonly BoardItem[];
  readonly series: readonly Series[];
  readonly from: number;
  readonly to: number;
  readonly width: number;
  readonly height: number;
  readonly left?: Partial<Axis>;
  readonly right?: Partial<Axis>;
  readonly showTime?: boolean;
  readonly spans?: BoardChartProps["spans"];
  readonly levels?: BoardChartProps["levels"];
  /** lines of the legend; 0: none */
  readonly legendLines: number;
  readonly legendColumns?: number;
  readonly statistic?: boolean;
}

const LEGEND_LINE_PX = 18;
const DECIMALS = 2;
const NO_SPANS: BoardChartProps["spans"] = [];
const NO_LEVELS: BoardChartProps["levels"] = [];

export function ChartView(props: ChartViewProps) {
  const { label, looks, items, series, from, to, width, height, statistic = false } = props;
  const { legendLines, legendColumns = 4, spans = NO_SPANS, levels = NO_LEVELS } = props;
  const { setRange } = useBoard();
  const [hover, setHover] = useState<number | undefined>(undefined);
  const byId = useMemo(() => new Map(series.map((it) => [it.itemid, it])), [series]);
  const units = useMemo(() => new Map(items.map((it) => [it.itemid, it.units])), [items]);
  const lines = useMemo(
    () => looks.map((look) => lineOf(look, byId.get(look.itemid), to)),
    [looks, byId, to],
  );
  const ofSide = (isRight: boolean) => looks.filter((it) => it.right === isRight);
  const axis = (isRight: boolean, given: Partial<Axis> | undefined): Axis => ({
    shown: ofSide(isRight).length > 0,
    units: units.get(ofSide(isRight)[0]?.itemid ?? "") ?? "",
    min: undefined,
    max: undefined,
    ...given,
  });
  const named = looks.filter((it) => it.unnamed !== true);
  const rows = statistic ? named.length : Math.ceil(named.length / legendColumns);
  const shown = Math.min(legendLines, rows) + (statistic && legendLines > 0 ? 1 : 0);
  const legendPx = legendLines === 0 ? 0 : shown * LEGEND_LINE_PX + 4;
  const isEmpty = lines.every((it) => it.t.length === 0);
  return (
    <div className={classes["chart"]}>
      <BoardChart
        label={t("Chart of {title}", { title: label })}
        lines={lines}
        left={axis(false, props.left)}
        right={axis(true, props.right)}
        showTime={props.showTime ?? true}
        from={from}
        to={to}
        width={width}
        height={Math.max(40, height - legendPx)}
        spans={spans}
        levels={levels}
        onZoom={(start, end) => setRange({ from: formatDateTime(start), to: formatDateTime(end) })}
        onHover={setHover}
      />
      {isEmpty ? <p className={classes["chartEmpty"]}>{t("no values in this period")}</p> : null}
      {legendLines === 0 ? null : (
        <Legend
          looks={named}
          series={byId}
          units={units}
          hover={hover}
          height={legendPx}
          columns={legendColumns}
          statistic={statistic}
        />
      )}
    </div>
  );
}

function lineOf(look: LineLook, series: Series | undefined, to: number): BoardLine {
  const { itemid: _, band: __, unnamed: ___, shift, value, missing, ...base } = look;
  if (series === undefined) return { ...base, t: [], values: [] };
  const joints = series.parts.slice(1).map((part) => part.from + shift);
  const times = series.t.map((time) => time + shift);
  return { ...base, joints, ...withMissing(times, series[value], missing, to) };
}

interface Samples {
  readonly t: readonly number[];
  readonly values: readonly (number | null)[];
}

const ZERO = 2;
const LAST_KNOWN = 3;

/** What stands where values are missing, by the widget's choice; the last one is known until now. */
function withMissing(
  t: readonly number[],
  values: readonly (number | null)[],
  missing: number,
  to: number,
): Samples {
  if (missing === ZERO) return { t, values: values.map((it) => it ?? 0) };
  if (missing !== LAST_KNOWN) return { t, values };
  let last: number | null = null;
  const known = values.map((it) => {
    last = it ?? last;
    return last;
  });
  const end = t.at(-1);
  return end === undefined || end >= to
    ? { t, values: known }
    : { t: [...t, to], values: [...known, last] };
}

interface LegendProps {
  readonly looks: readonly LineLook[];
  readonly series: ReadonlyMap<Id, Series>;
  readonly units: ReadonlyMap<Id, string>;
  readonly hover: number | undefined;
  readonly height: number;
  readonly columns: number;
  readonly statistic: boolean;
}

function Legend({ looks, series, units, hover, height, columns, statistic }: LegendProps) {
  const text = (itemid: Id, value: number | null | undefined) =>
    value === undefined || value === null
      ? "–"
      : formatValue(value, units.get(itemid) ?? "", DECIMALS);
  const here = (look: LineLook) => {
    const data = series.get(look.itemid);
    if (data === undefined) return undefined;
    return hover === undefined ? lineStats(data).last : valueAt(data, hover - look.shift);
  };
  if (!statistic) {
    return (
      <ul
        className={classes["legend"]}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
        tabIndex={0}
        aria-label={t("Legend")}
        style={{ height, gridTemplateColumns: `repeat(${Math.min(columns, looks.length)}, 1fr)` }}
      >
        {looks.map((look) => (
          <li key={look.id} title={look.name}>
            <i style={{ background: look.color }} />
            <span className="ellipsis">{look.name}</span>
            {hover === undefined ? null : <b>{text(look.itemid, here(look))}</b>}
          </li>
        ))}
      </ul>
    );
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <div className={classes["legendTable"]} style={{ height }} tabIndex={0}>
      <table aria-label={t("Legend")}>
        <thead>
          <tr>
            <th scope="col">{t("Item")}</th>
            <th scope="col">{hover === undefined ? t("last") : t("here")}</th>
            <th scope="col">{t("min")}</th>
            <th scope="col">{t("avg")}</th>
            <th scope="col">{t("max")}</th>
          </tr>
        </thead>
        <tbody>
          {looks.map((look) => {
            const data = series.get(look.itemid);
            const stats = data === undefined ? undefined : lineStats(data);
            return (
              <tr key={look.id}>
                <th scope="row" title={look.name}>
                  <i style={{ background: look.color }} />
                  {look.name}
                </th>
                <td>{text(look.itemid, here(look))}</td>
                <td>{text(look.itemid, stats?.min)}</td>
                <td>{text(look.itemid, stats?.avg)}</td>
                <td>{text(look.itemid, stats?.max)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** The newest value at or before the instant. */
function valueAt(series: Series, seconds: number): number | undefined {
  const at = series.t.findLastIndex((time, n) => time <= seconds && series.avg[n] !== null);
  return at < 0 ? undefined : (series.avg[at] ?? undefined);
}
