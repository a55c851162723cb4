import { describe, expect, it } from "vitest";
import {
  clustered,
  coordinates,
  fitted,
  moved,
  placeAt,
  pointOf,
  projected,
  ticksOf,
  tilesOf,
  tileUrl,
  unprojected,
  viewOf,
  zoomed,
} from "./geo";

const SIZE = { width: 200, height: 100 };
const RIGA = { latitude: 56.95, longitude: 24.1 };

describe("coordinates", () => {
  it("are places on earth, or none", () => {
    expect(coordinates("56.95", "24.1")).toEqual(RIGA);
    expect(coordinates("", "24")).toBeUndefined();
    expect(coordinates("95", "24")).toBeUndefined();
    expect(coordinates("north", "24")).toBeUndefined();
  });

  it("lie within what is fitted to them, north above and east on the right", () => {
    const places = [{ latitude: 50, longitude: 8 }, RIGA];
    const view = fitted(places, SIZE);
    const [south, north] = places.map((it) => pointOf(it, view, SIZE));
    expect(south?.x).toBeLessThan(north?.x ?? 0);
    expect(south?.y).toBeGreaterThan(north?.y ?? 0);
    for (const it of [south, north]) {
      expect(it?.x).toBeGreaterThan(0);
      expect(it?.x).toBeLessThan(200);
      expect(it?.y).toBeGreaterThan(0);
      expect(it?.y).toBeLessThan(100);
    }
    const alone = fitted([RIGA], SIZE);
    expect(pointOf(RIGA, alone, SIZE).x).toBeCloseTo(100);
    expect(alone.zoom).toBe(9);
  });

  it("come back from the projection", () => {
    const back = unprojected(projected(RIGA));
    expect(back.latitude).toBeCloseTo(RIGA.latitude);
    expect(back.longitude).toBeCloseTo(RIGA.longitude);
    expect(projected({ latitude: 0, longitude: 0 })).toEqual({ x: 0.5, y: 0.5 });
    expect(projected({ latitude: 90, longitude: 180 }).y).toBeCloseTo(0, 4);
  });

  it("have round degrees at the edges", () => {
    expect(ticksOf(-1.2, 4.9)).toEqual([0, 2, 4]);
    expect(ticksOf(Number.NEGATIVE_INFINITY, 5)).toEqual([]);
    expect(ticksOf(0.001, 0.021)).toEqual([0.005, 0.01, 0.015, 0.02]);
  });
});

describe("a view", () => {
  const view = { ...RIGA, zoom: 5 };

  it("is written as the widget's field has it", () => {
    expect(viewOf("56.95, 24.1, 5", 3)).toEqual(view);
    expect(viewOf("56.95,24.1", 3)).toEqual({ ...RIGA, zoom: 3 });
    expect(viewOf("", 3)).toBeUndefined();
    expect(viewOf("1,2,99", 3)?.zoom).toBe(18);
  });

  it("is moved, and zoomed about a point that stays where it is", () => {
    const right = moved(view, { x: 10, y: 0 });
    expect(pointOf(RIGA, right, SIZE).x).toBeCloseTo(90);
    const at = { x: 150, y: 20 };
    const before = placeAt(at, view, SIZE);
    const after = placeAt(at, zoomed(view, 1, at, SIZE, 18), SIZE);
    expect(after.latitude).toBeCloseTo(before.latitude);
    expect(after.longitude).toBeCloseTo(before.longitude);
    expect(zoomed(view, 99, at, SIZE, 12).zoom).toBe(12);
    expect(zoomed(view, -99, at, SIZE, 12).zoom).toBe(0);
  });

  it("is covered by tiles, those of the nearest zoom that there is", () => {
    const tiles = tilesOf({ ...RIGA, zoom: 5.25 }, SIZE, 18);
    expect(new Set(tiles.map((it) => it.z))).toEqual(new Set([5]));
    const left = Math.min(...tiles.map((it) => it.left));
    const right = Math.max(...tiles.map((it) => it.left + it.size));
    expect(left).toBeLessThanOrEqual(0);
    expect(right).toBeGreaterThanOrEqual(SIZE.width);
    expect(tilesOf({ ...RIGA, zoom: 15 }, SIZE, 12).every((it) => it.z === 12)).toBe(true);
    // the world ends
    expect(tilesOf({ latitude: 0, longitude: 0, zoom: 0 }, SIZE, 18)).toHaveLength(1);
  });

  it("asks for tiles by address", () => {
    const tile = { z: 3, x: 4, y: 2 };
    expect(tileUrl("https://t.example/{z}/{x}/{y}.png", tile)).toBe("https://t.example/3/4/2.png");
    expect(tileUrl("https://{s}.example/{z}{r}", tile)).toBe("https://a.example/3");
  });
});

describe("clusters", () => {
  const spot = (of: string, x: number, y = 0) => ({ of, x, y });

  it("hold what would lie on one another, in the middle of it", () => {
    const found = clustered([spot("a", 0), spot("b", 10), spot("c", 100), spot("d", 20, 4)], 26);
    expect(found).toEqual([
      { x: 10, y: 4 / 3, members: ["a", "b", "d"] },
      { x: 100, y: 0, members: ["c"] },
    ]);
  });

  it("do not chain: what is far from the first one is another cluster", () => {
    const row = Array.from({ length: 5 }, (_, n) => spot(String(n), n * 20));
    expect(clustered(row, 26).map(({ members }) => members)).toEqual([
      ["0", "1"],
      ["2", "3"],
      ["4"],
    ]);
  });

  it("are found across the edges of cells, and of thousands at once", () => {
    expect(clustered([spot("a", 25), spot("b", 27)], 26)).toHaveLength(1);
    const many = Array.from({ length: 5000 }, (_, n) => spot(String(n), n % 50, (n * 7) % 50));
    const all = clustered(many, 26).flatMap(({ members }) => members);
    expect(new Set(all).size).toBe(5000);
  });
});
