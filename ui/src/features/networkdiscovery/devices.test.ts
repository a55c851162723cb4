import { expect, it } from "vitest";
import type { DiscoveredService, NetworkRule } from "@/api/network-discovery";
import { devicesOf } from "./devices";

function service(change: Partial<DiscoveredService>): DiscoveredService {
  return {
    dserviceid: "1",
    dhostid: "1",
    dcheckid: "1",
    ip: "192.0.2.1",
    dns: "",
    port: "0",
    value: "",
    status: "0",
    lastup: "100",
    lastdown: "0",
    hosts: [],
    ...change,
  };
}

it("a device has the services of all its addresses, and each host once", () => {
  const rule = {
    druleid: "7",
    name: "Office",
    dchecks: [
      { dcheckid: "1", type: "12" },
      { dcheckid: "2", type: "9" },
    ],
  } as unknown as NetworkRule;
  const host = { hostid: "5", name: "web" };
  const [device, other] = devicesOf(
    [
      { dhostid: "1", druleid: "7", status: "1", lastup: "0", lastdown: "300" },
      { dhostid: "2", druleid: "8", status: "0", lastup: "50", lastdown: "0" },
    ],
    [
      service({ hosts: [host] }),
      service({
        dserviceid: "2",
        dcheckid: "2",
        port: "10050",
        ip: "192.0.2.2",
        dns: "web.example.com",
        value: "web",
        status: "1",
        lastup: "0",
        lastdown: "200",
        hosts: [host],
      }),
    ],
    [rule],
  );
  expect(device).toEqual({
    id: "1",
    rule: "Office",
    addresses: ["192.0.2.1", "192.0.2.2"],
    dns: "web.example.com",
    isUp: false,
    since: 300,
    services: [
      { id: "1", name: "ICMP ping", isUp: true, since: 100, value: "", ip: "192.0.2.1" },
      {
        id: "2",
        name: "Zabbix agent 10050",
        isUp: false,
        since: 200,
        value: "web",
        ip: "192.0.2.2",
      },
    ],
    hosts: [host],
  });
  expect(other).toMatchObject({ rule: "#8", addresses: [], isUp: true, services: [] });
});
