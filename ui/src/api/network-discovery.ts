// Network discovery: rules with their checks, and what they have found.

import * as z from "zod/mini";
import { NETWORK_DISCOVERY_RULE } from "./generated/network-discovery-rule";
import { type AnswerOf, type DraftOf, objectsOf } from "./objects";
import { call } from "./rpc";
import * as schema from "./schema";
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

export interface DiscoveredHost {
  readonly dhostid: Id;
  readonly druleid: Id;
  /** "0": up */
  readonly status: string;
  readonly lastup: string;
  readonly lastdown: string;
}

export interface DiscoveredService {
  readonly dserviceid: Id;
  readonly dhostid: Id;
  readonly dcheckid: Id;
  readonly ip: string;
  readonly dns: string;
  readonly port: string;
  readonly value: string;
  readonly status: string;
  readonly lastup: string;
  readonly lastdown: string;
  /** Hosts that have this address. */
  readonly hosts: readonly { readonly hostid: Id; readonly name: string }[];
}

const text = z.string();

const host: z.ZodMiniType<DiscoveredHost> = z.object({
  dhostid: text,
  druleid: text,
  status: text,
  lastup: text,
  lastdown: text,
});

const service: z.ZodMiniType<DiscoveredService> = z.object({
  dserviceid: text,
  dhostid: text,
  dcheckid: text,
  ip: text,
  dns: text,
  port: text,
  value: text,
  status: text,
  lastup: text,
  lastdown: text,
  hosts: z.array(z.object({ hostid: text, name: text })),
});

/** Devices of a rule, or of all, with their services. */
export async function fetchDiscovered(
  druleid: Id | undefined,
  signal?: AbortSignal,
): Promise<{
  readonly hosts: readonly DiscoveredHost[];
  readonly services: readonly DiscoveredService[];
}> {
  const of = druleid === undefined ? {} : { druleids: [druleid] };
  const [hosts, services] = await Promise.all([
    call("dhost.get", { ...of, output: "extend" }, schema.listOf(host), signal),
    call(
      "dservice.get",
      { ...of, output: "extend", selectHosts: ["hostid", "name"] },
      schema.listOf(service),
      signal,
    ),
  ]);
  return { hosts, services };
}
