// What widgets of dashboards show, beyond what other pages ask for: items with their newest values, graphs,
// problems with their hosts and groups. Items of all widgets of a page are asked for at once (see batch.ts).

import * as z from "zod/mini";
import { type Severity, toSeverity } from "@/lib/severity";
import type { Mapping } from "@/lib/value-map";
import { Batcher } from "./batch";
import { GRAPH } from "./generated/graph";
import { GRAPH_PROTOTYPE } from "./generated/graph-prototype";
import { HOST } from "./generated/host";
import { ITEM } from "./generated/item";
import { ITEM_PROTOTYPE } from "./generated/item-prototype";
import { PROBLEM } from "./generated/problem";
import { TRIGGER } from "./generated/trigger";
import { VALUE_MAP } from "./generated/value-map";
import { type AnswerOf, readerOf } from "./objects";
import { call } from "./rpc";
import * as schema from "./schema";
import type { Id, Tag } from "./types";

/** An item with its newest value. */
export interface BoardItem {
  readonly itemid: Id;
  readonly hostid: Id;
  /** the host's visible name */
  readonly host: string;
  readonly technical: string;
  readonly name: string;
  readonly key: string;
  readonly units: string;
  readonly valueType: number;
  readonly value: string;
  readonly previous: string;
  /** seconds; 0 when nothing was received yet */
  readonly clock: number;
  readonly description: string;
  readonly mappings: readonly Mapping[];
  readonly tags: readonly Tag[];
  /** why it is not supported; empty where it is */
  readonly error: string;
  readonly isTemplate: boolean;
}

const ITEMS = readerOf(ITEM, {
  output: [
    "itemid",
    "hostid",
    "name_resolved",
    "key_",
    "units",
    "value_type",
    "lastvalue",
    "prevvalue",
    "lastclock",
    "description",
    "state",
    "error",
    "valuemapid",
  ],
  selects: { hosts: ["host", "name", "status"], tags: ["tag", "value"] },
});

const VALUE_MAPS = readerOf(VALUE_MAP, {
  output: ["valuemapid"],
  selects: { mappings: "extend" },
});

const valueMaps = new Batcher<readonly Mapping[]>(async (valuemapids) => {
  const found = await VALUE_MAPS.get({ valuemapids });
  return new Map(found.map((it) => [it.valuemapid, it.mappings]));
});

async function boardItem(it: AnswerOf<typeof ITEMS>): Promise<BoardItem> {
  const [host] = it.hosts;
  return {
    itemid: it.itemid,
    hostid: it.hostid,
    host: host?.name || (host?.host ?? ""),
    technical: host?.host ?? "",
    name: it.name_resolved,
    key: it.key_,
    units: it.units,
    valueType: Number(it.value_type),
    value: it.lastvalue,
    previous: it.prevvalue,
    clock: Number(it.lastclock),
    description: it.description,
    mappings: it.valuemapid === "0" ? [] : ((await valueMaps.get(it.valuemapid)) ?? []),
    tags: it.tags,
    error: it.state === "1" ? it.error : "",
    isTemplate: host?.status === "3",
  };
}

async function boardItems(
  params: Parameters<typeof ITEMS.get>[0],
  signal?: AbortSignal,
): Promise<readonly BoardItem[]> {
  return Promise.all((await ITEMS.get(params, signal)).map(boardItem));
}

const items = new Batcher<BoardItem>(async (itemids) => {
  const found = await boardItems({ itemids });
  return new Map(found.map((it) => [it.itemid, it]));
});

/** Host and key, as one text. */
const address = (hostid: Id, key: string) => `${hostid}\n${key}`;

const itemsByKey = new Batcher<BoardItem>(async (addresses) => {
  const pairs = addresses.map((it) => it.split("\n"));
  const found = await boardItems({
    hostids: [...new Set(pairs.map(([hostid]) => hostid ?? ""))],
    filter: { key_: [...new Set(pairs.map(([, key]) => key ?? ""))] },
  });
  return new Map(found.map((it) => [address(it.hostid, it.key), it]));
});

/** Those of a host that have the keys of the items given; without a host the items themselves. */
export async function fetchBoardItems(
  itemids: readonly Id[],
  hostid: Id | undefined,
): Promise<readonly BoardItem[]> {
  const named = await items.all(itemids);
  if (hostid === undefined) return named;
  return itemsByKey.all(named.map((it) => address(hostid, it.key)));
}

