// What the overview of a host fetches in addition to the host.

import * as z from "zod/mini";
import { call } from "./rpc";
import * as schema from "./schema";
import type { Id } from "./types";

export interface HostState {
  readonly inMaintenance: boolean;
  /** seconds */
  readonly maintenanceSince: number;
  /** no data is collected meanwhile */
  readonly collectsNothing: boolean;
}

const hostState: z.ZodMiniType<HostState> = z.pipe(
  z.object({
    maintenance_status: z.string(),
    maintenance_type: z.string(),
    maintenance_from: z.string(),
  }),
  z.transform((it) => ({
    inMaintenance: it.maintenance_status === "1",
    maintenanceSince: Number(it.maintenance_from),
    collectsNothing: it.maintenance_type === "1",
  })),
);

export async function fetchHostState(
  hostid: Id,
  signal?: AbortSignal,
): Promise<HostState | undefined> {
  const found = await call(
    "host.get",
    {
      hostids: [hostid],
      output: ["hostid", "maintenance_status", "maintenance_type", "maintenance_from"],
    },
    schema.listOf(hostState),
    signal,
  );
  return found[0];
}

export interface HostProblem {
  readonly eventid: Id;
  readonly name: string;
  readonly severity: number;
  readonly clock: number;
  readonly isAcknowledged: boolean;
  readonly isSuppressed: boolean;
}

const hostProblem: z.ZodMiniType<HostProblem> = z.pipe(
  z.object({
    eventid: z.string(),
    name: z.string(),
    severity: z.string(),
    clock: z.string(),
    acknowledged: z.string(),
    suppressed: z._default(z.string(), "0"),
  }),
  z.transform((it) => ({
    eventid: it.eventid,
    name: it.name,
    severity: Number(it.severity),
    clock: Number(it.clock),
    isAcknowledged: it.acknowledged === "1",
    isSuppressed: it.suppressed === "1",
  })),
);

/** Open ones, newest first. */
export async function fetchHostProblems(
  hostid: Id,
  limit: number,
  signal?: AbortSignal,
): Promise<readonly HostProblem[]> {
  return call(
    "problem.get",
    {
      hostids: [hostid],
      output: ["eventid", "name", "severity", "clock", "acknowledged", "suppressed"],
      sortfield: "eventid",
      sortorder: "DESC",
      limit,
    },
    schema.listOf(hostProblem),
    signal,
  );
}

export interface HostEvent {
  readonly eventid: Id;
  readonly name: string;
  readonly severity: number;
  readonly clock: number;
  readonly isProblem: boolean;
}

const hostEvent: z.ZodMiniType<HostEvent> = z.pipe(
  z.object({
    eventid: z.string(),
    name: z.string(),
    severity: z.string(),
    clock: z.string(),
    value: z.string(),
  }),
  z.transform((it) => ({
    eventid: it.eventid,
    name: it.name,
    severity: Number(it.severity),
    clock: Number(it.clock),
    isProblem: it.value === "1",
  })),
);

/** Problems and recoveries, newest first. */
export async function fetchHostEvents(
  hostid: Id,
  limit: number,
  signal?: AbortSignal,
): Promise<readonly HostEvent[]> {
  return call(
    "event.get",
    {
      hostids: [hostid],
      source: 0,
      object: 0,
      output: ["eventid", "name", "severity", "clock", "value"],
      sortfield: ["clock", "eventid"],
      sortorder: "DESC",
      limit,
    },
    schema.listOf(hostEvent),
    signal,
  );
}

export interface DiscoveredItem {
  readonly itemid: Id;
  readonly name: string;
  readonly key: string;
  readonly prototypeid: Id;
}

export interface DiscoveredPrototype {
  readonly itemid: Id;
  readonly name: string;
  readonly key: string;
  readonly ruleid: Id;
  readonly rule: string;
}

export interface Discovered {
  readonly items: readonly DiscoveredItem[];
  readonly prototypes: readonly DiscoveredPrototype[];
}

const discoveredItem: z.ZodMiniType<DiscoveredItem | undefined> = z.pipe(
  z.object({
    itemid: z.string(),
    name: z.string(),
    key_: z.string(),
    // an item without a prototype has an empty list in its place
    itemDiscovery: z.union([z.object({ parent_itemid: z.string() }), z.array(z.unknown())]),
  }),
  z.transform(({ itemid, name, key_, itemDiscovery }) =>
    "parent_itemid" in itemDiscovery
      ? { itemid, name, key: key_, prototypeid: itemDiscovery.parent_itemid }
      : undefined,
  ),
);

const discoveredPrototype: z.ZodMiniType<DiscoveredPrototype> = z.pipe(
  z.object({
    itemid: z.string(),
    name: z.string(),
    key_: z.string(),
    discoveryRule: z.object({ itemid: z.string(), name: z.string() }),
  }),
  z.transform(({ itemid, name, key_, discoveryRule }) => ({
    itemid,
    name,
    key: key_,
    ruleid: discoveryRule.itemid,
    rule: discoveryRule.name,
  })),
);

const DISCOVERED = "4";

/** What discovery made on a host, with what it was made of. */
export async function fetchDiscovered(hostid: Id, signal?: AbortSignal): Promise<Discovered> {
  const [items, prototypes] = await Promise.all([
    call(
      "item.get",
      {
        hostids: [hostid],
        output: ["itemid", "name", "key_"],
        filter: { flags: DISCOVERED },
        selectItemDiscovery: ["parent_itemid"],
      },
      schema.listOf(discoveredItem),
      signal,
    ),
    call(
      "itemprototype.get",
      {
        hostids: [hostid],
        output: ["itemid", "name", "key_"],
        selectDiscoveryRule: ["itemid", "name"],
      },
      schema.listOf(discoveredPrototype),
      signal,
    ),
  ]);
  return { items: items.filter((it) => it !== undefined), prototypes };
}
