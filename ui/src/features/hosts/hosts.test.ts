import { describe, expect, it } from "vitest";
import type { LatestRow } from "@/api/latest-columns";
import type { Host } from "@/api/types";
import {
  interfaceError,
  newInterface,
  toDetails,
  toInterface,
} from "@/widgets/interfaces/interface-draft";
import { hostAvailability } from "./availability";
import { chartGroups, commonTitle } from "./chart-groups";
import { isFiltered, readHosts, readOrder, writeHosts } from "./filter";
import { checkHostName, draftOfHost, fieldsOfHost, isHostValid } from "./host-form";
import { shownOf, windowRows, windowsOf } from "./host-windows";

function row(name: string, key: string, units: string, tags: LatestRow["tags"] = []): LatestRow {
  return {
    itemid: key,
    hostid: "1",
    host: "web01",
    name,
    key,
    units,
    valueType: 0,
    interval: "30s",
    tags,
    live: { clock: 0, value: "", previous: "", state: 0, error: "", text: "" },
  };
}

const HOST: Host = {
  hostid: "1",
  host: "web01",
  name: "web01",
  status: "0",
  description: "",
  active_available: "1",
  ipmi_authtype: "-1",
  ipmi_privilege: "2",
  ipmi_username: "",
  interfaces: [
    {
      interfaceid: "5",
      type: "1",
      main: "1",
      useip: "1",
      ip: "10.0.0.1",
      dns: "",
      port: "10050",
      available: "2",
      error: "connection refused",
      details: undefined,
    },
    {
      interfaceid: "6",
      type: "1",
      main: "0",
      useip: "0",
      ip: "",
      dns: "web01.lan",
      port: "10050",
      available: "1",
      error: "",
      details: undefined,
    },
  ],
  hostgroups: [{ groupid: "2", name: "Linux servers" }],
  parentTemplates: [
    { templateid: "70", name: "Linux" },
    { templateid: "71", name: "Ping" },
  ],
  tags: [{ tag: "site", value: "fra" }],
  parents: [{ hostid: "9" }],
  tls_connect: "1",
  tls_accept: "1",
  tls_issuer: "",
  tls_subject: "",
  macros: [{ hostmacroid: "8", macro: "{$SECRET}", value: "", description: "", type: "1" }],
  items: "3",
  triggers: "2",
  discoveries: "0",
};

describe("charts of a host", () => {
  it("join items of one component, kind of key and units", () => {
    const cpu = [["component", "cpu"]] as const;
    const groups = chartGroups(
      [
        row("CPU load average (1m)", "system.cpu.load[all,avg1]", "", cpu),
        row("CPU load average (5m)", "system.cpu.load[all,avg5]", "", cpu),
        row("CPU user time", "system.cpu.util[,user]", "%", cpu),
        row("Swap: free", "system.swap.size[,free]", "B"),
        { ...row("Host name", "system.hostname", ""), valueType: 1 },
      ],
      "",
    );
    expect(groups.map((group) => [group.name, group.charts.map((chart) => chart.title)])).toEqual([
      ["cpu", ["CPU load average", "CPU user time"]],
      ["Swap", ["Swap: free"]],
    ]);
  });

  it("split when there are more lines than colours", () => {
    const rows = Array.from({ length: 20 }, (_, at) => row(`CPU ${at} load`, `cpu[${at}]`, "%"));
    expect(chartGroups(rows, "")[0]?.charts.map((chart) => chart.items.length)).toEqual([8, 8, 4]);
    expect(chartGroups(rows, "cpu 19")[0]?.charts).toHaveLength(1);
  });

  it("have different titles", () => {
    const cpu = [["component", "cpu"]] as const;
    const titles = (...rows: LatestRow[]) =>
      chartGroups(rows, "")[0]?.charts.map(({ title }) => title);
    expect(
      titles(
        row("CPU: user", "cpu.util[user]", "%", cpu),
        row("CPU: idle", "cpu.util[idle]", "%", cpu),
        row("CPU: interrupts", "cpu.intr[a]", "", cpu),
        row("CPU: switches", "cpu.intr[b]", "", cpu),
      ),
    ).toEqual(["CPU, %", "CPU: interrupts …"]);
  });

  it("are titled by the words that their items share", () => {
    expect(commonTitle(["FS [/]: Used", "FS [/var]: Used"])).toBe("FS Used");
    expect(commonTitle(["Available memory", "Total memory"])).toBe("Memory");
    expect(commonTitle(["Alpha", "Beta"])).toBe("Alpha …");
  });
});

describe("hosts", () => {
  it("count as unavailable with the worst of their interfaces, reasons kept", () => {
    expect(hostAvailability(HOST)).toEqual([
      {
        kind: "ZBX",
        state: "unavailable",
        lines: ["10.0.0.1:10050 – unavailable – connection refused", "web01.lan:10050 – available"],
      },
      { kind: "active", state: "available", lines: ["active checks: available"] },
    ]);
  });

  it("have names that the server accepts", () => {
    expect(checkHostName("web-01.fra_1 x").ok).toBe(true);
    expect(checkHostName("web/01")).toMatchObject({ ok: false, position: 3 });
    expect(checkHostName(" ").ok).toBe(false);
  });
});

