// Items by component, without those of discovered entities: they have tables.

import type { LatestRow } from "@/api/latest-columns";
import { locale } from "@/lib/i18n";
import { componentOf } from "../chart-groups";

export interface Component {
  readonly name: string;
  readonly rows: readonly LatestRow[];
}

const collator = new Intl.Collator(locale(), { numeric: true });

export function componentsOf(
  rows: readonly LatestRow[],
  inTables: ReadonlySet<string>,
): readonly Component[] {
  const groups = new Map<string, LatestRow[]>();
  for (const row of rows) {
    if (inTables.has(row.itemid)) continue;
    const name = componentOf(row);
    groups.set(name, [...(groups.get(name) ?? []), row]);
  }
  return [...groups]
    .sort(([a], [b]) => collator.compare(a, b))
    .map(([name, of]) => ({
      name,
      rows: of.sort((a, b) => collator.compare(a.name, b.name)),
    }));
}
