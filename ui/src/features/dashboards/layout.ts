// Places on the grid of a page: 72 columns and 64 rows, as Zabbix 7.0 has it. Nothing overlaps.

export const COLUMNS = 72;
export const ROWS = 64;
/** Height of a row, in pixels. */
export const ROW_PX = 70;

export interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export function overlaps(a: Place, b: Place): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

const clamp = (n: number, low: number, high: number) => Math.min(high, Math.max(low, n));

/** The place within the grid that is nearest, with the size as far as it fits. */
export function within(place: Place): Place {
  const width = clamp(Math.round(place.width), 1, COLUMNS);
  const height = clamp(Math.round(place.height), 1, ROWS);
  return {
    width,
    height,
    x: clamp(Math.round(place.x), 0, COLUMNS - width),
    y: clamp(Math.round(place.y), 0, ROWS - height),
  };
}

/** Rows down to the lowest widget. */
export function bottom(places: readonly Place[]): number {
  return Math.max(0, ...places.map((it) => it.y + it.height));
}

/** The first free place, by rows; undefined where the page is full. */
export function freePlace(
  places: readonly Place[],
  width: number,
  height: number,
): Place | undefined {
  for (let y = 0; y <= ROWS - height; y += 1) {
    for (let x = 0; x <= COLUMNS - width; ) {
      const place = { x, y, width, height };
      const other = places.find((it) => overlaps(it, place));
      if (other === undefined) return place;
      // nothing before the end of what is in the way
      x = other.x + other.width;
    }
  }
  return undefined;
}

/** `places` with the one at `at` put to `to`; whatever is in its way goes down. Undefined where they do not fit. */
export function put<P extends Place>(
  places: readonly P[],
  at: number,
  to: Place,
): readonly P[] | undefined {
  const own = places[at];
  if (own === undefined) return undefined;
  const moved: P = { ...own, ...within(to) };
  const settled: P[] = [moved];
  const others = places
    .map((place, index) => ({ place, index }))
    .filter(({ index }) => index !== at)
    .sort((a, b) => a.place.y - b.place.y || a.place.x - b.place.x);
  const result: P[] = [...places];
  result[at] = moved;
  for (const { place, index } of others) {
    let next = place;
    for (;;) {
      const blocking = settled.filter((it) => overlaps(it, next));
      if (blocking.length === 0) break;
      next = { ...next, y: Math.max(...blocking.map((it) => it.y + it.height)) };
    }
    if (next.y + next.height > ROWS) return undefined;
    settled.push(next);
    result[index] = next;
  }
  return result;
}

/** Arrows move by one, with Shift they change the size by one. */
export function stepped(place: Place, key: string, resize: boolean): Place | undefined {
  const steps: Readonly<Record<string, readonly [number, number]>> = {
    ArrowLeft: [-1, 0],
    ArrowRight: [1, 0],
    ArrowUp: [0, -1],
    ArrowDown: [0, 1],
  };
  const step = steps[key];
  if (step === undefined) return undefined;
  const [dx, dy] = step;
  if (!resize) return within({ ...place, x: place.x + dx, y: place.y + dy });
  return within({
    ...place,
    width: Math.min(COLUMNS - place.x, place.width + dx),
    height: Math.min(ROWS - place.y, place.height + dy),
  });
}