export interface ItemQuery {
  readonly hostids?: readonly Id[];
  readonly groupids?: readonly Id[];
  /** names, with `*` for any letters */
  readonly patterns?: readonly string[];
  readonly tags?: readonly TagCondition[];
  readonly evaltype?: number;
  readonly limit: number;
}

export interface TagCondition {
  readonly tag: string;
  readonly operator: number;
  readonly value: string;
}

/** Only what narrows the search: an empty list would find nothing. */
function narrowed(query: {
  readonly hostids?: readonly Id[];
  readonly groupids?: readonly Id[];
  readonly tags?: readonly TagCondition[];
  readonly evaltype?: number;
}) {
  const { hostids = [], groupids = [], tags = [], evaltype = 0 } = query;
  return {
    ...(hostids.length === 0 ? {} : { hostids }),
    ...(groupids.length === 0 ? {} : { groupids }),
    ...(tags.length === 0 ? {} : { tags, evaltype }),
  };
}

function named(patterns: readonly string[]) {
  const search = { name: patterns };
  return patterns.length === 0 ? {} : { search, searchWildcardsEnabled: true, searchByAny: true };
}

/** Monitored items by name. */
export async function searchBoardItems(
  query: ItemQuery,
  signal?: AbortSignal,
): Promise<readonly BoardItem[]> {
  const { patterns = [], limit } = query;
  const params = {
    ...narrowed(query),
    ...named(patterns),
    monitored: true,
    sortfield: "name",
    limit,
  };
  return boardItems(params, signal);
}

// ---- hosts

export interface BoardHost {
  readonly hostid: Id;
  readonly name: string;
  readonly status: string;
  readonly maintenance: boolean;
  readonly groups: readonly { readonly groupid: Id; readonly name: string }[];
  readonly tags: readonly Tag[];
  readonly latitude: string;
  readonly longitude: string;
  readonly interfaces: readonly { readonly type: string; readonly available: string }[];
  readonly activeAvailable: string;
}

const HOSTS = readerOf(HOST, {
  output: ["hostid", "name", "status", "maintenance_status", "active_available"],
  selects: {
    hostgroups: ["groupid", "name"],
    tags: ["tag", "value"],
    interfaces: ["type", "available"],
    inventory: ["location_lat", "location_lon"],
  },
  params: { sortfield: "name" },
});

export interface HostsQuery {
  readonly hostids?: readonly Id[];
  readonly groupids?: readonly Id[];
  readonly patterns?: readonly string[];
  readonly tags?: readonly TagCondition[];
  readonly evaltype?: number;
  /** "0" monitored, "1" not; undefined: both */
  readonly status?: string;
  readonly limit: number;
}

export async function fetchBoardHosts(
  query: HostsQuery,
  signal?: AbortSignal,
): Promise<readonly BoardHost[]> {
  const { patterns = [], status, limit } = query;
  const filter = status === undefined ? {} : { filter: { status } };
  const params = { ...narrowed(query), ...named(patterns), ...filter, limit };
  return (await HOSTS.get(params, signal)).map((it) => ({
    hostid: it.hostid,
    name: it.name,
    status: it.status,
    maintenance: it.maintenance_status === "1",
    groups: it.hostgroups,
    tags: it.tags,
    latitude: it.inventory?.location_lat ?? "",
    longitude: it.inventory?.location_lon ?? "",
    interfaces: it.interfaces,
    activeAvailable: it.active_available,
  }));
}

// ---- graphs

export interface BoardGraph {
  readonly graphid: Id;
  readonly name: string;
  readonly host: string;
  /** 0 normal, 1 stacked, 2 pie, 3 exploded pie */
  readonly graphtype: number;
  readonly legend: boolean;
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly lines: readonly {
    readonly itemid: Id;
    readonly color: string;
    /** 0 line, 1 filled region, 2 bold line, 3 dot, 4 dashed line, 5 gradient line */
    readonly draw: number;
    readonly right: boolean;
    /** 1 min, 2 avg, 4 max, 7 all, 9 last */
    readonly calc: string;
    /** of a pie: the whole that the others are parts of */
    readonly isWhole: boolean;
  }[];
}

const GRAPHS = readerOf(GRAPH, {
  output: [
    "graphid",
    "name",
    "graphtype",
    "show_legend",
    "yaxismin",
    "yaxismax",
    "ymin_type",
    "ymax_type",
  ],
  selects: { hosts: ["name"], gitems: "extend" },
});
const { FIXED } = GRAPH.fields.ymin_type.names;

