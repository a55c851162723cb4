// Lines of a graph with their values over the range, or under the crosshair. A click hides a line or shows it
// again; the one that is pointed at stands out in the picture.

import type { Series } from "@/api/types";
import { t } from "@/lib/i18n";
import { formatValue } from "@/lib/units";
import { lineStats } from "@/ui/charts/align";
import classes from "./graph.module.css";
import { lineId, valueAt } from "./series";
import type { GraphLine } from "./spec";

export interface LegendProps {
  readonly label: string;
  readonly lines: readonly GraphLine[];
  readonly series: ReadonlyMap<string, Series>;
  /** the time before that is compared with */
  readonly earlier: ReadonlyMap<string, Series> | undefined;
  readonly hover: number | undefined;
  /** ids of lines */
  readonly hidden: ReadonlySet<string>;
  readonly onToggle: (id: string) => void;
  readonly onFocus: (id: string | undefined) => void;
}

const DECIMALS = 2;

export function Legend(props: LegendProps) {
  const { label, lines, series, earlier, hover, hidden, onToggle, onFocus } = props;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <div className={classes["legendBox"]} tabIndex={0}>
      <table className={classes["legend"]} aria-label={label}>
        <thead>
          <tr>
            <th scope="col">{t("Item")}</th>
            <th scope="col">{hover === undefined ? t("last") : t("here")}</th>
            <th scope="col">{t("min")}</th>
            <th scope="col">{t("avg")}</th>
            <th scope="col">{t("max")}</th>
            {earlier === undefined ? null : <th scope="col">{t("avg before")}</th>}
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <LegendRow
              key={lineId(line)}
              line={line}
              series={series.get(line.itemid)}
              earlier={earlier === undefined ? undefined : (earlier.get(line.itemid) ?? null)}
              hover={hover}
              isHidden={hidden.has(lineId(line))}
              onToggle={onToggle}
              onFocus={onFocus}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface LegendRowProps extends Pick<LegendProps, "hover" | "onToggle" | "onFocus"> {
  readonly line: GraphLine;
  readonly series: Series | undefined;
  /** null: nothing is known of it; undefined: nothing is compared */
  readonly earlier: Series | null | undefined;
  readonly isHidden: boolean;
}

function LegendRow(props: LegendRowProps) {
  const { line, series, earlier, hover, isHidden, onToggle, onFocus } = props;
  const id = lineId(line);
  const text = (value: number | null | undefined) =>
    value === undefined || value === null ? "–" : formatValue(value, line.units, DECIMALS);
  const stats = series === undefined ? undefined : lineStats(series);
  const here =
    hover === undefined || series === undefined ? stats?.last : valueAt(series, line.calc, hover);
  return (
    <tr
      data-hidden={isHidden || undefined}
      onMouseEnter={() => onFocus(id)}
      onMouseLeave={() => onFocus(undefined)}
    >
      <th scope="row" title={line.name}>
        <button
          type="button"
          aria-pressed={!isHidden}
          onClick={() => onToggle(id)}
          onFocus={() => onFocus(id)}
          onBlur={() => onFocus(undefined)}
        >
          <i style={{ background: line.color }} data-draw={line.draw} />
          {line.name}
          {line.axis === "right" ? <span className="dim"> {t("right axis")}</span> : null}
        </button>
      </th>
      <td>{text(here)}</td>
      <td>{text(stats?.min)}</td>
      <td>{text(stats?.avg)}</td>
      <td>{text(stats?.max)}</td>
      {earlier === undefined ? null : (
        <td>{earlier === null ? "–" : text(lineStats(earlier).avg)}</td>
      )}
    </tr>
  );
}
