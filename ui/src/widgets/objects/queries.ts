// Reading objects that the server describes.

import { useQuery } from "@tanstack/react-query";
import type { Objects } from "@/api/objects";
import { objectKeys } from "@/api/query-keys";
import type { Id } from "@/api/types";

export interface ReadOptions {
  /** for what changes by itself; each this many milliseconds */
  readonly refetchInterval?: number;
}

export function useObjects<T, D>(objects: Objects<T, D>, options: ReadOptions = {}) {
  return useQuery({
    queryKey: objectKeys(objects.described.object).list,
    queryFn: ({ signal }) => objects.list(signal),
    ...options,
  });
}

/** Null: there is none with the id. */
export function useObject<T, D>(objects: Objects<T, D>, id: Id | "new") {
  return useQuery({
    queryKey: objectKeys(objects.described.object).one(id),
    queryFn: async ({ signal }) => (await objects.one(id, signal)) ?? null,
    enabled: id !== "new",
  });
}
