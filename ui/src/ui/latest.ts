import { useCallback, useEffect, useRef } from "react";

/** A function that stays the same and calls the newest one: what is given it is not rendered again for it. */
export function useLatest<Args extends readonly unknown[], Result>(
  act: (...args: Args) => Result,
): (...args: Args) => Result {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  return useCallback((...args: Args) => latest.current(...args), []);
}
