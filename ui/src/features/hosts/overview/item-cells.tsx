// Newest values and small graphs of items, as cells of lists.

import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { LatestRow } from "@/api/latest-columns";
import { useLiveValue } from "@/api/latest-store";
import type { Id, Series } from "@/api/types";
import { t } from "@/lib/i18n";
import { isNumeric } from "@/lib/item-types";
import { nowSeconds, resolveRange, type TimeRange } from "@/lib/time";
import { Sparkline } from "@/ui/charts/sparkline";
import { useSeries } from "@/widgets/graph/series";
import { valueText } from "@/widgets/value-text";
import classes from "./overview.module.css";

const SPARK_BUCKETS = 48;
// what one request for series takes
const SPARKS_MAX = 200;

export interface Sparks {
  readonly byId: ReadonlyMap<Id, Series>;
  readonly range: TimeRange;
}

/** Lines of the numeric items among the rows, asked for at once. */
export function useSparks(rows: readonly LatestRow[], range: TimeRange): Sparks {
  const itemids = useMemo(
    () =>
      rows
        .filter(({ valueType, units }) => isNumeric(valueType) && units !== "unixtime")
        .map((it) => it.itemid)
        .slice(0, SPARKS_MAX),
    [rows],
  );
  const query = useSeries(itemids, range, SPARK_BUCKETS);
  return useMemo(
    () => ({ byId: new Map(query.data?.series.map((it) => [it.itemid, it])), range }),
    [query.data, range],
  );
}

export interface SparkProps {
  readonly itemid: Id;
  readonly sparks: Sparks;
  readonly width?: number;
}

export function Spark({ itemid, sparks, width = 72 }: SparkProps) {
  const series = sparks.byId.get(itemid);
  if (series === undefined) return null;
  const { from, to } = resolveRange(sparks.range, nowSeconds());
  return (
    <Sparkline t={series.t} values={series.avg} from={from} to={to} width={width} height={18} />
  );
}

/** The newest value; it leads to the item. */
export function ItemValue({ row }: { readonly row: LatestRow }) {
  const live = useLiveValue(row);
  const text = valueText(row, live);
  const isBad = live.state !== 0;
  return (
    <Link
      className={`${classes["value"]} ellipsis`}
      to="/hosts/$hostid/latest"
      params={{ hostid: row.hostid }}
      search={{ item: row.itemid }}
      title={isBad ? live.error : `${row.name}: ${text}`}
      aria-label={`${row.name}: ${isBad ? t("not supported") : text}`}
    >
      {isBad ? <span className="bad">{t("not supported")}</span> : text === "" ? "–" : text}
    </Link>
  );
}
