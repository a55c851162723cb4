// A map while it is edited: its parts by key, changes that make new drafts, and the way back.

import type {
  ElementTarget,
  MapDraft,
  MapElement,
  MapFields,
  MapLine,
  MapLink,
  MapShape,
  NetworkMap,
} from "@/api/maps";
import type { Id } from "@/api/types";
import type { Box, Point } from "./scene";

/** `e:12` an element, `l:0` a link, `s:0` a shape, `n:0` a line; those of parts without ids are positions. */
export type PartKey = string;

export const NEW_MAP: MapFields = {
  name: "",
  width: "1000",
  height: "700",
  backgroundid: "0",
  background_scale: "1",
  show_element_label: "1",
  show_link_label: "1",
  iconmapid: "0",
  label_type: "0",
  label_location: "0",
  highlight: "1",
  expandproblem: "1",
  markelements: "0",
  show_unack: "0",
  show_suppressed: "0",
  severity_min: "0",
  grid_size: "50",
  grid_show: "1",
  grid_align: "1",
  private: "1",
  userid: "",
};

export const EMPTY: MapDraft = {
  ...NEW_MAP,
  selements: [],
  links: [],
  shapes: [],
  lines: [],
  urls: [],
  users: [],
  userGroups: [],
};

export function draftOf({ sysmapid: _, ...rest }: NetworkMap): MapDraft {
  return rest;
}

/** A copy: its parts are new ones. */
export function cloneOf(draft: MapDraft, name: string): MapDraft {
  const withoutShapeId = <T extends { readonly sysmap_shapeid?: Id | undefined }>(it: T): T => {
    const { sysmap_shapeid: _, ...rest } = it;
    return rest as T;
  };
  return {
    ...draft,
    name,
    links: draft.links.map(({ linkid: _, ...rest }) => rest),
    shapes: draft.shapes.map(withoutShapeId),
    lines: draft.lines.map(withoutShapeId),
  };
}

// Ids of the server are far below: it gives new parts ids of its own.
const FIRST_NEW = 1_000_000_000_000;

export function newId(draft: MapDraft): Id {
  const known = draft.selements.map(({ selementid }) => Number(selementid));
  return String(Math.max(FIRST_NEW, ...known.map((it) => it + 1)));
}

export function newElement(
  draft: MapDraft,
  kind: number,
  { target, icon, at }: { readonly target?: ElementTarget; readonly icon: Id; readonly at: Point },
): MapElement {
  return {
    selementid: newId(draft),
    elementtype: String(kind),
    elements: target === undefined ? [] : [target],
    iconid_off: icon,
    iconid_on: "0",
    iconid_disabled: "0",
    iconid_maintenance: "0",
    label: kind === 0 ? "{HOST.NAME}" : "",
    label_location: "-1",
    show_label: "-1",
    x: String(at.x),
    y: String(at.y),
    elementsubtype: "0",
    areatype: "0",
    width: "200",
    height: "200",
    use_iconmap: "1",
    evaltype: "0",
    tags: [],
    urls: [],
    zindex: "0",
  };
}

export function newShape(type: "0" | "1", { x, y }: Point): MapShape {
  return {
    type,
    x: String(x),
    y: String(y),
    width: "200",
    height: "100",
    text: "",
    font: "9",
    font_size: "11",
    font_color: "000000",
    text_halign: "0",
    text_valign: "0",
    border_type: "1",
    border_width: "2",
    border_color: "000000",
    background_color: "",
    zindex: "0",
  };
}

export function newLine({ x, y }: Point): MapLine {
  return {
    x1: String(x),
    y1: String(y),
    x2: String(x + 200),
    y2: String(y),
    line_type: "1",
    line_width: "2",
    line_color: "000000",
    zindex: "0",
  };
}

/** What links look by (`indicator_type`). */
export const TRIGGERS = "1";
export const ITEM = "2";

/** A link that looks by something else has nothing of what it looked by before. */
export function indicatedBy(indicator_type: string): Partial<MapLink> {
  return { indicator_type, linktriggers: [], itemid: "0", thresholds: [], highlights: [] };
}

export function newLink(from: Id, to: Id): MapLink {
  return {
    selementid1: from,
    selementid2: to,
    color: "00AA00",
    drawtype: "0",
    label: "",
    show_label: "-1",
    indicator_type: "0",
    linktriggers: [],
    itemid: "0",
    thresholds: [],
    highlights: [],
  };
}

export function elementKey({ selementid }: Pick<MapElement, "selementid">): PartKey {
  return `e:${selementid}`;
}

