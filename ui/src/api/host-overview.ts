// What the overview of a host fetches in addition to the host.

import { HOST } from "./generated/host";
import { ITEM } from "./generated/item";
import { ITEM_PROTOTYPE } from "./generated/item-prototype";
import { PROBLEM } from "./generated/problem";
import { type AnswerOf, readerOf } from "./objects";
import type { Id } from "./types";

const STATES = readerOf(HOST, {
  output: ["maintenance_status", "maintenance_type", "maintenance_from"],
});
export type HostState = AnswerOf<typeof STATES>;

export async function fetchHostState(
  hostid: Id,
  signal?: AbortSignal,
): Promise<HostState | undefined> {
  return (await STATES.get({ hostids: [hostid] }, signal))[0];
}

const PROBLEMS = readerOf(PROBLEM, {
  output: ["eventid", "name", "severity", "clock", "acknowledged", "suppressed"],
  params: { sortfield: "eventid", sortorder: "DESC" },
});
export type HostProblem = AnswerOf<typeof PROBLEMS>;

/** Open ones, newest first. */
export async function fetchHostProblems(
  hostid: Id,
  limit: number,
  signal?: AbortSignal,
): Promise<readonly HostProblem[]> {
  return PROBLEMS.get({ hostids: [hostid], limit }, signal);
}

const ITEMS = readerOf(ITEM, {
  output: ["itemid", "name", "key_"],
  selects: { itemDiscovery: ["parent_itemid"] },
  params: { filter: { flags: ITEM.fields.flags.names.DISCOVERED } },
});
const PROTOTYPES = readerOf(ITEM_PROTOTYPE, {
  output: ["itemid", "name", "key_"],
  selects: { discoveryRule: ["itemid", "name"] },
});

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

/** What discovery made on a host, with what it was made of. */
export async function fetchDiscovered(hostid: Id, signal?: AbortSignal): Promise<Discovered> {
  const of = { hostids: [hostid] };
  const [items, prototypes] = await Promise.all([
    ITEMS.get(of, signal),
    PROTOTYPES.get(of, signal),
  ]);
  return {
    items: items.flatMap(({ key_: key, itemDiscovery, ...it }) => {
      const prototypeid = itemDiscovery?.parent_itemid;
      return prototypeid === undefined ? [] : [{ ...it, key, prototypeid }];
    }),
    prototypes: prototypes.flatMap(({ key_: key, discoveryRule, ...it }) =>
      discoveryRule === undefined
        ? []
        : [{ ...it, key, ruleid: discoveryRule.itemid, rule: discoveryRule.name }],
    ),
  };
}
