// What was picked in latest data, drawn together: a chart for each kind of units, one range, one crosshair.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { fetchValuedItems } from "@/api/items";
import { keys } from "@/api/query-keys";
import type { Id } from "@/api/types";
import { byUnits } from "@/lib/by-units";
import { plural, t } from "@/lib/i18n";
import { isNumeric } from "@/lib/item-types";
import type { TimeRange } from "@/lib/time";
import { Page } from "@/ui/page";
import { EmptyState, QueryGate } from "@/ui/states";
import { TimeRangePicker } from "@/ui/time-range-picker";
import { ItemChart } from "@/widgets/item-chart";
import { type GraphSearch, graphItems, graphLines } from "./graph";
import classes from "./latest.module.css";

export interface GraphPageProps {
  readonly search: GraphSearch;
  readonly onSearch: (search: GraphSearch) => void;
}

const HEIGHT_ALONE = 420;
const HEIGHT = 220;

function usePickedItems(itemids: readonly Id[]) {
  return useQuery({
    queryKey: keys.picked(itemids),
    queryFn: ({ signal }) => fetchValuedItems({ itemids }, signal),
    placeholderData: keepPreviousData,
  });
}

export function GraphPage({ search, onSearch }: GraphPageProps) {
  const itemids = useMemo(() => graphItems(search), [search]);
  const query = usePickedItems(itemids);
  const range: TimeRange = { from: search.from ?? "now-1h", to: search.to ?? "now" };
  const setRange = ({ from, to }: TimeRange) => onSearch({ ...search, from, to });
  const groups = useMemo(
    () =>
      byUnits(query.data ?? []).map((items) => ({
        ...graphLines(items),
        units: items[0]?.units ?? "",
      })),
    [query.data],
  );
  const drawn = groups.reduce((sum, { lines }) => sum + lines.length, 0);
  const texts = (query.data ?? []).filter(({ valueType }) => !isNumeric(valueType)).length;
  return (
    <Page
      title={t("Graph")}
      note={
        <>
          {plural(drawn, "1 item", "{n} items")}
          {texts === 0
            ? null
            : `; ${plural(texts, "1 has no numbers to draw", "{n} have no numbers to draw")}`}
        </>
      }
      actions={<TimeRangePicker range={range} onChange={setRange} />}
      scroll
    >
      <QueryGate query={query}>
        {() =>
          groups.length === 0 ? (
            <EmptyState title={t("Nothing to draw")}>
              {t("Pick items with numbers in latest data.")}
            </EmptyState>
          ) : (
            <div className={classes["graphs"]}>
              {groups.map(({ title, lines, units }) => (
                <ItemChart
                  key={units}
                  title={title}
                  items={lines}
                  units={units}
                  range={range}
                  onRange={setRange}
                  height={groups.length === 1 ? HEIGHT_ALONE : HEIGHT}
                  sync="picked"
                />
              ))}
            </div>
          )
        }
      </QueryGate>
    </Page>
  );
}
