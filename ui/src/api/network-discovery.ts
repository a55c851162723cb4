// Network discovery: rules with their checks, and what they have found.

import { DISCOVERED_HOST } from "./generated/discovered-host";
import { DISCOVERED_SERVICE } from "./generated/discovered-service";
import { NETWORK_DISCOVERY_RULE } from "./generated/network-discovery-rule";
import { type AnswerOf, type DraftOf, objectsOf, readerOf } from "./objects";
import type { Id } from "./types";

export const NETWORK_RULES = objectsOf(NETWORK_DISCOVERY_RULE, {
  output: ["druleid", "name", "iprange", "delay", "status", "concurrency_max", "error"],
  selects: { dchecks: "extend" },
});

export type NetworkRule = AnswerOf<typeof NETWORK_RULES>;
export type NetworkCheck = NetworkRule["dchecks"][number];
/** Checks that are there are named by their ids; of a check only what its type has. */
export type NetworkRuleDraft = DraftOf<"drule"> & {
  readonly dchecks: NonNullable<DraftOf<"drule">["dchecks"]>;
};

const HOSTS = readerOf(DISCOVERED_HOST, {});
/** With the hosts that have the address. */
const SERVICES = readerOf(DISCOVERED_SERVICE, { selects: { hosts: ["hostid", "name"] } });
export type DiscoveredHost = AnswerOf<typeof HOSTS>;
export type DiscoveredService = AnswerOf<typeof SERVICES>;

/** Devices of a rule, or of all, with their services. */
export async function fetchDiscovered(
  druleid: Id | undefined,
  signal?: AbortSignal,
): Promise<{
  readonly hosts: readonly DiscoveredHost[];
  readonly services: readonly DiscoveredService[];
}> {
  const of = druleid === undefined ? {} : { druleids: [druleid] };
  const [hosts, services] = await Promise.all([HOSTS.get(of, signal), SERVICES.get(of, signal)]);
  return { hosts, services };
}
