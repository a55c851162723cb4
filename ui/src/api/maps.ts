// Maps, the images that they are drawn with, and a map as the server returns it with its states.

import * as z from "zod/mini";
import { checked } from "./checked";
import { listSchema, without } from "./described";
import { ICON_MAP } from "./generated/icon-map";
import { IMAGE as STORED_IMAGE } from "./generated/image";
import { ITEM } from "./generated/item";
import { NETWORK_MAP } from "./generated/network-map";
import { http } from "./http";
import { type AnswerOf, type DraftOf, objectsOf, readAs, readerOf } from "./objects";
import type * as schema from "./schema";
import type { Id } from "./types";

// ---- as it is kept

/** Parts are written without these ids. */
const STORED = without(NETWORK_MAP, ["sysmapelementurlid", "sysmapurlid", "linktriggerid"]);

const WHOLE = objectsOf(STORED, {
  output: [
    "sysmapid",
    "name",
    "width",
    "height",
    "backgroundid",
    "background_scale",
    "show_element_label",
    "show_link_label",
    "iconmapid",
    "label_type",
    "label_location",
    "highlight",
    "expandproblem",
    "markelements",
    "show_unack",
    "show_suppressed",
    "severity_min",
    "grid_size",
    "grid_show",
    "grid_align",
    "private",
    "userid",
  ],
  selects: {
    selements: [
      "selementid",
      "elementtype",
      "elements",
      "iconid_off",
      "iconid_on",
      "iconid_disabled",
      "iconid_maintenance",
      "label",
      "label_location",
      "show_label",
      "x",
      "y",
      "elementsubtype",
      "areatype",
      "width",
      "height",
      "use_iconmap",
      "evaltype",
      "tags",
      "urls",
      "zindex",
    ],
    links: [
      "linkid",
      "selementid1",
      "selementid2",
      "color",
      "drawtype",
      "label",
      "show_label",
      "indicator_type",
      "linktriggers",
      "itemid",
      "thresholds",
      "highlights",
    ],
    shapes: "extend",
    lines: "extend",
    urls: "extend",
    users: "extend",
    userGroups: "extend",
  },
});

type StoredMap = AnswerOf<typeof WHOLE>;
/** A part that is new has no id. */
type Part<T, I extends keyof T> = Omit<T, I> & { readonly [N in I]?: T[N] | undefined };

type StoredElement = StoredMap["selements"][number];
export type MapElement = StoredElement & { readonly selementid: Id };
export type ElementTarget = MapElement["elements"][number];
export type NamedUrl = MapElement["urls"][number];
export type MapLink = Part<StoredMap["links"][number], "linkid">;
export type LinkTrigger = MapLink["linktriggers"][number];
export type MapShape = Part<StoredMap["shapes"][number], "sysmap_shapeid">;
export type MapLine = Part<StoredMap["lines"][number], "sysmap_shapeid">;

type PartLists = "selements" | "links" | "shapes" | "lines" | "urls" | "users" | "userGroups";
/** The fields that a form has, without the parts; the owner is empty of one that is to be made: who makes it. */
export type MapFields = Omit<StoredMap, "sysmapid" | PartLists>;

export interface NetworkMap extends Omit<StoredMap, "selements" | "links" | "shapes" | "lines"> {
  readonly selements: readonly MapElement[];
  readonly links: readonly MapLink[];
  readonly shapes: readonly MapShape[];
  readonly lines: readonly MapLine[];
}

export type MapDraft = Omit<NetworkMap, "sysmapid">;

const isSaved = (it: StoredElement): it is MapElement => it.selementid !== undefined;

export const MAPS = {
  ...readAs(WHOLE, (it): NetworkMap => ({ ...it, selements: it.selements.filter(isSaved) })),
  create: ({ userid, ...rest }: MapDraft) =>
    WHOLE.create(userid === "" ? rest : { ...rest, userid }),
} as const;

const ROWS = readerOf(NETWORK_MAP, {
  output: ["sysmapid", "name", "width", "height", "userid", "private"],
});
export type MapRow = AnswerOf<typeof ROWS>;

export async function fetchMaps(signal?: AbortSignal): Promise<readonly MapRow[]> {
  return ROWS.get({ sortfield: "name" }, signal);
}

/** Ids of the maps that the user may change. */
export async function fetchWritableMaps(signal?: AbortSignal): Promise<readonly Id[]> {
  return (await ROWS.get({ editable: true }, signal)).map((it) => it.sysmapid);
}

// ---- images and icon maps

export const IMAGES = objectsOf(STORED_IMAGE, { output: ["imageid", "name", "imagetype"] });
export type ImageRow = AnswerOf<typeof IMAGES>;

/** Where the bytes of an image are. */
export function imageAddress(imageid: Id): string {
  return `/api/v1/images/${imageid}`;
}

export const ICON_MAPS = objectsOf(ICON_MAP, { selects: { mappings: "extend" } });
export type IconMap = AnswerOf<typeof ICON_MAPS>;
export type IconMapping = IconMap["mappings"][number];
export type IconMapDraft = DraftOf<"iconmap">;

