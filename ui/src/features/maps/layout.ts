// Automatic layout: linked elements stand near each other, all others far away (Fruchterman and Reingold, 1991).
// From the same elements always the same layout: nothing is left to chance.

import type { Point } from "./scene";

export interface LayoutNode extends Point {
  readonly id: string;
}

export interface LayoutEdge {
  readonly from: string;
  readonly to: string;
}

export interface LayoutArea {
  readonly width: number;
  readonly height: number;
  /** from the edges to the middles of elements */
  readonly margin: number;
}

const STEPS = 400;
// a turn by the golden angle: no two beginnings stand in one line with a third
const GOLDEN = Math.PI * (3 - Math.sqrt(5));

/** Middles of the elements, by id. */
export function layOut(
  nodes: readonly LayoutNode[],
  edges: readonly LayoutEdge[],
  area: LayoutArea,
): ReadonlyMap<string, Point> {
  const n = nodes.length;
  if (n === 0) return new Map();
  const at = new Map(nodes.map(({ id }, position) => [id, position]));
  const pairs = edges.flatMap(({ from, to }) => {
    const [a, b] = [at.get(from), at.get(to)];
    return a === undefined || b === undefined || a === b ? [] : [[a, b] as const];
  });
  const room = {
    width: Math.max(area.width - 2 * area.margin, 1),
    height: Math.max(area.height - 2 * area.margin, 1),
  };
  const places = nodes.map((_, position) => {
    const radius = Math.sqrt((position + 0.5) / n) / 2;
    return [
      room.width * (0.5 + radius * Math.cos(position * GOLDEN)),
      room.height * (0.5 + radius * Math.sin(position * GOLDEN)),
    ] as [number, number];
  });
  const ideal = 0.85 * Math.sqrt((room.width * room.height) / n);
  for (let step = 0; step < STEPS; step += 1) {
    const heat = (Math.min(room.width, room.height) / 8) * (1 - step / STEPS);
    move(places, pairs, { ideal, heat, room });
  }
  return new Map(
    nodes.map(({ id }, position) => {
      const [x, y] = places[position] ?? [0, 0];
      return [id, { x: area.margin + x, y: area.margin + y }];
    }),
  );
}

interface Forces {
  readonly ideal: number;
  readonly heat: number;
  readonly room: { readonly width: number; readonly height: number };
}

function move(
  places: [number, number][],
  pairs: readonly (readonly [number, number])[],
  { ideal, heat, room }: Forces,
): void {
  const pushes = places.map(() => [0, 0] as [number, number]);
  const push = (a: number, b: number, strength: (distance: number) => number) => {
    const [one, other] = [places[a], places[b]];
    const [of, to] = [pushes[a], pushes[b]];
    if (!one || !other || !of || !to) return;
    const [dx, dy] = [one[0] - other[0] || 0.01 * (a - b), one[1] - other[1] || 0.01];
    const distance = Math.max(Math.hypot(dx, dy), 0.1);
    const force = strength(distance) / distance;
    of[0] += dx * force;
    of[1] += dy * force;
    to[0] -= dx * force;
    to[1] -= dy * force;
  };
  for (let a = 0; a < places.length; a += 1) {
    for (let b = a + 1; b < places.length; b += 1) push(a, b, (it) => (ideal * ideal) / it);
  }
  for (const [a, b] of pairs) push(a, b, (it) => (-it * it) / ideal);
  places.forEach((place, position) => {
    const [dx, dy] = pushes[position] ?? [0, 0];
    const length = Math.max(Math.hypot(dx, dy), 0.1);
    const by = Math.min(length, heat) / length;
    place[0] = Math.min(Math.max(place[0] + dx * by, 0), room.width);
    place[1] = Math.min(Math.max(place[1] + dy * by, 0), room.height);
  });
}
