// The items that an expression names, each once: `/host/key`. Wildcards of aggregates are left out.

import { skipKey } from "@/lib/item-key";

export interface ItemReference {
  readonly host: string;
  readonly key: string;
}

export function itemsIn(expression: string): readonly ItemReference[] {
  const found = new Map<string, ItemReference>();
  // a query stands where an argument begins
  for (const match of expression.matchAll(/[(,]\s*\/([^/,()"]*)\//g)) {
    const start = match.index + match[0].length;
    const end = skipKey(expression, start);
    if (typeof end !== "number") continue;
    const [host = "", key] = [match[1], expression.slice(start, end)];
    if (host === "*" || key.includes("*") || key === "") continue;
    found.set(`${host}/${key}`, { host, key });
  }
  return [...found.values()];
}
