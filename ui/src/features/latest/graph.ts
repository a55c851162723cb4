// A graph of items that were picked: which they are, in the address, and their names next to each other.

import { byUnits } from "@/lib/by-units";
import { type DrawnItem, type GraphSpec, plainSpec } from "@/widgets/graph/spec";
import type { GraphViewSearch } from "@/widgets/graph/view";
import { ids } from "./search";

export interface GraphSearch extends GraphViewSearch {
  readonly items?: string;
  /** "1": one graph of two kinds of units, each with an axis */
  readonly join?: string;
}

// what one request for series takes
const ITEMS_MAX = 200;
const AXES = 2;

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
  readonly units: string;
  readonly valueType: number;
}

const shared = (texts: readonly string[]): string | undefined =>
  new Set(texts).size === 1 ? texts[0] : undefined;

/** Lines by what distinguishes them: the host where all items have one name, the name where all have one host. */
export function graphLines(items: readonly Omit<Named, "valueType">[]): {
  readonly title: string;
  readonly lines: readonly DrawnItem[];
} {
  const name = shared(items.map((it) => it.name));
  const host = shared(items.map((it) => it.host));
  const label = (it: Pick<Named, "host" | "name">): string => {
    if (host !== undefined) return it.name;
    return name === undefined ? `${it.host}: ${it.name}` : it.host;
  };
  const known = [host, name].filter((it) => it !== undefined);
  const first = items[0];
  const several = first === undefined ? "" : `${label(first)} …`;
  return {
    title: known.length === 0 ? several : known.join(": "),
    lines: items.map((it) => ({ itemid: it.itemid, name: label(it), units: it.units })),
  };
}

/** Whether two graphs can be one with two axes. */
export function canJoin(items: readonly Named[]): boolean {
  return byUnits(items).length === AXES;
}

/** A graph for each kind of units, or one with an axis for each. */
export function graphSpecs(items: readonly Named[], isJoined: boolean): readonly GraphSpec[] {
  const groups = byUnits(items);
  const drawn = isJoined && groups.length === AXES ? [groups.flat()] : groups;
  return drawn.map((group) => {
    const { title, lines } = graphLines(group);
    return plainSpec(title, lines);
  });
}
