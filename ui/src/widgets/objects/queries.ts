// Reading objects that the server describes.

import { useQuery } from "@tanstack/react-query";
import type { Readable } from "@/api/objects";
import { objectKeys } from "@/api/query-keys";
import type { Id } from "@/api/types";

export interface ReadOptions {
  /** for what changes by itself; each this many milliseconds */
  readonly refetchInterval?: number;
}

export function useObjects<T>(objects: Readable<T>, options: ReadOptions = {}) {
  return useQuery({
    queryKey: objectKeys(objects.object).list,
    queryFn: ({ signal }) => objects.list(signal),
    ...options,
  });
}

/** Null: there is none with the id. */
export function useObject<T>(objects: Readable<T>, id: Id | "new") {
  return useQuery({
    queryKey: objectKeys(objects.object).one(id),
    queryFn: async ({ signal }) => (await objects.one(id, signal)) ?? null,
    enabled: id !== "new",
  });
}
