// The hosts of the pictures' world and the template that they all have.

export const DAY_S = 86_400;
export const SITES = ["Frankfurt", "Riga", "Helsinki"] as const;
/** As long as people make them. */
export const LONG_NAME =
  "kubernetes-worker-0042.production.eu-central-1a.internal.example-company.com";

export interface WorldHost {
  readonly host: string;
  readonly name?: string;
  readonly site: string;
  readonly role: "web" | "db" | "switch" | "mail";
  readonly groups: readonly string[];
  /** has a day of values, not an hour */
  readonly isClose: boolean;
  readonly description?: string;
  readonly inventory?: Readonly<Record<string, string>>;
  /** last values of it by key that are problems */
  readonly bad?: Readonly<Record<string, string>>;
}

const BAD: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "db-1.fra": { raid: "1", "vfs.fs.pused[/var]": "93.7" },
  "db-2.rig": { icmpping: "0", "mem.util": "96.5" },
  "web-1.fra": { cpu: "97.4" },
  "web-2.fra": { cpu: "94.1", rtt: "0.31" },
  "web-3.rig": { icmpping: "0" },
  "web-2.rig": { icmpping: "0" },
  "switch-1.rig": { icmpping: "0", "net.if.status[ge-0/0/9]": "2" },
  "switch-1.fra": { "net.if.status[ge-0/0/7]": "2", "net.if.status[ge-0/0/12]": "2" },
  "mail-1.hel": { uptime: "240" },
  "web-1.hel": { "vfs.fs.pused[/var]": "91.2" },
  [LONG_NAME]: { "mem.util": "98.1", uptime: "95" },
};

const COUNTS: readonly (readonly [WorldHost["role"], number])[] = [
  ["web", 3],
  ["db", 2],
  ["switch", 2],
  ["mail", 1],
];

export function hostsOf(): readonly WorldHost[] {
  const hosts: WorldHost[] = [];
  for (const site of SITES) {
    const short = site.slice(0, 3).toLowerCase();
    for (const [role, count] of COUNTS) {
      for (let n = 1; n <= count; n += 1) {
        hosts.push(hostOf(`${role}-${n}.${short}`, site, role));
      }
    }
  }
  hosts.push({
    ...hostOf(LONG_NAME, "Frankfurt", "web"),
    description:
      "A worker of the cluster that the shop runs on. Before it is drained, the platform team is notified, and the drain waits until the reservations of the stock service have gone to another one.",
  });
  hosts.push({ ...hostOf("office-1.rig", "Riga", "mail"), name: "Сервер в офисе" });
  return hosts;
}

function hostOf(host: string, site: string, role: WorldHost["role"]): WorldHost {
  const kind = role === "db" ? ["Databases"] : role === "switch" ? ["Network"] : [];
  const bad = BAD[host];
  return {
    host,
    site,
    role,
    groups: [site, ...kind],
    isClose: host.endsWith("1.fra") || host === "web-2.fra",
    ...(role === "switch" ? { description: `Rack 7 of ${site}, 24 ports` } : {}),
    inventory:
      role === "switch"
        ? {
            type: "Switch",
            vendor: "Juniper",
            model: "EX2300-24T",
            serialno_a: `JW36${host.length}7`,
          }
        : { type: "Server", os: "Debian 13", location: site },
    ...(bad === undefined ? {} : { bad }),
  };
}

type Create = (method: string, params: unknown) => Promise<readonly string[]>;

export interface WorldTemplate {
  readonly templateid: string;
}

const FLOAT = 0;
const LOG = 2;
const UNSIGNED = 3;
const TEXT = 4;
const NAME = "Server of the shop";

