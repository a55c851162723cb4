// Where the keyboard stands in the list: at a problem, wherever that moves. Of several groups a problem has several lines;
// then it is the one nearest to where the cursor was.

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Id } from "@/api/types";

/** The line of a problem, as near to another line as there is one; -1: it has none. */
export function nearestLine(lines: Float64Array, id: number, near: number): number {
  if (lines[near] === id) return near;
  const before = near > 0 ? lines.lastIndexOf(id, near - 1) : -1;
  const after = lines.indexOf(id, Math.max(0, near));
  if (before < 0 || after < 0) return Math.max(before, after);
  return near - before <= after - near ? before : after;
}

/** The next line that is of a problem, in a direction; undefined: there is none. */
export function nextLine(lines: Float64Array, line: number, step: 1 | -1): number | undefined {
  let at = line + step;
  while ((lines[at] ?? 0) < 0) at += step;
  return lines[at] === undefined ? undefined : at;
}

export function useCursor(lines: Float64Array) {
  const [id, setId] = useState<Id | undefined>(undefined);
  const last = useRef(0);
  const line = useMemo(
    () => (id === undefined ? -1 : nearestLine(lines, Number(id), last.current)),
    [lines, id],
  );
  useEffect(() => {
    if (line >= 0) last.current = line;
  }, [line]);
  const set = useCallback((next: Id, at: number) => {
    last.current = at;
    setId(next);
  }, []);
  /** The event id that the cursor stands at then. */
  const move = (step: 1 | -1): Id | undefined => {
    const at = nextLine(lines, line, step);
    if (at === undefined) return undefined;
    const next = String(lines[at]);
    set(next, at);
    return next;
  };
  return { id, line, set, move };
}
