// Rows under headings: by one attribute, within it by the next.

import { locale } from "@/lib/i18n";

export interface GroupBy {
  readonly attribute: number;
  readonly tag: string;
}

export type Node<Row> =
  | { readonly leaf: Row }
  | { readonly name: string; readonly count: number; readonly nodes: readonly Node<Row>[] };

const collator = new Intl.Collator(locale(), { numeric: true, sensitivity: "base" });

/** A row stands under each of its values; those without any come last, under an empty name. */
export function grouped<Row>(
  rows: readonly Row[],
  by: readonly GroupBy[],
  valuesOf: (row: Row, by: GroupBy) => readonly string[],
): readonly Node<Row>[] {
  const [first, ...rest] = by;
  if (first === undefined) return rows.map((leaf) => ({ leaf }));
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const values = valuesOf(row, first);
    for (const value of values.length === 0 ? [""] : values) {
      const group = groups.get(value);
      if (group === undefined) groups.set(value, [row]);
      else group.push(row);
    }
  }
  return [...groups]
    .sort(([a], [b]) => (a === "" ? 1 : b === "" ? -1 : collator.compare(a, b)))
    .map(([name, own]) => ({ name, count: own.length, nodes: grouped(own, rest, valuesOf) }));
}