function boardGraph(it: AnswerOf<typeof GRAPHS>): BoardGraph {
  return {
    graphid: it.graphid,
    name: it.name,
    host: it.hosts[0]?.name ?? "",
    graphtype: Number(it.graphtype),
    legend: it.show_legend !== "0",
    min: it.ymin_type === FIXED ? Number(it.yaxismin) : undefined,
    max: it.ymax_type === FIXED ? Number(it.yaxismax) : undefined,
    lines: [...it.gitems]
      .sort((a, b) => Number(a.sortorder) - Number(b.sortorder))
      .map((line) => ({
        itemid: line.itemid,
        color: `#${line.color}`,
        draw: Number(line.drawtype),
        right: line.yaxisside === GRAPH.fields.gitems.fields.yaxisside.names.RIGHT,
        calc: line.calc_fnc,
        isWhole: line.type === GRAPH.fields.gitems.fields.type.names.GRAPH_SUM,
      })),
  };
}

async function boardGraphs(
  params: Parameters<typeof GRAPHS.get>[0],
  signal?: AbortSignal,
): Promise<readonly BoardGraph[]> {
  return (await GRAPHS.get(params, signal)).map(boardGraph);
}

const GRAPH_NAMES = readerOf(GRAPH, { output: ["graphid", "name"] });

/** The graph, or the one of its name that a host has. */
export async function fetchBoardGraph(
  graphid: Id,
  hostid: Id | undefined,
  signal?: AbortSignal,
): Promise<BoardGraph | undefined> {
  if (hostid === undefined) return (await boardGraphs({ graphids: [graphid] }, signal))[0];
  const [own] = await GRAPH_NAMES.get({ graphids: [graphid] }, signal);
  if (own === undefined) return undefined;
  return (await boardGraphs({ hostids: [hostid], filter: { name: own.name } }, signal))[0];
}

/** What a prototype has made on a host, and what the prototype is called there. */
export interface OfPrototype<Made> {
  readonly name: string;
  readonly host: string;
  readonly made: readonly Made[];
}

const GRAPH_PROTOTYPES = readerOf(GRAPH_PROTOTYPE, {
  output: ["graphid", "name"],
  selects: { hosts: ["hostid", "name"] },
});
const MADE_GRAPHS = readerOf(GRAPH, {
  output: ["graphid"],
  selects: { graphDiscovery: ["parent_graphid"] },
});
/** `flags` of what discovery made. */
const MADE = 4;

/** Graphs that were made of a prototype, or of the prototype of its name that a host has. */
export async function fetchPrototypeGraphs(
  graphid: Id,
  hostid: Id | undefined,
  signal?: AbortSignal,
): Promise<OfPrototype<BoardGraph> | null> {
  const [own] = await GRAPH_PROTOTYPES.get({ graphids: [graphid] }, signal);
  const on = hostid ?? own?.hosts[0]?.hostid;
  if (own === undefined || on === undefined) return null;
  const it = { name: own.name, host: own.hosts[0]?.name ?? "" };
  let prototype = graphid;
  if (hostid !== undefined) {
    const same = { hostids: [hostid], filter: { name: own.name } };
    prototype = (await GRAPH_PROTOTYPES.get(same, signal))[0]?.graphid ?? "";
  }
  const discovered = await MADE_GRAPHS.get({ hostids: [on], filter: { flags: MADE } }, signal);
  const graphids = discovered
    .filter(({ graphDiscovery }) => graphDiscovery?.parent_graphid === prototype)
    .map((made) => made.graphid);
  if (graphids.length === 0) return { ...it, made: [] };
  const graphs = await boardGraphs({ graphids, sortfield: "name" }, signal);
  return { ...it, host: graphs[0]?.host ?? it.host, made: graphs };
}

const ITEM_PROTOTYPES = readerOf(ITEM_PROTOTYPE, { output: ["itemid", "hostid", "key_", "name"] });
const MADE_ITEMS = readerOf(ITEM, {
  output: ["itemid"],
  selects: { itemDiscovery: ["parent_itemid"] },
});