export async function templateOf(create: Create): Promise<WorldTemplate> {
  const [groupid = ""] = await create("templategroup", { name: "Templates/Shop" });
  const [templateid = ""] = await create("template", {
    host: NAME,
    groups: [{ groupid }],
    description: "Values that every machine of the shop has.",
    macros: [
      { macro: "{$CPU.MAX}", value: "90", description: "Utilization that is too high, in percent" },
      { macro: '{$FS.MAX:"/var"}', value: "85", description: "Logs grow fast" },
      { macro: "{$FS.MAX}", value: "90", description: "Used space that is too much, in percent" },
    ],
  });
  const [state = "", link = ""] = await create("valuemap", [
    {
      hostid: templateid,
      name: "Service state",
      mappings: [
        { value: "0", newvalue: "Down" },
        { value: "1", newvalue: "Up" },
      ],
    },
    {
      hostid: templateid,
      name: "Interface status",
      mappings: [
        { value: "1", newvalue: "up" },
        { value: "2", newvalue: "down" },
        { value: "7", newvalue: "lower layer down" },
      ],
    },
  ]);
  const item = (name: string, key_: string, component: string, more: object) => ({
    hostid: templateid,
    type: 2,
    name,
    key_,
    tags: [{ tag: "component", value: component }],
    ...more,
  });
  const [cpu = "", load = "", memory = ""] = await create("item", [
    item("CPU utilization", "cpu", "cpu", { value_type: FLOAT, units: "%" }),
    item("Load average (1m avg)", "load", "cpu", { value_type: FLOAT }),
    item("Memory used", "mem", "memory", { value_type: UNSIGNED, units: "B" }),
    item("Memory utilization", "mem.util", "memory", { value_type: FLOAT, units: "%" }),
    item("ICMP ping", "icmpping", "network", { value_type: UNSIGNED, valuemapid: state }),
    item("ICMP response time", "rtt", "network", { value_type: FLOAT, units: "s" }),
    item("Temperature", "temp", "health", { value_type: FLOAT, units: "°C" }),
    item("RAID: degraded arrays", "raid", "storage", { value_type: UNSIGNED }),
    item("Requests per second", "req", "application", { value_type: FLOAT, units: "rps" }),
    item("Uptime", "uptime", "system", { value_type: UNSIGNED, units: "uptime" }),
    item("Operating system", "os", "system", { value_type: TEXT }),
    item("Started", "booted", "system", { value_type: UNSIGNED, units: "unixtime" }),
    item("Log of the application", "log", "application", { value_type: LOG }),
  ]);
  await makeRules(create, templateid, link);
  const tag = (scope: string) => [{ tag: "scope", value: scope }];
  await create("trigger", [
    {
      description: "{HOST.NAME} has been restarted",
      expression: `last(/${NAME}/uptime)<10m`,
      priority: 1,
      opdata: "uptime {ITEM.LASTVALUE1}",
      tags: tag("notice"),
      manual_close: 1,
    },
    {
      description: "CPU utilization is over {$CPU.MAX}%",
      expression: `last(/${NAME}/cpu)>{$CPU.MAX}`,
      priority: 2,
      opdata: "now {ITEM.LASTVALUE1}",
      tags: tag("performance"),
      url: "https://wiki.example.com/cpu",
      comments: "Look at what the scheduler runs on {HOST.NAME} first.",
    },
    {
      description: "Memory is used up",
      expression: `last(/${NAME}/mem.util)>95`,
      priority: 3,
      opdata: "{ITEM.LASTVALUE1}",
      tags: tag("capacity"),
    },
    {
      description: "{HOST.NAME} does not answer pings",
      expression: `last(/${NAME}/icmpping)=0`,
      priority: 4,
      tags: tag("availability"),
    },
    {
      description: "The RAID of {HOST.NAME} has lost its redundancy",
      expression: `last(/${NAME}/raid)>0`,
      priority: 5,
      opdata: "degraded arrays: {ITEM.LASTVALUE1}",
      tags: tag("availability"),
    },
    {
      description: "Answers to pings are slow",
      expression: `last(/${NAME}/rtt)>0.2`,
      priority: 0,
      opdata: "{ITEM.LASTVALUE1}",
      tags: tag("performance"),
    },
  ]);
  await create("graph", [
    {
      name: "CPU and load",
      gitems: [
        { itemid: cpu, color: "1A7C11", drawtype: 5 },
        { itemid: load, color: "F63100", yaxisside: 1 },
      ],
    },
    { name: "Memory", graphtype: 1, gitems: [{ itemid: memory, color: "2774A4" }] },
  ]);
  return { templateid };
}

async function makeRules(create: Create, hostid: string, link: string): Promise<void> {
  const [files = ""] = await create("discoveryrule", {
    hostid,
    name: "Mounted file systems",
    key_: "vfs.fs.discovery",
    type: 2,
    filter: {
      evaltype: 0,
      conditions: [{ macro: "{#FSNAME}", value: "^/(proc|sys)", operator: 9 }],
    },
  });
  const [ports = ""] = await create("discoveryrule", {
    hostid,
    name: "Network interfaces",
    key_: "net.if.discovery",
    type: 2,
  });
  const prototype = (
    ruleid: string,
    name: string,
    key_: string,
    component: string,
    more: object,
  ) => ({
    hostid,
    ruleid,
    type: 2,
    name,
    key_,
    tags: [{ tag: "component", value: component }],
    ...more,
  });
  const port = (name: string, key: string, more: object) =>
    prototype(ports, `Interface {#IFNAME}: ${name}`, `net.if.${key}[{#IFNAME}]`, "network", more);
  const file = (name: string, key: string, more: object) =>
    prototype(files, `FS [{#FSNAME}]: ${name}`, `vfs.fs.${key}[{#FSNAME}]`, "storage", more);
  const [received = "", sent = ""] = await create("itemprototype", [
    port("Bits received", "in", { value_type: UNSIGNED, units: "bps" }),
    port("Bits sent", "out", { value_type: UNSIGNED, units: "bps" }),
    port("Inbound packets with errors", "errors", { value_type: FLOAT, units: "pps" }),
    port("Operational status", "status", { value_type: UNSIGNED, valuemapid: link }),
    port("Speed", "speed", { value_type: UNSIGNED, units: "bps" }),
    file("Space used, in percent", "pused", { value_type: FLOAT, units: "%" }),
    file("Size", "size", { value_type: UNSIGNED, units: "B" }),
  ]);
  await create("triggerprototype", [
    {
      description: "Interface {#IFNAME}: link is down",
      expression: `last(/${NAME}/net.if.status[{#IFNAME}])=2`,
      priority: 3,
      tags: [
        { tag: "scope", value: "availability" },
        { tag: "interface", value: "{#IFNAME}" },
      ],
    },
    {
      description: "FS [{#FSNAME}] is filling up",
      expression: `last(/${NAME}/vfs.fs.pused[{#FSNAME}])>{$FS.MAX:"{#FSNAME}"}`,
      priority: 2,
      opdata: "used {ITEM.LASTVALUE1}",
      tags: [
        { tag: "scope", value: "capacity" },
        { tag: "filesystem", value: "{#FSNAME}" },
      ],
    },
  ]);
  await create("graphprototype", {
    name: "Interface {#IFNAME}: network traffic",
    gitems: [
      { itemid: received, color: "1A7C11", drawtype: 5 },
      { itemid: sent, color: "2774A4" },
    ],
  });
}
