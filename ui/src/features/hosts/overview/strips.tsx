// Two strips of the time: whether the host answered, and how bad its problems were.

import { useMemo } from "react";
import type { LatestRow } from "@/api/latest-columns";
import type { Id } from "@/api/types";
import { t } from "@/lib/i18n";
import { severityName, toSeverity } from "@/lib/severity";
import { formatDateTime, nowSeconds, resolveRange, type TimeRange } from "@/lib/time";
import { formatNumber } from "@/lib/units";
import { useProblemSpans } from "@/widgets/graph/marks";
import { useSeries } from "@/widgets/graph/series";
import classes from "./overview.module.css";
import { useHostTriggers } from "./queries";
import {
  availabilityCells,
  availabilityItem,
  CELLS,
  type Cell,
  type CellState,
  type ProblemCell,
  problemCells,
  upShare,
} from "./strip";

// several of a cell, so that none falls between two
const BUCKETS = CELLS * 2;
const CELL_WIDTH = 10;
const HEIGHT = 18;

const FILLS: Readonly<Record<CellState, string>> = {
  up: "var(--ok)",
  down: "var(--bad)",
  partly: "var(--severity-2)",
  unknown: "var(--line)",
};

export interface StripsProps {
  readonly hostid: Id;
  readonly rows: readonly LatestRow[];
  readonly range: TimeRange;
}

export function Strips({ hostid, rows, range }: StripsProps) {
  return (
    <div className={classes["strips"]}>
      <AvailabilityStrip rows={rows} range={range} />
      <ProblemStrip hostid={hostid} range={range} />
    </div>
  );
}

const NONE: readonly Id[] = [];

function AvailabilityStrip({ rows, range }: Omit<StripsProps, "hostid">) {
  const item = useMemo(() => availabilityItem(rows), [rows]);
  const itemids = useMemo(() => (item === undefined ? NONE : [item.itemid]), [item]);
  const query = useSeries(itemids, range, BUCKETS);
  const { from, to } = query.data ?? resolveRange(range, nowSeconds());
  if (item === undefined) return null;
  const cells = availabilityCells(query.data?.series[0], item, from, to);
  const share = upShare(cells);
  const text =
    share === undefined
      ? t("unknown")
      : t("{n} % of the time with known availability", { n: formatNumber(share * 100, 3) });
  return (
    <Strip
      name={t("Availability")}
      text={text}
      note={item.name}
      cells={cells.map((cell) => ({
        at: cell.from,
        fill: FILLS[cell.state],
        title: cellText(cell),
      }))}
    />
  );
}

function cellText({ from, state, up }: Cell): string {
  const time = formatDateTime(from);
  if (up === undefined) return t("{time}: unknown", { time });
  if (state === "up") return t("{time}: available", { time });
  if (state === "down") return t("{time}: not available", { time });
  return t("{time}: available for {n} %", { time, n: formatNumber(up * 100, 1) });
}

function ProblemStrip({ hostid, range }: Omit<StripsProps, "rows">) {
  const triggers = useHostTriggers(hostid);
  const spans = useProblemSpans(triggers.data, range);
  const { from, to } = resolveRange(range, nowSeconds());
  if (triggers.data?.length === 0) return null;
  const cells = problemCells(spans.data ?? [], from, to);
  const bad = cells.filter(({ severity }) => severity !== undefined);
  const worst = Math.max(...bad.map(({ severity = 0 }) => severity));
  const text =
    bad.length === 0
      ? t("none")
      : t("{n} % of the time, highest severity {severity}", {
          n: formatNumber((bad.length / CELLS) * 100, 0),
          severity: severityName(toSeverity(worst)),
        });
  return (
    <Strip
      name={t("Problems")}
      text={text}
      cells={cells.map((cell) => ({
        at: cell.from,
        fill: cell.severity === undefined ? "var(--line)" : `var(--severity-${cell.severity})`,
        title: problemText(cell),
      }))}
    />
  );
}

function problemText({ from, names }: ProblemCell): string {
  const time = formatDateTime(from);
  return names.length === 0 ? t("{time}: no problem", { time }) : `${time}: ${names.join(", ")}`;
}

interface StripProps {
  readonly name: string;
  readonly text: string;
  readonly note?: string;
  readonly cells: readonly {
    readonly at: number;
    readonly fill: string;
    readonly title: string;
  }[];
}

function Strip({ name, text, note, cells }: StripProps) {
  return (
    <div className={classes["strip"]}>
      <span className={classes["stripName"]}>{name}</span>
      <svg
        role="img"
        aria-label={`${name}: ${text}`}
        viewBox={`0 0 ${CELLS * CELL_WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        height={HEIGHT}
      >
        {cells.map(({ at, fill, title }, place) => (
          <rect
            key={at}
            x={place * CELL_WIDTH}
            width={CELL_WIDTH - 2}
            height={HEIGHT}
            rx={2}
            style={{ fill }}
          >
            <title>{title}</title>
          </rect>
        ))}
      </svg>
      <span className={classes["stripText"]} title={note}>
        {text}
      </span>
    </div>
  );
}
