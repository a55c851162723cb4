// Places on a map in Mercator's projection, as tiles have it: the world is a square of 256 pixels at zoom 0, and twice
// as large with each step.

export interface Placed {
  readonly latitude: number;
  readonly longitude: number;
}

/** The middle of what is seen, and how near. */
export interface View extends Placed {
  readonly zoom: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Undefined where they are no place on earth. */
export function coordinates(latitude: string, longitude: string): Placed | undefined {
  if (latitude.trim() === "" || longitude.trim() === "") return undefined;
  const at = { latitude: Number(latitude), longitude: Number(longitude) };
  const isPlace = Math.abs(at.latitude) <= 90 && Math.abs(at.longitude) <= 180;
  return isPlace ? at : undefined;
}

export const TILE_PX = 256;
// where the square of the projection ends
const LATITUDE_MAX = 85.0511;
export const ZOOM_MAX = 18;
// one place alone, or several in one street: the country around is seen
const FIT_ZOOM_MAX = 9;
// of the picture, on each side
const MARGIN = 0.12;

const clamp = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value));

/** From 0 in the north-west to 1 in the south-east. */
export function projected({ latitude, longitude }: Placed): Point {
  const angle = (clamp(latitude, -LATITUDE_MAX, LATITUDE_MAX) * Math.PI) / 180;
  return { x: (longitude + 180) / 360, y: (1 - Math.asinh(Math.tan(angle)) / Math.PI) / 2 };
}

export function unprojected({ x, y }: Point): Placed {
  const angle = Math.atan(Math.sinh(Math.PI * (1 - 2 * y)));
  return { latitude: (angle * 180) / Math.PI, longitude: x * 360 - 180 };
}

/** Pixels of the whole world at a zoom. */
export const worldPx = (zoom: number): number => TILE_PX * 2 ** zoom;

export function pointOf(place: Placed, view: View, { width, height }: Size): Point {
  const [at, middle] = [projected(place), projected(view)];
  const scale = worldPx(view.zoom);
  return { x: (at.x - middle.x) * scale + width / 2, y: (at.y - middle.y) * scale + height / 2 };
}

export function placeAt(point: Point, view: View, { width, height }: Size): Placed {
  const middle = projected(view);
  const scale = worldPx(view.zoom);
  return unprojected({
    x: middle.x + (point.x - width / 2) / scale,
    y: middle.y + (point.y - height / 2) / scale,
  });
}

/** What holds all places. */
export function fitted(places: readonly Placed[], { width, height }: Size): View {
  const points = places.map(projected);
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const [west, east] = [Math.min(...xs), Math.max(...xs)];
  const [north, south] = [Math.min(...ys), Math.max(...ys)];
  const room = 1 - 2 * MARGIN;
  const zoom = Math.min(
    Math.log2((width * room) / TILE_PX / Math.max(east - west, Number.EPSILON)),
    Math.log2((height * room) / TILE_PX / Math.max(south - north, Number.EPSILON)),
  );
  const middle = unprojected({ x: (west + east) / 2, y: (north + south) / 2 });
  return { ...middle, zoom: clamp(zoom, 0, FIT_ZOOM_MAX) };
}

/** `latitude,longitude,zoom`, as the field of the widget has it; without a zoom the one given. */
export function viewOf(text: string, usualZoom: number): View | undefined {
  const [latitude = "", longitude = "", zoom = ""] = text.split(",");
  const place = coordinates(latitude, longitude);
  if (place === undefined) return undefined;
  const given = zoom.trim() === "" ? usualZoom : Number(zoom);
  return { ...place, zoom: clamp(Number.isFinite(given) ? given : usualZoom, 0, ZOOM_MAX) };
}

/** Moved by pixels. */
export function moved(view: View, by: Point): View {
  const middle = projected(view);
  const scale = worldPx(view.zoom);
  const place = unprojected({
    x: clamp(middle.x + by.x / scale, 0, 1),
    y: clamp(middle.y + by.y / scale, 0, 1),
  });
  return { ...view, ...place };
}

