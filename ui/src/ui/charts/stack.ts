// Values on top of each other: each line stands on those before it, or is its share of the sum of all.

export type StackMode = "none" | "stacked" | "percent";

/** As `alignLines` gives them: undefined is bridged, null breaks the line. */
type Values = readonly (number | null | undefined)[];

const WHOLE = 100;

/**
 * Upper edges of the layers, by line and time. Where a line has no value it is as thick as nothing; where no line
 * has one there is a gap. Shares are of positive values: what is below zero takes no part of a whole.
 */
export function stackLines(
  lines: readonly Values[],
  t: readonly number[],
  mode: Exclude<StackMode, "none">,
): (number | null)[][] {
  const filled = lines.map((line) => bridged(line, t));
  const edges = filled.map(() => new Array<number | null>(t.length).fill(null));
  for (let at = 0; at < t.length; at += 1) {
    const parts = filled.map((line) => line[at] ?? null);
    if (parts.every((part) => part === null)) continue;
    const sized = parts.map((part) => (mode === "percent" ? Math.max(0, part ?? 0) : (part ?? 0)));
    const sum = sized.reduce((all, part) => all + part, 0);
    const scale = mode === "percent" ? (sum === 0 ? 0 : WHOLE / sum) : 1;
    let edge = 0;
    for (const [line, part] of sized.entries()) {
      edge += part * scale;
      const row = edges[line];
      if (row !== undefined) row[at] = edge;
    }
  }
  return edges;
}

/** A value at each time between the first and the last of a stretch; null outside of stretches. */
function bridged(line: Values, t: readonly number[]): (number | null)[] {
  const out = new Array<number | null>(line.length).fill(null);
  let before: number | undefined;
  for (const [at, value] of line.entries()) {
    if (value === null) before = undefined;
    if (value === null || value === undefined) continue;
    if (before !== undefined) between(out, t, before, at, value);
    out[at] = value;
    before = at;
  }
  return out;
}

function between(
  out: (number | null)[],
  t: readonly number[],
  from: number,
  to: number,
  end: number,
): void {
  const start = out[from] ?? 0;
  const [begin, length] = [t[from] ?? 0, (t[to] ?? 0) - (t[from] ?? 0)];
  for (let at = from + 1; at < to; at += 1) {
    out[at] = start + ((end - start) * ((t[at] ?? 0) - begin)) / length;
  }
}
