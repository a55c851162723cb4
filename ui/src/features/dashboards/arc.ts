// Arcs of gauges and pies, as SVG paths. Angles are shares of a turn from the top, clockwise.

const at = (cx: number, cy: number, r: number, turn: number): string => {
  const angle = turn * 2 * Math.PI;
  const place = (n: number) => String(Number(n.toFixed(3)));
  return `${place(cx + r * Math.sin(angle))} ${place(cy - r * Math.cos(angle))}`;
};

/** A ring's part from one angle to another; `inner` 0 makes a slice. */
export function ring(
  center: readonly [number, number],
  radii: readonly [inner: number, outer: number],
  from: number,
  to: number,
): string {
  const [cx, cy] = center;
  const [inner, outer] = radii;
  // a whole turn begins where it ends: nothing would be drawn
  const end = Math.min(to, from + 0.99999);
  const large = end - from > 0.5 ? 1 : 0;
  const outside = `M ${at(cx, cy, outer, from)} A ${outer} ${outer} 0 ${large} 1 ${at(cx, cy, outer, end)}`;
  if (inner <= 0) return `${outside} L ${cx} ${cy} Z`;
  return `${outside} L ${at(cx, cy, inner, end)} A ${inner} ${inner} 0 ${large} 0 ${at(cx, cy, inner, from)} Z`;
}

/** Shares of a whole, one after the other. */
export function shares(
  values: readonly number[],
): readonly (readonly [from: number, to: number])[] {
  const sum = values.reduce((all, it) => all + Math.max(0, it), 0);
  let from = 0;
  return values.map((value) => {
    const to = sum === 0 ? from : from + Math.max(0, value) / sum;
    const share = [from, to] as const;
    from = to;
    return share;
  });
}
