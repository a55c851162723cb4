// A graph of items that were picked: which they are, in the address, and what they are called beside each other.

import type { ChartItem } from "@/widgets/item-chart";
import { ids } from "./search";

export interface GraphSearch {
  readonly items?: string;
  readonly from?: string;
  readonly to?: string;
}

// what one request for series takes
const ITEMS_MAX = 200;

/** Each once, in the order picked, as many as can be drawn. */
export function graphItems(search: GraphSearch): readonly string[] {
  return [...new Set(ids(search.items))].slice(0, ITEMS_MAX);
}

export function graphSearch(itemids: Iterable<string>): GraphSearch {
  return { items: [...itemids].slice(0, ITEMS_MAX).join(",") };
}

interface Named {
  readonly itemid: string;
  readonly name: string;
  readonly host: string;
}

const shared = (texts: readonly string[]): string | undefined =>
  new Set(texts).size === 1 ? texts[0] : undefined;

/** Lines by what tells them apart: the host where all items have one name, the name where all have one host. */
export function graphLines(items: readonly Named[]): {
  readonly title: string;
  readonly lines: readonly ChartItem[];
} {
  const name = shared(items.map((it) => it.name));
  const host = shared(items.map((it) => it.host));
  const label = (it: Named): string => {
    if (host !== undefined) return it.name;
    return name === undefined ? `${it.host}: ${it.name}` : it.host;
  };
  const known = [host, name].filter((it) => it !== undefined);
  const first = items[0];
  const several = first === undefined ? "" : `${label(first)} …`;
  return {
    title: known.length === 0 ? several : known.join(": "),
    lines: items.map((it) => ({ itemid: it.itemid, name: label(it) })),
  };
}