/** Ids of the elements among the selected parts, in order of selection. */
export function selectedElements(selected: readonly PartKey[]): readonly Id[] {
  return selected.flatMap((it) => (it.startsWith("e:") ? [it.slice(2)] : []));
}

function changedAt<T>(list: readonly T[], at: number, change: Partial<T>): readonly T[] {
  return list.map((it, position) => (position === at ? { ...it, ...change } : it));
}

export function changeElement(draft: MapDraft, id: Id, change: Partial<MapElement>): MapDraft {
  const selements = draft.selements.map((it) => (it.selementid === id ? { ...it, ...change } : it));
  return { ...draft, selements };
}

export function changeLink(draft: MapDraft, at: number, change: Partial<MapLink>): MapDraft {
  return { ...draft, links: changedAt(draft.links, at, change) };
}

export function changeShape(draft: MapDraft, at: number, change: Partial<MapShape>): MapDraft {
  return { ...draft, shapes: changedAt(draft.shapes, at, change) };
}

export function changeLine(draft: MapDraft, at: number, change: Partial<MapLine>): MapDraft {
  return { ...draft, lines: changedAt(draft.lines, at, change) };
}

/** Links of elements that go, go with them. */
export function removeParts(draft: MapDraft, keys: readonly PartKey[]): MapDraft {
  const gone = new Set(keys);
  const isElement = (id: Id) => gone.has(`e:${id}`);
  return {
    ...draft,
    selements: draft.selements.filter((it) => !gone.has(elementKey(it))),
    links: draft.links.filter(
      (it, at) => !gone.has(`l:${at}`) && !isElement(it.selementid1) && !isElement(it.selementid2),
    ),
    shapes: draft.shapes.filter((_, at) => !gone.has(`s:${at}`)),
    lines: draft.lines.filter((_, at) => !gone.has(`n:${at}`)),
  };
}

/** Each selected element with each other one, or one after the other where there are many. */
export function linkElements(draft: MapDraft, ids: readonly Id[]): MapDraft {
  const first = ids[0];
  if (first === undefined || ids.length < 2) return draft;
  // the first one is the hub, as one selects a switch and then what hangs on it
  const links = ids.slice(1).map((it) => newLink(first, it));
  return { ...draft, links: [...draft.links, ...links] };
}

const PLACE_MAX = 65_535;

function place(it: number, max: number): string {
  return String(Math.round(Math.min(Math.max(it, 0), Math.min(max, PLACE_MAX))));
}

export function onGrid(it: number, size: number): number {
  return Math.round(it / size) * size;
}

/** Parts moved by so much; on the grid, if it is on. */
export function moveParts(
  draft: MapDraft,
  keys: readonly PartKey[],
  by: Point,
  snaps = false,
): MapDraft {
  const moved = new Set(keys);
  const size = snaps ? Number(draft.grid_size) : 1;
  const [width, height] = [Number(draft.width), Number(draft.height)];
  const at = (value: string, step: number, max: number) =>
    place(onGrid(Number(value) + step, size), max);
  const corner = <T extends { readonly x: string; readonly y: string }>(it: T): T => ({
    ...it,
    x: at(it.x, by.x, width),
    y: at(it.y, by.y, height),
  });
  return {
    ...draft,
    selements: draft.selements.map((it) => (moved.has(elementKey(it)) ? corner(it) : it)),
    shapes: draft.shapes.map((it, n) => (moved.has(`s:${n}`) ? corner(it) : it)),
    lines: draft.lines.map((it, n) =>
      moved.has(`n:${n}`)
        ? {
            ...it,
            x1: at(it.x1, by.x, width),
            y1: at(it.y1, by.y, height),
            x2: at(it.x2, by.x, width),
            y2: at(it.y2, by.y, height),
          }
        : it,
    ),
  };
}

export type Alignment =
  | "left"
  | "center"
  | "right"
  | "top"
  | "middle"
  | "bottom"
  | "row"
  | "column";

