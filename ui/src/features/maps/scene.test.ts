import { describe, expect, it } from "vitest";
import type { DrawnElement, ElementState } from "@/api/maps";
import {
  bends,
  iconBox,
  ink,
  labelLines,
  lineLook,
  linkPath,
  placedElement,
  placeLabel,
  statusLines,
  zoomed,
} from "./scene";

const NO_PROBLEMS: ElementState = {
  severity: -1,
  problems: 0,
  unacknowledged: 0,
  problem: null,
  eventid: null,
  objects: 1,
  disabled: 0,
  maintenance: 0,
  changed: false,
};
const texts = (state: Partial<ElementState>, expandproblem = "1", show_unack = "0") =>
  statusLines({ ...NO_PROBLEMS, ...state }, { expandproblem, show_unack }).map(({ text }) => text);

describe("the status below a label", () => {
  it("names a single problem, counts several, or does both", () => {
    const one = { problems: 1, unacknowledged: 1, problem: "Disk is full", severity: 4 };
    expect(texts({})).toEqual(["OK"]);
    expect(texts(one)).toEqual(["Disk is full"]);
    expect(texts(one, "0")).toEqual(["1 problem"]);
    const two = { ...one, problems: 2 };
    expect(texts(two)).toEqual(["2 problems"]);
    expect(texts(two, "2")).toEqual(["2 problems", "Disk is full"]);
    expect(texts(two, "0", "1")).toEqual(["1 unacknowledged"]);
    expect(texts(two, "0", "2")).toEqual(["2 problems", "1 unacknowledged"]);
    expect(texts({ ...two, unacknowledged: 0 }, "0", "1")).toEqual(["OK"]);
  });

  it("shows maintenance and disabled elements, for images nothing", () => {
    expect(texts({ maintenance: 1 })).toEqual(["In maintenance"]);
    expect(texts({ objects: 5, disabled: 2, maintenance: 1 })).toEqual([
      "1 in maintenance",
      "2 disabled",
    ]);
    expect(texts({ objects: 0 })).toEqual([]);
  });

  it("stands below the lines of the label, or nowhere with it", () => {
    const options = { expandproblem: "1", show_unack: "0" };
    const lines = labelLines({ label: "web\n10.0.0.1\n", state: NO_PROBLEMS }, options);
    expect(lines.map(({ text }) => text)).toEqual(["web", "10.0.0.1", "OK"]);
    expect(labelLines({ label: null, state: NO_PROBLEMS }, options)).toEqual([]);
  });
});

describe("places", () => {
  it("of icons are corners, or the middle where hosts of a group stand", () => {
    expect(iconBox({ x: 10, y: 20, centered: false }, [96, 64])).toEqual({
      x: 10,
      y: 20,
      width: 96,
      height: 64,
    });
    expect(iconBox({ x: 100, y: 100, centered: true }, undefined)).toMatchObject({ x: 76, y: 76 });
  });

  it("of labels are next to the icon", () => {
    const box = { x: 100, y: 100, width: 40, height: 40 };
    expect(placeLabel(box, 0, 2)).toEqual({ anchor: "middle", x: 120, ys: [157, 171] });
    expect(placeLabel(box, 3, 2).ys).toEqual([80, 94]);
    expect(placeLabel(box, 1, 1)).toMatchObject({ anchor: "end", x: 94 });
    expect(placeLabel(box, 2, 1)).toMatchObject({ anchor: "start", x: 146 });
  });

  it("of links between the same elements differ, in both directions", () => {
    const links = [
      { from: "1", to: "2" },
      { from: "2", to: "1" },
      { from: "1", to: "3" },
    ];
    expect(bends(links)).toEqual([-0.5, -0.5, 0]);
    const [a, b] = [
      { x: 0, y: 0 },
      { x: 100, y: 0 },
    ];
    expect(linkPath(a, b, 0)).toEqual({ d: "M0 0L100 0", at: { x: 50, y: 0 } });
    expect(linkPath(a, b, -0.5).at.y).toBe(-linkPath(b, a, -0.5).at.y);
    expect(linkPath(a, a, 1).d).toBe("M0 0L0 0");
  });

  it("stay under the pointer while one zooms, within limits", () => {
    const whole = { x: 0, y: 0, width: 800, height: 600 };
    const nearer = zoomed(whole, whole, 2, { x: 200, y: 300 });
    expect(nearer).toEqual({ x: 100, y: 150, width: 400, height: 300 });
    expect(zoomed(whole, whole, 100, { x: 0, y: 0 }).width).toBe(100);
    expect(zoomed(whole, whole, 0.001, { x: 0, y: 0 }).width).toBe(3200);
  });
});

