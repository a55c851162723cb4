// Maps, the images that they are drawn with, and a map as the server returns it with its states.

import * as z from "zod/mini";
import { checked } from "./checked";
import type { NetworkMapCreate } from "./generated/network-map";
import { http } from "./http";
import { call } from "./rpc";
import * as schema from "./schema";
import type { Id } from "./types";

const text = z.string();

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

export interface MapShape {
  readonly sysmap_shapeid?: Id | undefined;
  /** "0" rectangle, "1" ellipse */
  readonly type: string;
  readonly x: string;
  readonly y: string;
  readonly width: string;
  readonly height: string;
  readonly text: string;
  readonly font: string;
  readonly font_size: string;
  readonly font_color: string;
  readonly text_halign: string;
  readonly text_valign: string;
  readonly border_type: string;
  readonly border_width: string;
  readonly border_color: string;
  readonly background_color: string;
  readonly zindex: string;
}

export interface MapLine {
  readonly sysmap_shapeid?: Id | undefined;
  readonly x1: string;
  readonly y1: string;
  readonly x2: string;
  readonly y2: string;
  readonly line_type: string;
  readonly line_width: string;
  readonly line_color: string;
  readonly zindex: string;
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

const shape: z.ZodMiniType<MapShape> = z.object({
  sysmap_shapeid: z.optional(text),
  type: text,
  x: text,
  y: text,
  width: text,
  height: text,
  text,
  font: text,
  font_size: text,
  font_color: text,
  text_halign: text,
  text_valign: text,
  border_type: text,
  border_width: text,
  border_color: text,
  background_color: text,
  zindex: text,
});

const line: z.ZodMiniType<MapLine> = z.object({
  sysmap_shapeid: z.optional(text),
  x1: text,
  y1: text,
  x2: text,
  y2: text,
  line_type: text,
  line_width: text,
  line_color: text,
  zindex: text,
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
  shapes: z.array(shape),
  lines: z.array(line),
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

/** An item whose value a link may show. */
export interface LinkItem {
  readonly id: Id;
  readonly name: string;
  /** thresholds are of numbers, patterns of all else */
  readonly isNumeric: boolean;
}

const linkItem = z.object({
  itemid: text,
  name: text,
  value_type: text,
  hosts: z.array(z.object({ name: text })),
});
const LINK_ITEM = {
  output: ["itemid", "name", "value_type"],
  selectHosts: ["name"],
  templated: false,
  sortfield: "name",
} as const;

async function linkItems(params: object, signal?: AbortSignal): Promise<readonly LinkItem[]> {
  const found = await call(
    "item.get",
    { ...LINK_ITEM, ...params },
    schema.listOf(linkItem),
    signal,
  );
  return found.map(({ itemid, name, value_type, hosts: [host] }) => ({
    id: itemid,
    name: host === undefined ? name : `${host.name}: ${name}`,
    isNumeric: value_type === "0" || value_type === "3",
  }));
}

export async function fetchLinkItem(itemid: Id, signal?: AbortSignal): Promise<LinkItem | null> {
  const [found] = await linkItems({ itemids: [itemid] }, signal);
  return found ?? null;
}

export async function searchLinkItems(
  search: string,
  limit: number,
  signal?: AbortSignal,
): Promise<readonly LinkItem[]> {
  return linkItems({ limit, ...(search === "" ? {} : { search: { name: search } }) }, signal);
}

/** Where the bytes of an image are. */
export function imageAddress(imageid: Id): string {
  return `/api/v1/images/${imageid}`;
}

// ---- as it is kept

export interface MapRow {
  readonly sysmapid: Id;
  readonly name: string;
  readonly width: string;
  readonly height: string;
  readonly userid: Id;
  /** "0": all users see it */
  readonly private: string;
}

const row: z.ZodMiniType<MapRow> = z.object({
  sysmapid: text,
  name: text,
  width: text,
  height: text,
  userid: text,
  private: text,
});

const ROW = ["sysmapid", "name", "width", "height", "userid", "private"] as const;

export async function fetchMaps(signal?: AbortSignal): Promise<readonly MapRow[]> {
  return call("map.get", { output: ROW, sortfield: "name" }, schema.listOf(row), signal);
}

/** Ids of the maps that the user may change. */
export async function fetchWritableMaps(signal?: AbortSignal): Promise<readonly Id[]> {
  const params = { output: ROW, editable: true } as const;
  const found = await call("map.get", params, schema.listOf(row), signal);
  return found.map((it) => it.sysmapid);
}

export interface ElementTarget {
  readonly hostid?: Id | undefined;
  readonly sysmapid?: Id | undefined;
  readonly triggerid?: Id | undefined;
  readonly groupid?: Id | undefined;
}

export interface ElementTag {
  readonly tag: string;
  readonly value: string;
  readonly operator: string;
}

export interface NamedUrl {
  readonly name: string;
  readonly url: string;
}

export interface MapElement {
  /** "-1" as the map says, "0" when pointed at, "1" always */
  readonly show_label: string;
  readonly selementid: Id;
  readonly elementtype: string;
  readonly elements: readonly ElementTarget[];
  readonly iconid_off: Id;
  readonly iconid_on: Id;
  readonly iconid_disabled: Id;
  readonly iconid_maintenance: Id;
  readonly label: string;
  readonly label_location: string;
  readonly x: string;
  readonly y: string;
  readonly elementsubtype: string;
  readonly areatype: string;
  readonly width: string;
  readonly height: string;
  readonly use_iconmap: string;
  readonly evaltype: string;
  readonly tags: readonly ElementTag[];
  readonly urls: readonly NamedUrl[];
  readonly zindex: string;
}

export interface LinkTrigger {
  readonly triggerid: Id;
  readonly color: string;
  readonly drawtype: string;
}

/** How a link looks from a value on. */
export interface LinkThreshold {
  readonly threshold: string;
  readonly color: string;
  readonly drawtype: string;
}

/** How a link looks while a value matches. */
export interface LinkHighlight {
  readonly pattern: string;
  readonly color: string;
  readonly drawtype: string;
}

export interface MapLink {
  readonly linkid?: Id | undefined;
  readonly selementid1: Id;
  readonly selementid2: Id;
  readonly color: string;
  readonly drawtype: string;
  readonly label: string;
  readonly show_label: string;
  /** "0" nothing, "1" triggers, "2" the value of an item */
  readonly indicator_type: string;
  readonly linktriggers: readonly LinkTrigger[];
  /** "0": none */
  readonly itemid: Id;
  readonly thresholds: readonly LinkThreshold[];
  readonly highlights: readonly LinkHighlight[];
}

export interface MapUrl extends NamedUrl {
  readonly elementtype: string;
}

/** The fields that a form has, without the parts. */
export interface MapFields {
  readonly name: string;
  readonly width: string;
  readonly height: string;
  readonly backgroundid: Id;
  /** "1": it covers the map */
  readonly background_scale: string;
  readonly show_element_label: string;
  readonly show_link_label: string;
  readonly iconmapid: Id;
  readonly label_type: string;
  readonly label_location: string;
  readonly highlight: string;
  readonly expandproblem: string;
  readonly markelements: string;
  readonly show_unack: string;
  readonly show_suppressed: string;
  readonly severity_min: string;
  readonly grid_size: string;
  readonly grid_show: string;
  readonly grid_align: string;
  readonly private: string;
  /** the owner; empty of one that is to be made: who makes it */
  readonly userid: Id;
}

export interface NetworkMap extends MapFields {
  readonly sysmapid: Id;
  readonly selements: readonly MapElement[];
  readonly links: readonly MapLink[];
  readonly shapes: readonly MapShape[];
  readonly lines: readonly MapLine[];
  readonly urls: readonly MapUrl[];
  readonly users: readonly { readonly userid: Id; readonly permission: string }[];
  readonly userGroups: readonly { readonly usrgrpid: Id; readonly permission: string }[];
}

const url = { name: text, url: text };
const target = z.object({
  hostid: z.optional(text),
  sysmapid: z.optional(text),
  triggerid: z.optional(text),
  groupid: z.optional(text),
});
const element = z.object({
  show_label: text,
  selementid: text,
  elementtype: text,
  elements: z.array(target),
  iconid_off: text,
  iconid_on: text,
  iconid_disabled: text,
  iconid_maintenance: text,
  label: text,
  label_location: text,
  x: text,
  y: text,
  elementsubtype: text,
  areatype: text,
  width: text,
  height: text,
  use_iconmap: text,
  evaltype: text,
  tags: z.array(z.object({ tag: text, value: text, operator: text })),
  urls: z.array(z.object(url)),
  zindex: text,
});
const link = z.object({
  linkid: text,
  selementid1: text,
  selementid2: text,
  color: text,
  drawtype: text,
  label: text,
  show_label: text,
  indicator_type: text,
  linktriggers: z.array(z.object({ triggerid: text, color: text, drawtype: text })),
  itemid: text,
  thresholds: z.array(z.object({ threshold: text, color: text, drawtype: text })),
  highlights: z.array(z.object({ pattern: text, color: text, drawtype: text })),
});
const whole = z.object({
  sysmapid: text,
  name: text,
  width: text,
  height: text,
  backgroundid: text,
  background_scale: text,
  show_element_label: text,
  show_link_label: text,
  iconmapid: text,
  label_type: text,
  label_location: text,
  highlight: text,
  expandproblem: text,
  markelements: text,
  show_unack: text,
  show_suppressed: text,
  severity_min: text,
  grid_size: text,
  grid_show: text,
  grid_align: text,
  private: text,
  userid: text,
  selements: z.array(element),
  links: z.array(link),
  shapes: z.array(shape),
  lines: z.array(line),
  urls: z.array(z.object({ ...url, elementtype: text })),
  users: z.array(z.object({ userid: text, permission: text })),
  userGroups: z.array(z.object({ usrgrpid: text, permission: text })),
}) as unknown as z.ZodMiniType<NetworkMap>;

export async function fetchMap(
  sysmapid: Id,
  signal?: AbortSignal,
): Promise<NetworkMap | undefined> {
  const params = {
    sysmapids: [sysmapid],
    output: "extend",
    selectSelements: "extend",
    selectLinks: "extend",
    selectShapes: "extend",
    selectLines: "extend",
    selectUrls: "extend",
    selectUsers: "extend",
    selectUserGroups: "extend",
  } as const;
  const found = await call("map.get", params, schema.listOf(whole), signal);
  return found[0];
}

export type MapDraft = Omit<NetworkMap, "sysmapid">;

export async function createMap(draft: MapDraft): Promise<Id> {
  const { userid, ...rest } = draft;
  const owner = userid === "" ? {} : { userid };
  const params = { ...rest, ...owner } as unknown as NetworkMapCreate;
  const ids = await call("map.create", params, schema.createdIds("sysmapids"));
  return ids[0] ?? "";
}

export async function updateMap(sysmapid: Id, draft: Partial<MapDraft>): Promise<void> {
  const params = { sysmapid, ...(draft as unknown as NetworkMapCreate) };
  await call("map.update", params, schema.changed);
}

export async function deleteMaps(sysmapids: readonly Id[]): Promise<void> {
  await call("map.delete", sysmapids, schema.changed);
}

// ---- images and icon maps

export interface ImageRow {
  readonly imageid: Id;
  readonly name: string;
  /** "1" icon, "2" background */
  readonly imagetype: string;
}

const imageRow: z.ZodMiniType<ImageRow> = z.object({ imageid: text, name: text, imagetype: text });

export async function fetchImages(signal?: AbortSignal): Promise<readonly ImageRow[]> {
  const params = { output: ["imageid", "name", "imagetype"], sortfield: "name" } as const;
  return call("image.get", params, schema.listOf(imageRow), signal);
}

export interface ImageDraft {
  readonly name: string;
  readonly imagetype: string;
  /** base64 */
  readonly image: string;
}

export async function createImage(draft: ImageDraft): Promise<Id> {
  const ids = await call("image.create", draft, schema.createdIds("imageids"));
  return ids[0] ?? "";
}

export async function updateImage(
  imageid: Id,
  draft: { readonly name?: string; readonly image?: string },
): Promise<void> {
  await call("image.update", { imageid, ...draft }, schema.changed);
}

export async function deleteImages(imageids: readonly Id[]): Promise<void> {
  await call("image.delete", imageids, schema.changed);
}

export interface IconMapping {
  readonly iconid: Id;
  /** what the field matches: a regular expression, or @ and the name of a global one */
  readonly expression: string;
  /** number of the field of the inventory */
  readonly inventory_link: string;
}

export interface IconMap {
  readonly iconmapid: Id;
  readonly name: string;
  /** where nothing matches */
  readonly default_iconid: Id;
  /** the first that matches counts */
  readonly mappings: readonly IconMapping[];
}

const iconMap: z.ZodMiniType<IconMap> = z.object({
  iconmapid: text,
  name: text,
  default_iconid: text,
  mappings: z.array(z.object({ iconid: text, expression: text, inventory_link: text })),
});

const ICON_MAP = { output: "extend", selectMappings: "extend" } as const;

export async function fetchIconMaps(signal?: AbortSignal): Promise<readonly IconMap[]> {
  return call("iconmap.get", { ...ICON_MAP, sortfield: "name" }, schema.listOf(iconMap), signal);
}

export async function fetchIconMap(
  iconmapid: Id,
  signal?: AbortSignal,
): Promise<IconMap | undefined> {
  const params = { ...ICON_MAP, iconmapids: [iconmapid] };
  return (await call("iconmap.get", params, schema.listOf(iconMap), signal))[0];
}

export type IconMapDraft = Omit<IconMap, "iconmapid">;

export async function createIconMap(draft: IconMapDraft): Promise<Id> {
  const ids = await call("iconmap.create", draft, schema.createdIds("iconmapids"));
  return ids[0] ?? "";
}

export async function updateIconMap(iconmapid: Id, draft: Partial<IconMapDraft>): Promise<void> {
  await call("iconmap.update", { iconmapid, ...draft }, schema.changed);
}

export async function deleteIconMaps(iconmapids: readonly Id[]): Promise<void> {
  await call("iconmap.delete", iconmapids, schema.changed);
}