/** Elements brought in line, or spread evenly between the outer ones. */
export function alignElements(
  draft: MapDraft,
  ids: readonly Id[],
  how: Alignment,
  boxOf: (element: MapElement) => Box,
): MapDraft {
  const picked = draft.selements.filter(({ selementid }) => ids.includes(selementid));
  const boxes = new Map(picked.map((it) => [it.selementid, boxOf(it)]));
  const all = [...boxes.values()];
  if (all.length < 2) return draft;
  const [left, top] = [Math.min(...all.map(({ x }) => x)), Math.min(...all.map(({ y }) => y))];
  const right = Math.max(...all.map(({ x, width }) => x + width));
  const bottom = Math.max(...all.map(({ y, height }) => y + height));
  const spread = (axis: "x" | "y", size: "width" | "height"): Map<Id, number> => {
    const sorted = [...boxes].sort(([, a], [, b]) => a[axis] - b[axis]);
    const total = sorted.reduce((sum, [, it]) => sum + it[size], 0);
    const [start, end] = axis === "x" ? [left, right] : [top, bottom];
    const gap = (end - start - total) / (sorted.length - 1);
    let next = start;
    return new Map(
      sorted.map(([id, it]) => {
        const own = next;
        next += it[size] + gap;
        return [id, own];
      }),
    );
  };
  const rows = how === "row" ? spread("x", "width") : undefined;
  const columns = how === "column" ? spread("y", "height") : undefined;
  const selements = draft.selements.map((it) => {
    const box = boxes.get(it.selementid);
    if (box === undefined) return it;
    const x = {
      left,
      center: (left + right - box.width) / 2,
      right: right - box.width,
      row: rows?.get(it.selementid),
    }[how as string];
    const y = {
      top,
      middle: (top + bottom - box.height) / 2,
      bottom: bottom - box.height,
      column: columns?.get(it.selementid),
    }[how as string];
    return {
      ...it,
      ...(x === undefined ? {} : { x: place(x, Number(draft.width)) }),
      ...(y === undefined ? {} : { y: place(y, Number(draft.height)) }),
    };
  });
  return { ...draft, selements };
}

/** All elements on the nearest lines of the grid. */
export function snapAll(draft: MapDraft): MapDraft {
  return moveParts(draft, draft.selements.map(elementKey), { x: 0, y: 0 }, true);
}

// ---- the way back

export interface History {
  readonly past: readonly MapDraft[];
  readonly now: MapDraft;
  readonly future: readonly MapDraft[];
}

const STEPS_MAX = 100;

export function begin(now: MapDraft): History {
  return { past: [], now, future: [] };
}

export function changeTo(history: History, next: MapDraft): History {
  if (next === history.now) return history;
  return { past: [...history.past, history.now].slice(-STEPS_MAX), now: next, future: [] };
}

export function undo(history: History): History {
  const before = history.past.at(-1);
  if (before === undefined) return history;
  return {
    past: history.past.slice(0, -1),
    now: before,
    future: [history.now, ...history.future],
  };
}

export function redo(history: History): History {
  const [next, ...future] = history.future;
  if (next === undefined) return history;
  return { past: [...history.past, history.now], now: next, future };
}

// ---- what cannot be saved

/** What is missing, by the part that misses it; undefined: the draft is whole. */
export interface Fault {
  readonly key: PartKey | undefined;
  readonly what: "name" | "size" | "target" | "icon" | "color" | "indicator";
}

const COLOR = /^[0-9a-f]{6}$/i;

/** Whether a link has what it says that it looks by. */
function isIndicated(link: MapLink): boolean {
  if (link.indicator_type === TRIGGERS) return link.linktriggers.length > 0;
  if (link.indicator_type !== ITEM) return true;
  const values = link.thresholds.map(({ threshold }) => threshold.trim());
  return (
    link.itemid !== "0" &&
    values.every((it) => THRESHOLD.test(it)) &&
    new Set(values).size === values.length &&
    link.highlights.every(({ pattern }) => pattern !== "")
  );
}

const THRESHOLD = /^-?\d+(\.\d+)?(e[+-]?\d+)?[smhdwKMGT]?$/i;

export function faultOf(draft: MapDraft): Fault | undefined {
  if (draft.name.trim() === "") return { key: undefined, what: "name" };
  const isSize = (it: string) =>
    Number.isInteger(Number(it)) && Number(it) >= 1 && Number(it) <= PLACE_MAX;
  if (!isSize(draft.width) || !isSize(draft.height)) return { key: undefined, what: "size" };
  for (const it of draft.selements) {
    if (it.iconid_off === "0") return { key: elementKey(it), what: "icon" };
    if (it.elementtype !== "4" && it.elements.length === 0) {
      return { key: elementKey(it), what: "target" };
    }
  }
  for (const [at, it] of draft.links.entries()) {
    const looks = [it, ...it.linktriggers, ...it.thresholds, ...it.highlights];
    if (looks.some(({ color }) => !COLOR.test(color))) return { key: `l:${at}`, what: "color" };
    if (!isIndicated(it)) return { key: `l:${at}`, what: "indicator" };
  }
  return undefined;
}
