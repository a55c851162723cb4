// What can be drawn on one axis: numbers with the same units.

import { isNumeric } from "./item-types";

interface Drawable {
  readonly units: string;
  readonly valueType: number;
}

/** Numeric items by their units, both in the order given. */
export function byUnits<Item extends Drawable>(
  items: readonly Item[],
): readonly (readonly Item[])[] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    if (!isNumeric(item.valueType)) continue;
    groups.set(item.units, [...(groups.get(item.units) ?? []), item]);
  }
  return [...groups.values()];
}