describe("the host form", () => {
  it("sends what it got when nothing was changed", () => {
    const draft = draftOfHost(fieldsOfHost(HOST));
    expect(draft).toMatchObject({
      host: "web01",
      name: "web01",
      status: "0",
      groups: [{ groupid: "2" }],
      templates: [{ templateid: "70" }, { templateid: "71" }],
      templates_clear: [],
      parents: [{ hostid: "9" }],
      tags: [{ tag: "site", value: "fra" }],
    });
    expect(draft.interfaces?.[0]).toEqual({
      interfaceid: "5",
      type: "1",
      main: "1",
      useip: "1",
      ip: "10.0.0.1",
      dns: "",
      port: "10050",
    });
    // a secret that was not typed again stays as it is
    expect(draft.macros?.[0]).not.toHaveProperty("value");
  });

  it("unlinks, clears and links templates", () => {
    const fields = fieldsOfHost(HOST);
    const links = { ...fields.links, clear: ["70"], added: ["72"] };
    const draft = draftOfHost({ ...fields, links });
    expect(draft.templates).toEqual([{ templateid: "71" }, { templateid: "72" }]);
    expect(draft.templates_clear).toEqual([{ templateid: "70" }]);
  });

  it("wants a name, a group and complete interfaces", () => {
    const fields = fieldsOfHost(HOST);
    expect(isHostValid(fields)).toBe(true);
    expect(isHostValid({ ...fields, groupids: [] })).toBe(false);
    expect(interfaceError({ ...newInterface("1", true), ip: "" })).toBe(
      "an IP address is required",
    );
    expect(interfaceError({ ...newInterface("1", true), port: "70000" })).toBeDefined();
    expect(interfaceError({ ...newInterface("1", true), port: "{$PORT}" })).toBeUndefined();
  });

  it("sends of SNMP what the version has", () => {
    const { snmp } = newInterface("2", true);
    expect(toInterface(newInterface("2", true)).details).toEqual({
      version: "2",
      bulk: "1",
      community: "{$SNMP_COMMUNITY}",
      max_repetitions: "10",
    });
    expect(Object.keys(toDetails({ ...snmp, version: "1" }))).not.toContain("max_repetitions");
    const v3 = { ...snmp, version: "3", securityName: "u", securityLevel: "1" } as const;
    expect(toDetails(v3)).toMatchObject({ securityname: "u", authprotocol: "0" });
    expect(toDetails(v3)).not.toHaveProperty("privprotocol");
    expect(toDetails(v3)).not.toHaveProperty("community");
  });
});

describe("the filter of hosts", () => {
  const search = {
    q: "web 10",
    groups: "2,15",
    templates: "70",
    tags: "site:fra,a%2Cb:c%3Ad,os",
    status: "disabled",
    availability: "unavailable",
    sort: "-items",
  };

  it("is in the address, and reads back", () => {
    const query = readHosts(search);
    expect(query).toEqual({
      text: "web 10",
      groupids: ["2", "15"],
      templateids: ["70"],
      tags: [
        ["site", "fra"],
        ["a,b", "c:d"],
        ["os", ""],
      ],
      status: "1",
      availability: "2",
    });
    expect(writeHosts(query, readOrder(search))).toEqual(search);
  });

  it("leaves out what is as usual, and passes over what it does not know", () => {
    expect(writeHosts(readHosts({}), readOrder({}))).toEqual({});
    const odd = { status: "toString", availability: "x", groups: "a,3", sort: "-price" };
    expect(writeHosts(readHosts(odd), readOrder(odd))).toEqual({ groups: "3" });
    expect(isFiltered(readHosts({ sort: "-name", q: " " }))).toBe(false);
    expect(isFiltered(readHosts({ tags: "os" }))).toBe(true);
  });
});

describe("windows of hosts", () => {
  it("are those that hold the rows in view", () => {
    expect(windowsOf(100, 0, 0)).toEqual([0]);
    expect(windowsOf(100, 0, 99)).toEqual([0]);
    expect(windowsOf(100, 95, 130)).toEqual([0, 1]);
    expect(windowsOf(100, 1_000, 1_299)).toEqual([10, 11, 12]);
    expect(windowsOf(50, 45, 130)).toEqual([0, 1, 2]);
  });

  it.each([
    [1, 25],
    [50, 50],
    [999_999, 500],
  ])("have as many rows as the profile says, in bounds: %d", (setting, rows) => {
    expect(windowRows(setting)).toBe(rows);
  });

  it("count as the newest answer does", () => {
    const answer = (total: number, dataUpdatedAt: number) => ({
      data: { total, hosts: [] },
      dataUpdatedAt,
    });
    const none = { data: undefined, dataUpdatedAt: 0 };
    expect(shownOf([0, 1], [none, none])).toBeUndefined();
    expect(shownOf([4, 5], [answer(600, 1), none])?.total).toBe(600);
    const both = shownOf([4, 5], [answer(600, 9), answer(599, 8)]);
    expect([both?.total, [...(both?.windows.keys() ?? [])]]).toEqual([600, [4, 5]]);
  });
});
