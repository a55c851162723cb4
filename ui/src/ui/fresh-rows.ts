// Which rows of a list are made now: a screen of new ones at once would stop a page that scrolls, so these are made part
// by part, a part a frame. Rows that are there stay.

import { useEffect, useLayoutEffect, useReducer, useRef } from "react";

export interface FreshRows {
  readonly made: ReadonlySet<string>;
  /** some are left for the next frame */
  readonly isPart: boolean;
}

/** Of the rows that are wanted, the first ones first: those that are there, and so many others. */
export function rowsMade(
  wanted: readonly string[],
  known: ReadonlySet<string>,
  freshMax: number,
): FreshRows {
  const made = new Set<string>();
  let left = freshMax;
  let isPart = false;
  for (const key of wanted) {
    if (known.has(key)) made.add(key);
    else if (left > 0) {
      made.add(key);
      left -= 1;
    } else isPart = true;
  }
  return { made, isPart };
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Goes on with each frame until all that are wanted are there. A list that had no rows is filled by `fillMax` a frame: there
 * is nothing on the screen that they would replace, and the page around it may just have been made as well.
 */
export function useFreshRows(
  wanted: readonly string[],
  freshMax: number,
  fillMax = freshMax,
): ReadonlySet<string> {
  const known = useRef(NONE);
  const isFilling = useRef(true);
  const [frame, next] = useReducer((n: number) => n + 1, 0);
  const max = isFilling.current ? Math.min(freshMax, fillMax) : freshMax;
  const { made, isPart } = rowsMade(wanted, known.current, max);
  useLayoutEffect(() => {
    known.current = made;
    isFilling.current = made.size === 0 || (isFilling.current && isPart);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each part has the next one behind it
  useEffect(() => {
    if (!isPart) return undefined;
    const request = requestAnimationFrame(next);
    return () => cancelAnimationFrame(request);
  }, [isPart, frame]);
  return made;
}
