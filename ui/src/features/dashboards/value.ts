// Values of items as widgets write them.

import type { BoardItem } from "@/api/widgets";
import { isNumeric } from "@/lib/item-types";
import { formatValue } from "@/lib/units";
import { mapped } from "@/lib/value-map";

export interface ValueParts {
  readonly number: string;
  /** with its prefix, "MB"; empty where there are none */
  readonly units: string;
}

const DECIMALS = 2;

/** The newest value with units and by its value map; empty where there is none yet. */
export function itemText(item: BoardItem, decimals = DECIMALS): string {
  if (item.clock === 0) return "";
  const name = mapped(item.value, item.mappings);
  const text = isNumeric(item.valueType)
    ? formatValue(item.value, item.units, decimals)
    : item.value;
  return name === undefined ? text : `${name} (${item.value})`;
}

/** The value and its units separately, so that each has a size of its own. */
export function valueParts(
  item: BoardItem,
  units: string | undefined,
  decimals: number,
): ValueParts {
  const name = mapped(item.value, item.mappings);
  if (name !== undefined) return { number: `${name} (${item.value})`, units: "" };
  if (!isNumeric(item.valueType)) return { number: item.value, units: "" };
  const own = units ?? item.units;
  const text = formatValue(item.value, own, decimals);
  const plain = own.startsWith("!") ? own.slice(1) : own;
  if (plain === "" || !text.endsWith(plain)) return { number: text, units: "" };
  const at = text.lastIndexOf(" ");
  return at < 0
    ? { number: text, units: "" }
    : { number: text.slice(0, at), units: text.slice(at + 1) };
}

/** Undefined of texts, and where there is no value. */
export function numberOf(item: BoardItem | undefined): number | undefined {
  if (item === undefined || item.clock === 0 || !isNumeric(item.valueType)) return undefined;
  const n = Number(item.value);
  return Number.isFinite(n) ? n : undefined;
}
