// The newest value of an item as people read it.

import type { LatestRow, LiveValue } from "@/api/latest-columns";
import { isNumeric } from "@/lib/item-types";
import { formatValue } from "@/lib/units";

/** With its name by value map, if it has one; empty before there is a value. */
export function valueText(row: Pick<LatestRow, "valueType" | "units">, live: LiveValue): string {
  if (live.clock === 0) return "";
  const text = isNumeric(row.valueType) ? formatValue(live.value, row.units) : live.value;
  return live.text === "" ? text : `${live.text} (${live.value})`;
}
