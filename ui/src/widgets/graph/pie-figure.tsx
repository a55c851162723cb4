import { useMemo } from "react";
import { t } from "@/lib/i18n";
import { formatNumber, formatValue } from "@/lib/units";
import classes from "./graph.module.css";
import type { GraphFigureProps } from "./graph-figure";
import { type Pie, pieOf, type Slice, slicePath } from "./pie";
import { useSeries } from "./series";

// one bucket would do, were there no trends: their hours are put into buckets that begin with them
const PIE_BUCKETS = 60;
const EXPLODED_BY = 0.08;
const DECIMALS = 2;

export function PieFigure(props: GraphFigureProps) {
  const { spec, range, height = 150, caption, legend = spec.hasLegend } = props;
  const itemids = useMemo(() => [...new Set(spec.lines.map((it) => it.itemid))], [spec]);
  const query = useSeries(itemids, range, PIE_BUCKETS);
  const pie = useMemo(
    () => pieOf(spec.lines, new Map(query.data?.series.map((it) => [it.itemid, it]))),
    [spec, query.data],
  );
  const failed = query.isError && query.data === undefined;
  const empty = query.data !== undefined && pie.slices.length === 0;
  const { title } = spec;
  return (
    <figure className={classes["figure"]} aria-label={title}>
      <figcaption className={classes["caption"]}>
        <span className="ellipsis" title={title}>
          {caption ?? title}
        </span>
      </figcaption>
      <PieDrawing
        slices={pie.slices}
        title={title}
        isExploded={spec.kind === "exploded"}
        height={height}
      />
      {empty ? <p className={classes["empty"]}>{t("no values in this period")}</p> : null}
      {failed ? <p className={classes["failed"]}>{t("The values could not be loaded.")}</p> : null}
      {legend ? <PieLegend pie={pie} /> : null}
    </figure>
  );
}

export interface PieDrawingProps {
  readonly slices: readonly Slice[];
  readonly title: string;
  readonly isExploded: boolean;
  readonly height: number;
}

export function PieDrawing({ slices, title, isExploded, height }: PieDrawingProps) {
  return (
    <svg
      className={classes["pie"]}
      role="img"
      aria-label={t("Chart of {title}", { title })}
      height={height}
      viewBox="-1.15 -1.15 2.3 2.3"
    >
      {slices.map((slice) => (
        <SlicePart key={slice.id} slice={slice} isExploded={isExploded} />
      ))}
    </svg>
  );
}

function SlicePart({ slice, isExploded }: { readonly slice: Slice; readonly isExploded: boolean }) {
  const middle = (slice.from + slice.share / 2) * 2 * Math.PI;
  const by = isExploded && slice.share < 1 ? EXPLODED_BY : 0;
  const [x, y] = [Math.sin(middle) * by, -Math.cos(middle) * by];
  return (
    <path d={slicePath(slice)} fill={slice.color} transform={`translate(${x} ${y})`}>
      <title>{`${slice.name}: ${formatValue(slice.value, slice.units, DECIMALS)}`}</title>
    </path>
  );
}

export function PieLegend({ pie }: { readonly pie: Pie }) {
  return (
    <table className={classes["legend"]}>
      <thead>
        <tr>
          <th scope="col">{t("Item")}</th>
          <th scope="col">{t("value")}</th>
          <th scope="col">{t("share")}</th>
        </tr>
      </thead>
      <tbody>
        {pie.slices.map(({ id, name, color, value, units, share }) => (
          <tr key={id}>
            <th scope="row" title={name}>
              <i style={{ background: color }} />
              {name}
            </th>
            <td>{formatValue(value, units, DECIMALS)}</td>
            <td>{formatNumber(share * 100, 1)} %</td>
          </tr>
        ))}
        {pie.absent.map((name) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>–</td>
            <td>–</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
