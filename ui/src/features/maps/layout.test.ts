import { describe, expect, it } from "vitest";
import { layOut } from "./layout";

const AREA = { width: 800, height: 600, margin: 50 };
const nodes = (n: number) => Array.from({ length: n }, (_, at) => ({ id: String(at), x: 0, y: 0 }));
const distance = (places: ReturnType<typeof layOut>, a: string, b: string) => {
  const [one, other] = [places.get(a), places.get(b)];
  if (one === undefined || other === undefined) throw new Error("no place");
  return Math.hypot(one.x - other.x, one.y - other.y);
};

describe("the automatic layout", () => {
  it("keeps all within the map and at a distance", () => {
    const places = layOut(nodes(30), [], AREA);
    expect(places.size).toBe(30);
    for (const { x, y } of places.values()) {
      expect(x).toBeGreaterThanOrEqual(50);
      expect(x).toBeLessThanOrEqual(750);
      expect(y).toBeGreaterThanOrEqual(50);
      expect(y).toBeLessThanOrEqual(550);
    }
    for (let a = 0; a < 30; a += 1) {
      for (let b = a + 1; b < 30; b += 1) {
        expect(distance(places, String(a), String(b))).toBeGreaterThan(30);
      }
    }
  });

  it("brings what is linked together", () => {
    // a star of six around 0, and a separate pair
    const star = [1, 2, 3, 4, 5, 6].map((it) => ({ from: "0", to: String(it) }));
    const places = layOut(nodes(9), [...star, { from: "7", to: "8" }], AREA);
    const near = star.map(({ to }) => distance(places, "0", to));
    expect(Math.max(...near)).toBeLessThan(distance(places, "0", "7"));
    expect(distance(places, "7", "8")).toBeLessThan(distance(places, "0", "8"));
  });

  it("is the same each time, and takes what is odd", () => {
    const edges = [
      { from: "0", to: "1" },
      { from: "1", to: "1" },
      { from: "1", to: "gone" },
    ];
    const [one, other] = [layOut(nodes(4), edges, AREA), layOut(nodes(4), edges, AREA)];
    expect([...one]).toEqual([...other]);
    expect(layOut([], [], AREA).size).toBe(0);
    expect(layOut(nodes(2), [], { width: 10, height: 10, margin: 50 }).size).toBe(2);
  });
});
