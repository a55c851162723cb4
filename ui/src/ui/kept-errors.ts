// A query that failed and is asked again has no error while it waits for the answer. What shows the error keeps it
// until then: it would flicker with each retry.

import type { UseQueryResult } from "@tanstack/react-query";
import { useEffect, useRef } from "react";

type Failing = Pick<UseQueryResult, "isError" | "error" | "errorUpdatedAt">;

/** Of each query the error that no answer has come after; undefined where there is none. */
export function useKeptErrors(queries: readonly Failing[]): readonly unknown[] {
  // by when they came: a query knows when it last failed, also while it is asked again
  const held = useRef<ReadonlyMap<number, unknown>>(new Map());
  const errors = queries.map(({ isError, error, errorUpdatedAt }) =>
    isError ? error : held.current.get(errorUpdatedAt),
  );
  useEffect(() => {
    const known = queries.map((query, at) => [query.errorUpdatedAt, errors[at]] as const);
    held.current = new Map(known.filter(([, error]) => error !== undefined));
  });
  return errors;
}