/** An item whose value a link may show. */
export interface LinkItem {
  readonly id: Id;
  readonly name: string;
  /** thresholds are of numbers, patterns of all else */
  readonly isNumeric: boolean;
}

const ITEMS = readerOf(ITEM, {
  output: ["itemid", "name", "value_type"],
  selects: { hosts: ["name"] },
  params: { templated: false, sortfield: "name" },
});

function linkItemOf({ itemid, name, value_type, hosts }: AnswerOf<typeof ITEMS>): LinkItem {
  const [host] = hosts;
  return {
    id: itemid,
    name: host === undefined ? name : `${host.name}: ${name}`,
    isNumeric: value_type === "0" || value_type === "3",
  };
}

export async function fetchLinkItem(itemid: Id, signal?: AbortSignal): Promise<LinkItem | null> {
  const [found] = await ITEMS.get({ itemids: [itemid] }, signal);
  return found === undefined ? null : linkItemOf(found);
}

export async function searchLinkItems(
  search: string,
  limit: number,
  signal?: AbortSignal,
): Promise<readonly LinkItem[]> {
  const named = search === "" ? {} : { search: { name: search } };
  return (await ITEMS.get({ limit, ...named }, signal)).map(linkItemOf);
}

// ---- as it is drawn

/** What an element stands for. */
export type ElementKind = 0 | 1 | 2 | 3 | 4;
export const HOST: ElementKind = 0;
export const SUBMAP: ElementKind = 1;
export const TRIGGER: ElementKind = 2;
export const HOST_GROUP: ElementKind = 3;
export const IMAGE: ElementKind = 4;

const text = z.string();
const number = z.number();
const flag = z.boolean();
const size = z.tuple([number, number]);

const state = z.object({
  /** of the worst problem; -1: none */
  severity: number,
  problems: number,
  unacknowledged: number,
  /** name of the worst problem */
  problem: z.nullable(text),
  eventid: z.nullable(text),
  /** hosts or triggers that it stands for, and how many of them are disabled or in maintenance */
  objects: number,
  disabled: number,
  maintenance: number,
  /** a problem began within half an hour */
  changed: flag,
});

const element = z.object({
  id: text,
  selementid: text,
  elementtype: number,
  x: number,
  y: number,
  /** `x` and `y` are the middle of the icon, not its corner */
  centered: flag,
  /** the room that a host has among the others of its area; null outside of areas */
  cell: z.nullable(size),
  zindex: number,
  readable: flag,
  name: text,
  targets: z.array(text),
  /** null: neither label nor status */
  label: z.nullable(text),
  /** 0 bottom, 1 left, 2 right, 3 top */
  label_location: number,
  /** its label is also shown when the pointer is elsewhere */
  always: flag,
  urls: z.array(z.object({ name: text, url: text })),
  iconid: text,
  state,
});

const link = z.object({
  id: text,
  from: text,
  to: text,
  /** six hexadecimal digits */
  color: text,
  /** 0 line, 2 bold, 3 dotted, 4 dashed */
  drawtype: number,
  label: text,
  problem: flag,
  always: flag,
});

const area = z.object({
  selementid: text,
  name: text,
  x: number,
  y: number,
  width: number,
  height: number,
  /** hosts that found no place */
  hidden: number,
});

const drawn = z.object({
  sysmapid: text,
  name: text,
  width: text,
  height: text,
  backgroundid: text,
  background_scale: text,
  /** "1": what has problems is highlighted */
  highlight: text,
  /** "0" number of problems, "1" name of a single one, "2" number and the worst one */
  expandproblem: text,
  /** "0" all, "1" unacknowledged, "2" both */
  show_unack: text,
  markelements: text,
  severity_min: number,
  writable: flag,
  clock: number,
  elements: z.array(element),
  areas: z.array(area),
  links: z.array(link),
  shapes: listSchema(STORED.fields.shapes.fields),
  lines: listSchema(STORED.fields.lines.fields),
  /** sizes of the images, by id */
  images: z.record(text, size),
});

export type ElementState = schema.Read<typeof state>;
export type DrawnElement = schema.Read<typeof element>;
export type DrawnLink = schema.Read<typeof link>;
export type DrawnArea = schema.Read<typeof area>;
export type DrawnMap = Omit<schema.Read<typeof drawn>, "shapes" | "lines"> & {
  readonly shapes: readonly MapShape[];
  readonly lines: readonly MapLine[];
};

export async function fetchDrawnMap(
  sysmapid: Id,
  severityMin: number | undefined,
  signal?: AbortSignal,
): Promise<DrawnMap> {
  const query = severityMin === undefined ? "" : `?severity_min=${severityMin}`;
  const answer = await http(`/api/v1/maps/${encodeURIComponent(sysmapid)}${query}`, { signal });
  return checked("map", answer, drawn) as DrawnMap;
}
