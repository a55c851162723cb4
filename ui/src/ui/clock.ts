// A clock that ticks for all: ages on the screen move together, with one timer.

import { useSyncExternalStore } from "react";
import { nowSeconds } from "@/lib/time";

const TICK_MS = 1000;

let now = Math.floor(nowSeconds());
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Math.floor(nowSeconds());
    for (const it of listeners) it();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

/** Whole seconds since the epoch, again each second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** What is made of the clock, such as an age in words: rendered again when it is something else. */
export function useOfNow(read: (now: number) => string): string {
  return useSyncExternalStore(subscribe, () => read(now));
}