describe("looks", () => {
  it("show black as ink, which is light on a dark page", () => {
    expect([ink("000000"), ink("00AA00")]).toEqual(["var(--fg)", "#00AA00"]);
  });

  it("of lines without a type are nothing", () => {
    expect(lineLook("0", "3")).toEqual({ width: 0, dashes: undefined });
    expect(lineLook("2", "3")).toEqual({ width: 3, dashes: "3 6" });
    expect(lineLook("3", "1").dashes).toBe("4 2");
  });
});

describe("hosts of an area", () => {
  // a letter of ten pixels
  const widthOf = ({ text }: { readonly text: string }) => text.length * 10;
  const options = { expandproblem: "1", show_unack: "0" };
  const host: DrawnElement = {
    id: "1:2",
    selementid: "1",
    elementtype: 0,
    x: 100,
    y: 100,
    centered: true,
    cell: [108, 108],
    zindex: 0,
    readable: true,
    name: "web-server-01",
    targets: ["2"],
    label: "web-server-01",
    label_location: 0,
    always: true,
    urls: [],
    iconid: "3",
    state: NO_PROBLEMS,
  };
  const place = (given: Partial<DrawnElement>, size: readonly [number, number] = [96, 96]) =>
    placedElement({ ...host, ...given }, size, options, widthOf);
  const written = (given: Partial<DrawnElement>) => place(given).lines.map(({ text }) => text);

  it("stand as they are where nobody stands next to them", () => {
    const { box, whole } = place({ cell: null });
    expect(box).toEqual({ x: 52, y: 52, width: 96, height: 96 });
    expect(whole).toBeUndefined();
    expect(written({ cell: [400, 400] })).toEqual(["web-server-01", "OK"]);
    expect(place({ cell: [400, 400] }).whole).toBeUndefined();
  });

  it("have names that keep to their room, with both ends", () => {
    expect(written({})).toEqual(["web-s…r-01", "OK"]);
    expect(place({}).whole).toBe("web-server-01\nOK");
    expect(written({ cell: [48, 200] })).toEqual(["we…1", "OK"]);
    expect(written({ cell: [10, 10] })[0]).toBe("…");
    const state = { ...NO_PROBLEMS, problems: 1, severity: 4, problem: "Disk is nearly full" };
    expect(written({ state })[1]).toBe("Disk is n…");
  });

  it("have icons that leave room for the label, and lose lines before the name", () => {
    const { box, lines } = place({});
    expect(box.height).toBe(100 - 34);
    expect(box.width).toBe(box.height);
    expect(box.x + box.width / 2).toBe(100);
    expect(box.y).toBe(50);
    const { ys } = placeLabel(box, 0, lines.length);
    expect(ys.every((it) => it < 154)).toBe(true);
    const low = place({ cell: [200, 44] });
    expect(low.lines.map(({ text }) => text)).toEqual(["web-server-01"]);
    expect(low.box.height).toBe(16);
  });

  it("have labels at their side as well", () => {
    const { box, lines } = place({ label_location: 2, cell: [208, 60] }, [48, 48]);
    expect(lines.map(({ text }) => text)).toEqual(["web-server-01", "OK"]);
    expect(box.width).toBe(48);
    expect(box.x).toBe(100 - (48 + 6 + 130) / 2);
    const left = place({ label_location: 1, cell: [208, 60] }, [48, 48]);
    expect(left.box.x + 48).toBe(100 + (48 + 6 + 130) / 2);
  });
});
