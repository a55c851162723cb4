// Lines across a chart that follow from its values: percentiles of all that an axis shows.

import type { Series } from "@/api/types";
import type { BoardItem } from "@/api/widgets";
import { t } from "@/lib/i18n";
import { parseSuffixed } from "@/lib/suffix";
import { formatValue } from "@/lib/units";
import type { ChartLevel } from "@/ui/charts/plot-draw";
import { percentile } from "@/widgets/graph/series";
import type { LineLook } from "./chart-view";
import type { Fields } from "./fields";

const SIDES = [
  ["left", "percentile_left"],
  ["right", "percentile_right"],
] as const;
const PERCENT_MAX = 100;
const DECIMALS = 2;

export function percentileLevels(
  fields: Fields,
  looks: readonly LineLook[],
  items: readonly BoardItem[],
  series: readonly Series[],
): readonly ChartLevel[] {
  return SIDES.flatMap(([axis, name]): readonly ChartLevel[] => {
    const percent = parseSuffixed(fields.text(`${name}_value`)) ?? 0;
    if (!fields.flag(name, false) || percent <= 0 || percent > PERCENT_MAX) return [];
    const shown = looks.filter((it) => it.right === (axis === "right") && it.unnamed !== true);
    const values = shown.flatMap(
      (look) => series.find((it) => it.itemid === look.itemid)?.[look.value] ?? [],
    );
    const value = percentile(values, percent);
    if (value === undefined) return [];
    const units = items.find((it) => it.itemid === shown[0]?.itemid)?.units ?? "";
    const text = t("{percent}th percentile: {value}", {
      percent,
      value: formatValue(value, units, DECIMALS),
    });
    return [{ value, axis, text, color: "var(--accent)", dash: [2, 3], textAt: "end" }];
  });
}
