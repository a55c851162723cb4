// What the trigger of a problem looks at: the values as they are now, and how they went.

import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { ProblemRow } from "@/api/problem-table";
import type { ValuedItem } from "@/api/types";
import { byUnits } from "@/lib/by-units";
import { t } from "@/lib/i18n";
import { isNumeric } from "@/lib/item-types";
import { nowSeconds, resolveRange } from "@/lib/time";
import { formatValue } from "@/lib/units";
import type { ChartSpan } from "@/ui/charts/plot-draw";
import { QueryGate } from "@/ui/states";
import { Age } from "@/ui/times";
import { ItemChart } from "@/widgets/item-chart";
import { StateNote } from "@/widgets/state-note";
import classes from "./problems.module.css";
import { useTriggerItems } from "./queries";
import { rangeAround } from "./range";

const CHART_HEIGHT = 120;

export function ProblemItems({ problem }: { readonly problem: ProblemRow }) {
  const query = useTriggerItems(problem.objectid);
  return (
    <QueryGate query={query}>
      {(items) =>
        items.length === 0 ? (
          <p className="dim">{t("Its items no longer exist or you have no access to them.")}</p>
        ) : (
          <>
            {items.map((item) => (
              <ItemValue key={item.itemid} item={item} />
            ))}
            <Charts problem={problem} items={items} />
          </>
        )
      }
    </QueryGate>
  );
}

function ItemValue({ item }: { readonly item: ValuedItem }) {
  const { itemid, hostid, name, key, units, valueType, lastvalue, lastclock } = item;
  const text = isNumeric(valueType) ? formatValue(lastvalue, units) : lastvalue;
  return (
    <div>
      <div className={classes["itemValue"]}>
        <Link
          className="ellipsis"
          title={key}
          to="/hosts/$hostid/latest"
          params={{ hostid }}
          search={{ item: itemid }}
        >
          {name}
        </Link>
        {lastclock === 0 ? (
          <span className="dim">{t("no value yet")}</span>
        ) : (
          <>
            <strong className="ellipsis" title={text}>
              {text}
            </strong>
            <span className="dim">
              <Age since={lastclock} />
            </span>
          </>
        )}
        <Link className="dim" to="/hosts/$hostid/items/$itemid" params={{ hostid, itemid }}>
          {t("Configuration")}
        </Link>
      </div>
      <StateNote state={item.state} error={item.error} />
    </div>
  );
}

interface ChartsProps {
  readonly problem: ProblemRow;
  readonly items: readonly ValuedItem[];
}

function Charts({ problem: { eventid, clock, rClock }, items }: ChartsProps) {
  const [range, setRange] = useState(() => rangeAround(clock, rClock, nowSeconds()));
  const spans = useMemo((): readonly ChartSpan[] => {
    const { to } = resolveRange(range, nowSeconds());
    return [{ from: clock, to: rClock > 0 ? rClock : Math.max(to, clock), tone: "problem" }];
  }, [clock, rClock, range]);
  return byUnits(items).map((group) => (
    <ItemChart
      key={group[0]?.itemid}
      title={group.length === 1 ? (group[0]?.name ?? "") : t("Items of the trigger")}
      items={group}
      units={group[0]?.units ?? ""}
      range={range}
      onRange={setRange}
      height={CHART_HEIGHT}
      sync={eventid}
      spans={spans}
    />
  ));
}