/** Items that were made of a prototype, or of the prototype with its key that a host has. */
export async function fetchPrototypeItems(
  itemid: Id,
  hostid: Id | undefined,
  signal?: AbortSignal,
): Promise<OfPrototype<BoardItem> | null> {
  const [own] = await ITEM_PROTOTYPES.get({ itemids: [itemid] }, signal);
  if (own === undefined) return null;
  let parent = own.itemid;
  if (hostid !== undefined) {
    const same = { hostids: [hostid], filter: { key_: own.key_ } };
    parent = (await ITEM_PROTOTYPES.get(same, signal))[0]?.itemid ?? "";
  }
  const on = { hostids: [hostid ?? own.hostid], filter: { flags: MADE } };
  const itemids = (await MADE_ITEMS.get(on, signal))
    .filter(({ itemDiscovery }) => itemDiscovery?.parent_itemid === parent)
    .map((it) => it.itemid);
  const found = await items.all(itemids);
  return { name: own.name, host: found[0]?.host ?? "", made: found };
}

// ---- problems

export interface BoardProblem {
  readonly eventid: Id;
  readonly triggerid: Id;
  readonly name: string;
  readonly severity: Severity;
  readonly clock: number;
  /** 0: it is open */
  readonly end: number;
  readonly acknowledged: boolean;
  readonly suppressed: boolean;
  readonly opdata: string;
  readonly symptom: boolean;
  readonly tags: readonly Tag[];
  readonly hosts: readonly { readonly hostid: Id; readonly name: string }[];
  readonly groups: readonly { readonly groupid: Id; readonly name: string }[];
}

const PROBLEMS = readerOf(PROBLEM, {
  output: [
    "eventid",
    "objectid",
    "name",
    "severity",
    "clock",
    "r_clock",
    "acknowledged",
    "suppressed",
    "opdata",
    "cause_eventid",
  ],
  selects: { tags: ["tag", "value"] },
  params: { sortfield: ["eventid"], sortorder: "DESC" },
});
const PROBLEM_IDS = readerOf(PROBLEM, { output: ["eventid"] });
const TRIGGERS = readerOf(TRIGGER, {
  output: ["triggerid"],
  selects: { hosts: ["hostid", "name"], hostgroups: ["groupid", "name"] },
});

const triggers = new Batcher<AnswerOf<typeof TRIGGERS>>(async (triggerids) => {
  const found = await TRIGGERS.get({ triggerids });
  return new Map(found.map((it) => [it.triggerid, it]));
});

export interface ProblemsQuery {
  readonly hostids?: readonly Id[];
  readonly groupids?: readonly Id[];
  readonly withoutGroupids?: readonly Id[];
  readonly severities?: readonly number[];
  readonly tags?: readonly TagCondition[];
  readonly evaltype?: number;
  /** part of the name */
  readonly name?: string;
  /** ended a short while ago, too */
  readonly recent?: boolean;
  readonly acknowledged?: boolean;
  readonly suppressed?: boolean;
  readonly symptoms?: boolean;
  readonly limit: number;
}

/**
 * Newest first. Suppressed ones only where they are asked for, and symptoms as well, but those whose cause does not
 * count for the user: it is resolved, suppressed or not accessible.
 */
export async function fetchBoardProblems(
  query: ProblemsQuery,
  signal?: AbortSignal,
): Promise<readonly BoardProblem[]> {
  const { severities = [], name = "", withoutGroupids = [] } = query;
  const shown = {
    ...(query.recent === true ? { recent: true } : {}),
    ...(query.suppressed === true ? {} : { suppressed: false }),
  };
  const get = (more: { readonly symptom?: boolean }) =>
    PROBLEMS.get(
      {
        ...narrowed(query),
        ...(severities.length === 0 ? {} : { severities }),
        ...(name === "" ? {} : { search: { name } }),
        ...(query.acknowledged === undefined ? {} : { acknowledged: query.acknowledged }),
        ...shown,
        ...more,
        limit: query.limit,
      },
      signal,
    );
  const alone = async () => {
    const symptoms = await get({ symptom: true });
    const eventids = [...new Set(symptoms.map((it) => it.cause_eventid))];
    if (eventids.length === 0) return [];
    const causes = await PROBLEM_IDS.get({ eventids, ...shown }, signal);
    const known = new Set(causes.map((it) => it.eventid));
    return symptoms.filter((it) => !known.has(it.cause_eventid));
  };
  const found =
    query.symptoms === true
      ? await get({})
      : newest((await Promise.all([get({ symptom: false }), alone()])).flat(), query.limit);
  const places = await triggers.all([...new Set(found.map((it) => it.objectid))]);
  const byId = new Map(places.map((it) => [it.triggerid, it]));
  return found
    .map(
      (it): BoardProblem => ({
        eventid: it.eventid,
        triggerid: it.objectid,
        name: it.name,
        severity: toSeverity(it.severity),
        clock: Number(it.clock),
        end: Number(it.r_clock),
        acknowledged: it.acknowledged === "1",
        suppressed: it.suppressed === "1",
        opdata: it.opdata,
        symptom: it.cause_eventid !== "0",
        tags: it.tags,
        hosts: byId.get(it.objectid)?.hosts ?? [],
        groups: byId.get(it.objectid)?.hostgroups ?? [],
      }),
    )
    .filter(({ groups }) => !groups.some(({ groupid }) => withoutGroupids.includes(groupid)));
}

