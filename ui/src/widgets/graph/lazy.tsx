// What is outside of the window costs nothing: its place is kept, its values are not asked for.

import { type ReactNode, useEffect, useRef, useState } from "react";
import classes from "./graph.module.css";

// enough to have it drawn before it is scrolled to
const MARGIN = "300px";

export interface LazyProps {
  readonly minHeight: number;
  readonly children: () => ReactNode;
}

export function Lazy({ minHeight, children }: LazyProps) {
  const place = useRef<HTMLDivElement>(null);
  const [near, setNear] = useState(false);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const observer = new IntersectionObserver(
      ([entry]) => setNear(entry?.isIntersecting === true),
      { rootMargin: MARGIN },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <div
      ref={place}
      style={{ minHeight }}
      className={near ? classes["near"] : classes["placeholder"]}
    >
      {near ? children() : null}
    </div>
  );
}

// legend head and lines, caption and padding around the plot
const LEGEND_LINE = 16.5;
const LEGEND_MAX = 240;
const FRAME = 36;

/** The least that a graph takes, so that nothing moves when it comes. */
export function figureHeight(height: number, lines: number): number {
  return height + FRAME + Math.min(LEGEND_MAX, (lines + 1) * LEGEND_LINE);
}
