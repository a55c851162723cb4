// Network discovery by JSON-RPC: rules with their checks, and what they have found.

import * as z from "zod/mini";
import { call } from "./rpc";
import * as schema from "./schema";
import type { Id } from "./types";

export interface NetworkCheck {
  readonly dcheckid: Id;
  /** 0 SSH … 9 Zabbix agent, 10 SNMPv1, 11 SNMPv2c, 12 ICMP ping, 13 SNMPv3, 14 HTTPS, 15 Telnet */
  readonly type: string;
  readonly ports: string;
  readonly key_: string;
  readonly snmp_community: string;
  readonly snmpv3_securityname: string;
  readonly snmpv3_securitylevel: string;
  readonly snmpv3_authprotocol: string;
  readonly snmpv3_authpassphrase: string;
  readonly snmpv3_privprotocol: string;
  readonly snmpv3_privpassphrase: string;
  readonly snmpv3_contextname: string;
  readonly uniq: string;
  readonly host_source: string;
  readonly name_source: string;
  readonly allow_redirect: string;
}

export interface NetworkRule {
  readonly druleid: Id;
  readonly name: string;
  readonly iprange: string;
  readonly delay: string;
  /** "0": enabled */
  readonly status: string;
  readonly concurrency_max: string;
  /** why the last round was not made */
  readonly error: string;
  readonly dchecks: readonly NetworkCheck[];
}

/** Checks that are there are named by their ids; of a check only what its type has. */
export interface NetworkRuleDraft {
  readonly name: string;
  readonly iprange: string;
  readonly delay: string;
  readonly status: string;
  readonly concurrency_max: string;
  readonly dchecks: readonly ({ readonly type: string } & Readonly<Record<string, string>>)[];
}

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

const check: z.ZodMiniType<NetworkCheck> = z.object({
  dcheckid: text,
  type: text,
  ports: text,
  key_: text,
  snmp_community: text,
  snmpv3_securityname: text,
  snmpv3_securitylevel: text,
  snmpv3_authprotocol: text,
  snmpv3_authpassphrase: text,
  snmpv3_privprotocol: text,
  snmpv3_privpassphrase: text,
  snmpv3_contextname: text,
  uniq: text,
  host_source: text,
  name_source: text,
  allow_redirect: text,
});

const rule: z.ZodMiniType<NetworkRule> = z.object({
  druleid: text,
  name: text,
  iprange: text,
  delay: text,
  status: text,
  concurrency_max: text,
  error: text,
  dchecks: z.array(check),
});

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

const WHOLE = { output: "extend", selectDChecks: "extend", sortfield: "name" } as const;

export async function fetchNetworkRules(signal?: AbortSignal): Promise<readonly NetworkRule[]> {
  return call("drule.get", WHOLE, schema.listOf(rule), signal);
}

export async function fetchNetworkRule(
  id: Id,
  signal?: AbortSignal,
): Promise<NetworkRule | undefined> {
  const params = { ...WHOLE, druleids: [id] };
  return (await call("drule.get", params, schema.listOf(rule), signal))[0];
}

export async function createNetworkRule(draft: NetworkRuleDraft): Promise<Id> {
  return (await call("drule.create", draft, schema.createdIds("druleids")))[0] ?? "";
}

export async function updateNetworkRule(
  druleid: Id,
  draft: Partial<NetworkRuleDraft>,
): Promise<void> {
  await call("drule.update", { druleid, ...draft }, schema.changed);
}

export async function setNetworkRulesStatus(
  druleids: readonly Id[],
  status: "0" | "1",
): Promise<void> {
  const changes = druleids.map((druleid) => ({ druleid, status }));
  await call("drule.update", changes, schema.changed);
}

export async function deleteNetworkRules(ids: readonly Id[]): Promise<void> {
  await call("drule.delete", ids, schema.changed);
}

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