/** Nearer or farther; what is at the point stays there. */
export function zoomed(view: View, by: number, at: Point, size: Size, max: number): View {
  const zoom = clamp(view.zoom + by, 0, max);
  const fixed = pointOf(placeAt(at, view, size), { ...view, zoom }, size);
  return moved({ ...view, zoom }, { x: fixed.x - at.x, y: fixed.y - at.y });
}

export interface Tile {
  readonly z: number;
  readonly x: number;
  readonly y: number;
  readonly left: number;
  readonly top: number;
  readonly size: number;
}

/** The tiles that are seen; those between two zooms are drawn larger or smaller than they are. */
export function tilesOf(view: View, { width, height }: Size, zoomMax: number): readonly Tile[] {
  const z = clamp(Math.round(view.zoom), 0, zoomMax);
  const n = 2 ** z;
  const size = worldPx(view.zoom) / n;
  const middle = projected(view);
  const [west, north] = [middle.x * n - width / 2 / size, middle.y * n - height / 2 / size];
  const tiles: Tile[] = [];
  const [firstX, lastX] = [Math.floor(west), Math.floor(west + width / size)];
  const [firstY, lastY] = [Math.floor(north), Math.floor(north + height / size)];
  for (let y = Math.max(0, firstY); y <= Math.min(n - 1, lastY); y += 1) {
    for (let x = Math.max(0, firstX); x <= Math.min(n - 1, lastX); x += 1) {
      tiles.push({ z, x, y, left: (x - west) * size, top: (y - north) * size, size });
    }
  }
  return tiles;
}

const SERVERS = ["a", "b", "c"];

export function tileUrl(template: string, { z, x, y }: Pick<Tile, "z" | "x" | "y">): string {
  const values: Readonly<Record<string, string>> = {
    z: String(z),
    x: String(x),
    y: String(y),
    s: SERVERS[(x + y) % SERVERS.length] ?? "a",
    r: "",
  };
  return template.replace(/\{([zxysr])\}/g, (whole, name: string) => values[name] ?? whole);
}

const STEPS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 45, 90];
const TICKS_WANTED = 6;

/** Round degrees between two; none where they are no degrees. */
export function ticksOf(from: number, to: number): readonly number[] {
  if (!(Number.isFinite(from) && Number.isFinite(to))) return [];
  const step = STEPS.find((it) => (to - from) / it <= TICKS_WANTED) ?? 90;
  const ticks: number[] = [];
  for (let at = Math.ceil(from / step); at * step <= to; at += 1) {
    ticks.push(Number((at * step).toFixed(3)));
  }
  return ticks;
}

export interface Cluster<T> {
  /** the middle of all that it stands for, in pixels */
  readonly x: number;
  readonly y: number;
  readonly members: readonly T[];
}

/**
 * What would lie on one another on the screen, put together: each point goes to the first cluster that began within
 * the distance, so that nothing jumps while one moves the map by less than a cell.
 */
export function clustered<T>(
  points: readonly (Point & { readonly of: T })[],
  distance: number,
): readonly Cluster<T>[] {
  const cells = new Map<string, Gathered<T>[]>();
  const all: Gathered<T>[] = [];
  const cell = (value: number) => Math.floor(value / distance);
  for (const { x, y, of } of points) {
    const near = [-1, 0, 1].flatMap((dx) =>
      [-1, 0, 1].flatMap((dy) => cells.get(`${cell(x) + dx} ${cell(y) + dy}`) ?? []),
    );
    const known = near.find((it) => Math.hypot(it.first.x - x, it.first.y - y) < distance);
    if (known !== undefined) {
      known.members.push(of);
      known.sum = { x: known.sum.x + x, y: known.sum.y + y };
      continue;
    }
    const made = { first: { x, y }, sum: { x, y }, members: [of] };
    const key = `${cell(x)} ${cell(y)}`;
    cells.set(key, [...(cells.get(key) ?? []), made]);
    all.push(made);
  }
  return all.map(({ sum, members }) => ({
    x: sum.x / members.length,
    y: sum.y / members.length,
    members,
  }));
}

interface Gathered<T> {
  readonly first: Point;
  sum: Point;
  readonly members: T[];
}
