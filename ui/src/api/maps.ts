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

export interface ElementState {
  /** of the worst problem; -1: none */
  readonly severity: number;
  readonly problems: number;
  readonly unacknowledged: number;
  /** name of the worst problem */
  readonly problem: string | null;
  readonly eventid: Id | null;
  /** hosts or triggers that it stands for, and how many of them are disabled or in maintenance */
  readonly objects: number;
  readonly disabled: number;
  readonly maintenance: number;
  /** a problem began within half an hour */
  readonly changed: boolean;
}

export interface DrawnElement {
  readonly id: string;
  readonly selementid: Id;
  readonly elementtype: number;
  readonly x: number;
  readonly y: number;
  /** `x` and `y` are the middle of the icon, not its corner */
  readonly centered: boolean;
  /** width and height of the room that a host has among the others of its area; null outside of areas */
  readonly cell: readonly [number, number] | null;
  readonly zindex: number;
  readonly readable: boolean;
  readonly name: string;
  readonly targets: readonly Id[];
  /** null: neither label nor status */
  readonly label: string | null;
  /** 0 bottom, 1 left, 2 right, 3 top */
  readonly label_location: number;
  /** its label is also shown when the pointer is elsewhere */
  readonly always: boolean;
  readonly urls: readonly { readonly name: string; readonly url: string }[];
  readonly iconid: Id;
  readonly state: ElementState;
}

export interface DrawnLink {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** six hexadecimal digits */
  readonly color: string;
  /** 0 line, 2 bold, 3 dotted, 4 dashed */
  readonly drawtype: number;
  readonly label: string;
  readonly problem: boolean;
  readonly always: boolean;
}

export interface DrawnArea {
  readonly selementid: Id;
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** hosts that found no place */
  readonly hidden: number;
}

export interface DrawnMap {
  readonly sysmapid: Id;
  readonly name: string;
  readonly width: string;
  readonly height: string;
  readonly backgroundid: Id;
  readonly background_scale: string;
  /** "1": what has problems is highlighted */
  readonly highlight: string;
  /** "0" number of problems, "1" name of a single one, "2" number and the worst one */
  readonly expandproblem: string;
  /** "0" all, "1" unacknowledged, "2" both */
  readonly show_unack: string;
  readonly markelements: string;
  readonly severity_min: number;
  readonly writable: boolean;
  readonly clock: number;
  readonly elements: readonly DrawnElement[];
  readonly areas: readonly DrawnArea[];
  readonly links: readonly DrawnLink[];
  readonly shapes: readonly MapShape[];
  readonly lines: readonly MapLine[];
  /** width and height of the images, by id */
  readonly images: Readonly<Record<Id, readonly [number, number]>>;
}

const text = z.string();

const state = z.object({
  severity: z.number(),
  problems: z.number(),
  unacknowledged: z.number(),
  problem: z.nullable(text),
  eventid: z.nullable(text),
  objects: z.number(),
  disabled: z.number(),
  maintenance: z.number(),
  changed: z.boolean(),
});

const drawn = z.object({
  sysmapid: text,
  name: text,
  width: text,
  height: text,
  backgroundid: text,
  background_scale: text,
  highlight: text,
  expandproblem: text,
  show_unack: text,
  markelements: text,
  severity_min: z.number(),
  writable: z.boolean(),
  clock: z.number(),
  elements: z.array(
    z.object({
      id: text,
      selementid: text,
      elementtype: z.number(),
      x: z.number(),
      y: z.number(),
      centered: z.boolean(),
      cell: z.nullable(z.tuple([z.number(), z.number()])),
      zindex: z.number(),
      readable: z.boolean(),
      name: text,
      targets: z.array(text),
      label: z.nullable(text),
      label_location: z.number(),
      always: z.boolean(),
      urls: z.array(z.object({ name: text, url: text })),
      iconid: text,
      state,
    }),
  ),
  areas: z.array(
    z.object({
      selementid: text,
      name: text,
      x: z.number(),
      y: z.number(),
      width: z.number(),
      height: z.number(),
      hidden: z.number(),
    }),
  ),
  links: z.array(
    z.object({
      id: text,
      from: text,
      to: text,
      color: text,
      drawtype: z.number(),
      label: text,
      problem: z.boolean(),
      always: z.boolean(),
    }),
  ),
  shapes: listSchema(STORED.fields.shapes.fields),
  lines: listSchema(STORED.fields.lines.fields),
  images: z.record(text, z.tuple([z.number(), z.number()])),
});

export async function fetchDrawnMap(
  sysmapid: Id,
  severityMin: number | undefined,
  signal?: AbortSignal,
): Promise<DrawnMap> {
  const query = severityMin === undefined ? "" : `?severity_min=${severityMin}`;
  const answer = await http(`/api/v1/maps/${encodeURIComponent(sysmapid)}${query}`, { signal });
  return checked("map", answer, drawn) as DrawnMap;
}
