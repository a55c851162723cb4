// Kinds of widgets, loaded when the first of a kind is shown.

import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { keys } from "@/api/query-keys";
import type { WidgetKind } from "./kind";
import { entryOf } from "./registry";

export function useKind(type: string): UseQueryResult<WidgetKind> {
  const entry = entryOf(type);
  return useQuery({
    queryKey: keys.widgetKind(type),
    queryFn: async () => {
      if (entry === undefined) throw new Error(`no widget of type ${type}`);
      return (await entry.load()).KIND;
    },
    enabled: entry !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    // code, not data: it does not age, and is no plain object to compare
    structuralSharing: false,
  });
}