function newest<T extends { readonly eventid: Id }>(of: T[], limit: number): readonly T[] {
  return of.sort((a, b) => Number(b.eventid) - Number(a.eventid)).slice(0, limit);
}

// ---- what fields of widgets may name

export interface Offer {
  readonly id: Id;
  readonly name: string;
}

export type OfferKind =
  | "item"
  | "itemPrototype"
  | "graph"
  | "graphPrototype"
  | "host"
  | "hostgroup"
  | "sla"
  | "service"
  | "map"
  | "user";

const offers: Readonly<Record<OfferKind, OfferSource>> = {
  item: { method: "item.get", id: "itemid", ids: "itemids", hosts: true },
  itemPrototype: { method: "itemprototype.get", id: "itemid", ids: "itemids", hosts: true },
  graph: { method: "graph.get", id: "graphid", ids: "graphids", hosts: true },
  graphPrototype: { method: "graphprototype.get", id: "graphid", ids: "graphids", hosts: true },
  host: { method: "host.get", id: "hostid", ids: "hostids", hosts: false },
  hostgroup: { method: "hostgroup.get", id: "groupid", ids: "groupids", hosts: false },
  sla: { method: "sla.get", id: "slaid", ids: "slaids", hosts: false },
  service: { method: "service.get", id: "serviceid", ids: "serviceids", hosts: false },
  map: { method: "map.get", id: "sysmapid", ids: "sysmapids", hosts: false },
  user: { method: "user.get", id: "userid", ids: "userids", hosts: false },
};

interface OfferSource {
  readonly method:
    | "item.get"
    | "itemprototype.get"
    | "graph.get"
    | "graphprototype.get"
    | "host.get"
    | "hostgroup.get"
    | "sla.get"
    | "service.get"
    | "map.get"
    | "user.get";
  readonly id: string;
  readonly ids: string;
  /** names are distinguished by their hosts */
  readonly hosts: boolean;
}

const offer = z.looseObject({
  name: z.optional(z.string()),
  username: z.optional(z.string()),
  hosts: z.optional(z.array(z.object({ name: z.string() }))),
});

export interface OfferQuery {
  readonly ids?: readonly Id[];
  readonly search?: string;
  /** the host or template whose objects are meant */
  readonly ownerid?: Id | undefined;
  readonly limit: number;
}

/** Objects with these ids, or with this in their names. */
export async function fetchOffers(
  kind: OfferKind,
  query: OfferQuery,
  signal?: AbortSignal,
): Promise<readonly Offer[]> {
  const source = offers[kind];
  const field = kind === "user" ? "username" : "name";
  const { ids, search = "", ownerid, limit } = query;
  const found = await call(
    source.method,
    {
      // fields of the kind: the types of the methods do not connect them
      output: [source.id, field] as never[],
      ...(ids === undefined ? {} : { [source.ids]: ids }),
      ...(search === "" ? {} : { search: { [field]: search } }),
      ...(source.hosts ? { selectHosts: ["name"] } : {}),
      ...(ownerid !== undefined && source.hosts ? { hostids: [ownerid] } : {}),
      ...(ownerid === undefined && source.hosts && ids === undefined ? { templated: false } : {}),
      sortfield: field,
      limit,
    },
    schema.listOf(offer),
    signal,
  );
  return found.map((it) => {
    const name = it.name ?? it.username ?? "";
    const host = it.hosts?.[0]?.name;
    const isNamed = host === undefined || ownerid !== undefined;
    return { id: String(it[source.id]), name: isNamed ? name : `${host}: ${name}` };
  });
}
