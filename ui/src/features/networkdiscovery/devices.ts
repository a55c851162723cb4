// Devices that network discovery has found, as the page shows them.

import type { DiscoveredHost, DiscoveredService, NetworkRule } from "@/api/network-discovery";
import { checkTypeName, PING } from "@/widgets/network-checks";

export interface DeviceService {
  readonly id: string;
  /** `TCP 80` */
  readonly name: string;
  readonly isUp: boolean;
  readonly since: number;
  readonly value: string;
  readonly ip: string;
}

export interface Device {
  readonly id: string;
  readonly rule: string;
  readonly addresses: readonly string[];
  readonly dns: string;
  readonly isUp: boolean;
  /** since when it is up or down, in seconds since 1970 */
  readonly since: number;
  readonly services: readonly DeviceService[];
  readonly hosts: readonly { readonly hostid: string; readonly name: string }[];
}

function sinceOf({ lastup, lastdown }: { lastup: string; lastdown: string }): number {
  return Math.max(Number(lastup), Number(lastdown));
}

export function devicesOf(
  hosts: readonly DiscoveredHost[],
  services: readonly DiscoveredService[],
  rules: readonly NetworkRule[],
): readonly Device[] {
  const types = new Map(rules.flatMap((it) => it.dchecks.map((one) => [one.dcheckid, one.type])));
  const names = new Map(rules.map(({ druleid, name }) => [druleid, name]));
  const byHost = new Map<string, DiscoveredService[]>();
  for (const it of services) {
    const own = byHost.get(it.dhostid);
    if (own === undefined) byHost.set(it.dhostid, [it]);
    else own.push(it);
  }
  return hosts.map((host) => {
    const own = byHost.get(host.dhostid) ?? [];
    const known = own.flatMap((it) => it.hosts);
    return {
      id: host.dhostid,
      rule: names.get(host.druleid) ?? `#${host.druleid}`,
      addresses: [...new Set(own.map(({ ip }) => ip))],
      dns: own.find(({ dns }) => dns !== "")?.dns ?? "",
      isUp: host.status === "0",
      since: sinceOf(host),
      services: own.map((it) => {
        const type = types.get(it.dcheckid) ?? "";
        const port = type === PING || it.port === "0" ? "" : ` ${it.port}`;
        return {
          id: it.dserviceid,
          name: `${checkTypeName(type)}${port}`,
          isUp: it.status === "0",
          since: sinceOf(it),
          value: it.value,
          ip: it.ip,
        };
      }),
      hosts: [...new Map(known.map((it) => [it.hostid, it])).values()],
    };
  });
}
