// The way back from a closer look: ranges that were left by a drag over a chart.

import { useCallback, useRef, useState } from "react";
import { nowSeconds, resolveRange, type TimeRange, toRange, widenRange } from "@/lib/time";

export interface Zoom {
  readonly zoom: (from: number, to: number) => void;
  /** to the range before, or where there is none, to one twice as wide */
  readonly back: () => void;
  readonly canGoBack: boolean;
}

// further back nobody remembers what it was
const STEPS_MAX = 20;
// what is closer than this shows single values
const SECONDS_MIN = 10;

export function useZoom(range: TimeRange, onRange: (range: TimeRange) => void): Zoom {
  const left = useRef<TimeRange[]>([]);
  const [depth, setDepth] = useState(0);
  const current = useRef({ range, onRange });
  current.current = { range, onRange };
  const zoom = useCallback((from: number, to: number) => {
    const middle = (from + to) / 2;
    const half = Math.max(SECONDS_MIN, to - from) / 2;
    const next = toRange(middle - half, middle + half);
    const { range: now, onRange: show } = current.current;
    // charts with one crosshair all report the same drag
    if (next.from === now.from && next.to === now.to) return;
    left.current = [...left.current, now].slice(-STEPS_MAX);
    current.current = { range: next, onRange: show };
    setDepth(left.current.length);
    show(next);
  }, []);
  const back = useCallback(() => {
    const { range: now, onRange: show } = current.current;
    const before = left.current.pop();
    setDepth(left.current.length);
    show(before ?? widenRange(resolveRange(now, nowSeconds()), nowSeconds()));
  }, []);
  return { zoom, back, canGoBack: depth > 0 };
}
