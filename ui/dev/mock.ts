// A stand-in for the server while the UI is developed: invented hosts, live values, problems that come and
// go, and enough of the API to create, edit and delete. For development only; it is no reference.
// Usage: npm run mock [port]; user Admin, any password but "wrong".

import { readFileSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { type WebSocket, WebSocketServer } from "ws";

type Row = Record<string, unknown>;
type Params = Row & { hostids?: string[]; itemids?: string[]; templateids?: string[] };

const dist = fileURLToPath(new URL("../dist", import.meta.url));
const now = () => Math.floor(Date.now() / 1000);

export const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; " +
  "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

let nextId = 20_000;
const id = () => String(nextId++);
const tables: Record<string, Map<string, Row>> = {};
const keyOf: Record<string, string> = {
  host: "hostid",
  template: "templateid",
  item: "itemid",
  trigger: "triggerid",
  hostgroup: "groupid",
  templategroup: "groupid",
  discoveryrule: "itemid",
  itemprototype: "itemid",
  triggerprototype: "triggerid",
  usermacro: "globalmacroid",
  valuemap: "valuemapid",
};
for (const name of Object.keys(keyOf)) tables[name] = new Map();
const table = (name: string) => tables[name] ?? new Map<string, Row>();

function add(name: string, row: Row): string {
  const key = keyOf[name] ?? "id";
  const rowId = id();
  table(name).set(rowId, { ...row, [key]: rowId });
  return rowId;
}

// ---- invented configuration

const linux = add("hostgroup", { name: "Linux servers" });
const network = add("hostgroup", { name: "Network/Core switches" });
const databases = add("hostgroup", { name: "Databases" });
const osGroup = add("templategroup", { name: "Templates/Operating systems" });
const linuxTemplate = add("template", {
  host: "Linux by agent",
  name: "Linux by agent",
  groups: [{ groupid: osGroup }],
  templates: [],
  tags: [{ tag: "class", value: "os" }],
  macros: [
    { hostmacroid: "1", macro: "{$LOAD.MAX}", value: "1.5", description: "per core", type: "0" },
    { hostmacroid: "2", macro: "{$MEM.MIN}", value: "20M", description: "", type: "0" },
  ],
});
const pingTemplate = add("template", {
  host: "ICMP ping",
  name: "ICMP ping",
  groups: [{ groupid: osGroup }],
  templates: [],
  tags: [{ tag: "class", value: "network" }],
  macros: [],
});
add("usermacro", {
  macro: "{$SNMP_COMMUNITY}",
  value: "public",
  description: "",
  type: "0",
  hostid: "0",
});

type Shape = [
  name: string,
  key: string,
  units: string,
  component: string,
  base: number,
  kind?: number,
];
const SHAPES: Shape[] = [
  ["CPU load average (1m)", "system.cpu.load[all,avg1]", "", "cpu", 0.9, 0],
  ["CPU load average (5m)", "system.cpu.load[all,avg5]", "", "cpu", 0.8, 0],
  ["CPU load average (15m)", "system.cpu.load[all,avg15]", "", "cpu", 0.7, 0],
  ["CPU user time", "system.cpu.util[,user]", "%", "cpu", 22, 0],
  ["CPU system time", "system.cpu.util[,system]", "%", "cpu", 8, 0],
  ["CPU iowait time", "system.cpu.util[,iowait]", "%", "cpu", 2, 0],
  ["Available memory", "vm.memory.size[available]", "B", "memory", 6.2e9],
  ["Total memory", "vm.memory.size[total]", "B", "memory", 16e9],
  ["Memory utilization", "vm.memory.util", "%", "memory", 61, 0],
  ["Interface eth0: Bits received", 'net.if.in["eth0"]', "bps", "network", 48e6],
  ["Interface eth0: Bits sent", 'net.if.out["eth0"]', "bps", "network", 21e6],
  ["FS [/]: Space utilization", "vfs.fs.size[/,pused]", "%", "storage", 71, 0],
  ["FS [/]: Used space", "vfs.fs.size[/,used]", "B", "storage", 84e9],
  ["FS [/var]: Space utilization", "vfs.fs.size[/var,pused]", "%", "storage", 43, 0],
  ["System uptime", "system.uptime", "uptime", "system", 4e5],
  ["Number of processes", "proc.num", "", "system", 214],
  ["System name", "system.hostname", "", "system", 0, 1],
  ["Kernel log", "log[/var/log/kern.log]", "", "system", 0, 2],
  ["ICMP ping", "icmpping", "", "health", 1],
  ["ICMP response time", "icmppingsec", "s", "health", 0.0021, 0],
];

function addItems(hostid: string, templateid: boolean): void {
  for (const [name, key, units, component, , kind = 3] of SHAPES) {
    const type = key.startsWith("icmp") ? 3 : kind === 2 ? 7 : 0;
    add("item", {
      hostid,
      name,
      key_: key,
      units,
      type: String(type),
      value_type: String(kind),
      delay: "30s",
      history: "31d",
      trends: "365d",
      status: "0",
      state: "0",
      templateid: templateid ? "1" : "0",
      flags: name.startsWith("FS ") || name.startsWith("Interface ") ? "4" : "0",
      interfaceid: "1",
      tags: [{ tag: "component", value: component }],
      preprocessing: key === "net.if.in" ? [{ type: "10", params: "", error_handler: "0" }] : [],
    });
  }
}
addItems(linuxTemplate, false);

const SITES = ["fra", "ber", "nyc", "sin"];
const ROLES = ["web", "db", "core", "app", "cache", "mail"];
for (let n = 1; n <= 48; n += 1) {
  const role = ROLES[n % ROLES.length] ?? "web";
  const site = SITES[n % SITES.length] ?? "fra";
  const down = n % 17 === 3;
  const snmp = role === "core";
  const hostid = add("host", {
    host: `${role}${String(n).padStart(2, "0")}.${site}`,
    name: `${role}${String(n).padStart(2, "0")}.${site}`,
    status: n % 23 === 5 ? "1" : "0",
    description: "",
    active_available: n % 5 === 0 ? "1" : "0",
    groups: [{ groupid: snmp ? network : role === "db" ? databases : linux }],
    templates: [{ templateid: linuxTemplate }, ...(n % 3 ? [{ templateid: pingTemplate }] : [])],
    tags: [
      { tag: "site", value: site },
      { tag: "role", value: role },
    ],
    macros: [],
    interfaces: [
      {
        interfaceid: "1",
        type: snmp ? "2" : "1",
        main: "1",
        useip: "1",
        ip: `10.20.${n % 4}.${n}`,
        dns: "",
        port: snmp ? "161" : "10050",
        available: down ? "2" : n % 19 === 7 ? "0" : "1",
        error: down ? "cannot connect: connection refused" : "",
        details: snmp ? { version: "2", bulk: "1", community: "{$SNMP_COMMUNITY}" } : [],
      },
    ],
  });
  addItems(hostid, true);
}

const NAMES: [name: string, severity: number, expression: string][] = [
  [
    "High CPU load (over {$LOAD.MAX} for 5m)",
    3,
    "min(/H/system.cpu.load[all,avg1],5m)>{$LOAD.MAX}",
  ],
  ["Zabbix agent is not available (for 3m)", 3, "max(/H/zabbix[host,agent,available],3m)=0"],
  ["FS [/]: Space is critically low (used > 90%)", 4, "last(/H/vfs.fs.size[/,pused])>90"],
  ["Lack of available memory (< 20M)", 3, "max(/H/vm.memory.size[available],5m)<{$MEM.MIN}"],
  ["System time is out of sync (diff > 60s)", 2, "fuzzytime(/H/system.localtime,60s)=0"],
  ["H has been restarted (uptime < 10m)", 1, "last(/H/system.uptime)<10m"],
  ["Unavailable by ICMP ping", 5, "max(/H/icmpping,#3)=0"],
  ["Configured max number of processes is too low", 0, "last(/H/kernel.maxproc)<1024"],
];

const hosts = () => [...table("host").values()];
const hostName = (hostid: unknown) =>
  String(
    table("host").get(String(hostid))?.["name"] ?? table("template").get(String(hostid))?.["name"],
  );
for (const host of [...hosts(), { hostid: linuxTemplate, name: "Linux by agent" }]) {
  for (const [description, priority, expression] of NAMES) {
    add("trigger", {
      hostid: host["hostid"],
      description: description.replace(/^H /, "{HOST.NAME} "),
      expression: expression.replaceAll("/H/", `/${String(host["name"])}/`),
      priority: String(priority),
      status: "0",
      value: "0",
      state: "0",
      templateid: "1",
      flags: "0",
      manual_close: priority === 1 ? "1" : "0",
      tags: [{ tag: "scope", value: priority > 3 ? "availability" : "performance" }],
    });
  }
  const rule = add("discoveryrule", {
    hostid: host["hostid"],
    name: "Mounted filesystem discovery",
    key_: "vfs.fs.discovery",
    type: "0",
    delay: "1h",
    status: "0",
    state: "0",
    error: "",
    lifetime: "7d",
    templateid: "1",
  });
  add("itemprototype", {
    ruleid: rule,
    name: "FS [{#FSNAME}]: Space utilization",
    key_: "vfs.fs.size[{#FSNAME},pused]",
    type: "0",
    value_type: "0",
    delay: "1m",
  });
}

// ---- problems

const problems = new Map<string, Row>();
let problemVersion = 1;
function addProblem(clock: number, rClock = 0): Row {
  const all = hosts();
  const host = all[Math.floor(Math.random() * all.length)] ?? {};
  const at = Math.floor(Math.random() ** 0.7 * NAMES.length);
  const [name, severity] = NAMES[at] ?? ["", 0];
  const trigger = [...table("trigger").values()].find(
    (it) => it["hostid"] === host["hostid"] && it["priority"] === String(severity),
  );
  const row = {
    eventid: id(),
    objectid: String(trigger?.["triggerid"] ?? "0"),
    clock,
    severity,
    name: name.replace("{$LOAD.MAX}", "1.5").replace(/^H /, `${String(host["name"])} `),
    hostid: host["hostid"],
    host: host["name"],
    acknowledged: Math.random() < 0.25,
    suppressed: false,
    r_clock: rClock,
    opdata: severity === 4 ? "Space used: 92.1 %" : "",
    tags: [
      ["component", severity === 4 ? "storage" : "system"],
      ["scope", severity > 3 ? "availability" : "performance"],
      ...((host["tags"] as { tag: string; value: string }[] | undefined) ?? []).map((it) => [
        it.tag,
        it.value,
      ]),
    ],
    manual_close: severity === 1,
  };
  problems.set(row.eventid, row);
  return row;
}
for (let n = 0; n < 140; n += 1) {
  const clock = now() - Math.floor(Math.random() ** 3 * 40 * 86_400) - 20;
  addProblem(clock, n % 9 === 0 ? Math.min(now() - 30, clock + 400) : 0);
}

function columnsOf(rows: Row[]): Row {
  const plain = (name: string) => rows.map((row) => row[name]);
  const dict = (name: string) => {
    const known = new Map<string, number>();
    const values: unknown[] = [];
    const idx = rows.map((row) => {
      const key = JSON.stringify(row[name]);
      const at = known.get(key) ?? values.push(row[name]) - 1;
      known.set(key, at);
      return at;
    });
    return { dict: values, idx };
  };
  const columns: Row = {};
  for (const name of Object.keys(rows[0] ?? { eventid: 0, name: 0, host: 0, tags: 0 })) {
    columns[name] = ["name", "host", "tags"].includes(name) ? dict(name) : plain(name);
  }
  return columns;
}

// ---- values

function valueAt(item: Row, seconds: number): number {
  const shape = SHAPES.find(([, key]) => key === item["key_"]);
  const base = shape?.[4] ?? 1;
  const seed = Number(item["itemid"]) % 97;
  const wave =
    Math.sin((seconds + seed * 60) / 600) * 0.25 + Math.sin((seconds + seed) / 97) * 0.08;
  const noise = Math.sin(seconds * 12.9898 + seed) * 43_758.5453;
  const value = base * (1 + wave + (noise - Math.floor(noise) - 0.5) * 0.12);
  if (item["key_"] === "system.uptime") return base + (seconds % 1e6);
  if (item["key_"] === "icmpping" || item["key_"] === "vm.memory.size[total]") return base;
  return item["value_type"] === "0" ? Math.round(value * 1e4) / 1e4 : Math.round(value);
}

type Latest = [clock: number, value: string, previous: string, state: number];
const sent = new Map<string, Latest>();

function latestValue(item: Row): Latest {
  const own = sent.get(String(item["itemid"]));
  if (own !== undefined) return own;
  if (item["templateid"] === "0") return [0, "", "", 0];
  const clock = now() - (Number(item["itemid"]) % 30);
  if (item["value_type"] === "1") return [clock, hostName(item["hostid"]), "", 0];
  if (item["value_type"] === "2") {
    return [clock, "usb 1-1: new high-speed USB device number 4 using xhci_hcd", "", 0];
  }
  const state = Number(item["itemid"]) % 61 === 0 ? 1 : 0;
  return [clock, String(valueAt(item, clock)), String(valueAt(item, clock - 30)), state];
}

function latest(query: URLSearchParams): Row {
  const hostids = query.get("hostids")?.split(",");
  const groupids = query.get("groupids")?.split(",");
  const search = (query.get("search") ?? "").toLowerCase();
  const items = [...table("item").values()]
    .filter((item) => {
      const host = table("host").get(String(item["hostid"]));
      const groups = (host?.["groups"] ?? []) as { groupid: string }[];
      return (
        host !== undefined &&
        (hostids === undefined || hostids.includes(String(item["hostid"]))) &&
        (groupids === undefined || groups.some((it) => groupids.includes(it.groupid))) &&
        `${String(item["name"])} ${String(item["key_"])}`.toLowerCase().includes(search)
      );
    })
    .slice(0, Number(query.get("limit") ?? 1000));
  const values = items.map(latestValue);
  const names = [...new Set(items.map((it) => hostName(it["hostid"])))];
  const of = (name: string) => items.map((it) => it[name]);
  return {
    items: {
      itemid: of("itemid"),
      hostid: of("hostid"),
      host: { dict: names, idx: items.map((it) => names.indexOf(hostName(it["hostid"]))) },
      name: of("name"),
      key: of("key_"),
      units: of("units"),
      value_type: of("value_type").map(Number),
      text: items.map((it, at) => (it["key_"] === "icmpping" && values[at] ? "Up" : "")),
      lastclock: values.map(([clock]) => clock),
      lastvalue: values.map(([, value]) => value),
      prevvalue: values.map(([, , previous]) => previous),
      state: values.map(([, , , state]) => state),
      error: values.map(([, , , state]) => (state === 1 ? "Cannot evaluate: no such metric." : "")),
      interval: of("delay"),
      tags: items.map((it) =>
        ((it["tags"] ?? []) as { tag: string; value: string }[]).map((tag) => [tag.tag, tag.value]),
      ),
    },
  };
}

function series(query: URLSearchParams): Row {
  const [from, to] = [Number(query.get("from")), Number(query.get("to"))];
  const buckets = Number(query.get("buckets") ?? 100);
  const step = Math.max(30, (to - from) / buckets);
  return {
    series: (query.get("itemids") ?? "").split(",").map((itemid) => {
      const item = table("item").get(itemid) ?? {};
      const t: number[] = [];
      for (let at = Math.ceil(from / step) * step; at <= Math.min(to, now()); at += step)
        t.push(at);
      const avg = t.map((at) => valueAt(item, at));
      const spread = step > 60 ? 0.08 : 0;
      return {
        itemid,
        t,
        min: avg.map((it) => it * (1 - spread)),
        avg,
        max: avg.map((it) => it * (1 + spread)),
        count: t.map(() => 1),
      };
    }),
  };
}

const started = now();
const nvps: { t: number[]; v: number[] } = { t: [], v: [] };
for (let at = now() - 600; at < now(); at += 2) {
  nvps.t.push(at);
  nvps.v.push(980 + Math.round(Math.sin(at / 40) * 60 + Math.random() * 40));
}
function overview(): Row {
  const open = [...problems.values()].filter((it) => it["r_clock"] === 0);
  const interfaces = hosts().flatMap((it) => (it["interfaces"] ?? []) as { available: string }[]);
  return {
    system: {
      version: "0.1.0",
      state: "running",
      uptime_s: now() - started + 93_421,
      hosts_total: hosts().length,
      hosts_available: interfaces.filter((it) => it.available === "1").length,
      hosts_unavailable: interfaces.filter((it) => it.available === "2").length,
      items_total: table("item").size,
      items_supported: table("item").size - 12,
      items_unsupported: 12,
      triggers_total: table("trigger").size,
      values_total: 48_210_442 + (now() - started) * 1000,
      values_per_second: nvps.v.at(-1) ?? 0,
      required_values_per_second: 1012.4,
      journal: { bytes: 1.92e9, lag_ms: 4 },
      shards: [0, 1, 2, 3].map((n) => ({
        id: n,
        busy_percent: 3 + Math.random() * 9,
        queue: n % 2,
      })),
      queue_overdue: 3,
      memory_bytes: 412e6,
      cpu_percent: 6.2,
    },
    problems_by_severity: [0, 1, 2, 3, 4, 5].map((severity) => {
      const of = open.filter((it) => it["severity"] === severity);
      return {
        severity,
        total: of.length,
        acknowledged: of.filter((it) => it["acknowledged"]).length,
      };
    }),
    nvps,
  };
}

// ---- JSON-RPC

const refs = (list: unknown, name: string) =>
  ((list ?? []) as Row[]).flatMap((it) => {
    const key = keyOf[name] ?? "";
    const found = table(name).get(String(it[key]));
    return found === undefined ? [] : [{ [key]: it[key], name: found["name"] }];
  });
const countOf = (name: string, hostid: unknown) =>
  String([...table(name).values()].filter((it) => it["hostid"] === hostid).length);

function present(name: string, row: Row): Row {
  if (name !== "host" && name !== "template") return row;
  const own = row["hostid"] ?? row["templateid"];
  return {
    ...row,
    hostgroups: refs(row["groups"], "hostgroup"),
    templategroups: refs(row["groups"], "templategroup"),
    parentTemplates: refs(row["templates"], "template"),
    items: countOf("item", own),
    triggers: countOf("trigger", own),
    discoveries: countOf("discoveryrule", own),
    hosts: String(
      hosts().filter((it) => refs(it["templates"], "template").some((t) => t["templateid"] === own))
        .length,
    ),
  };
}

class RpcError extends Error {}

function get(name: string, params: Params): unknown {
  const key = keyOf[name] ?? "";
  const ids = params[`${key}s`] as string[] | undefined;
  const rows = [...table(name).values()].filter(
    (row) =>
      (ids === undefined || ids.includes(String(row[key]))) &&
      (name === "host" ||
        params.hostids === undefined ||
        params.hostids.includes(String(row["hostid"]))) &&
      (params["discoveryids"] === undefined ||
        (params["discoveryids"] as string[]).includes(String(row["ruleid"]))),
  );
  const by = String(Array.isArray(params["sortfield"]) ? "" : (params["sortfield"] ?? ""));
  if (by !== "") rows.sort((a, b) => String(a[by]).localeCompare(String(b[by])));
  return rows.map((row) => present(name, row));
}

function change(name: string, verb: string, params: unknown): unknown {
  const key = keyOf[name] ?? "";
  const list = Array.isArray(params) ? params : [params];
  if (verb === "delete") {
    for (const it of list) table(name).delete(String(it));
    return { [`${key}s`]: list };
  }
  const ids = (list as Row[]).map((row) => {
    const rowId = String(row[key] ?? "");
    if (verb === "create") {
      const own =
        name === "host" || name === "template" ? "host" : name.includes("group") ? "name" : "";
      const taken = own !== "" && [...table(name).values()].some((it) => it[own] === row[own]);
      if (taken)
        throw new RpcError(`${name} with the same name "${String(row[own])}" already exists.`);
      const named = /\/([^/(]+)\//.exec(String(row["expression"] ?? ""))?.[1];
      const owner = [...hosts(), ...table("template").values()].find((it) => it["host"] === named);
      const ownerid = owner?.["hostid"] ?? owner?.["templateid"];
      const defaults = { status: "0", flags: "0", templateid: "0", hostid: ownerid };
      const created = add(name, { ...defaults, ...strings(row) });
      if (name === "template")
        table(name).set(created, { ...table(name).get(created), templateid: created });
      return created;
    }
    table(name).set(rowId, { ...table(name).get(rowId), ...strings(row) });
    return rowId;
  });
  return { [`${key}s`]: ids };
}

function strings(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === "number" ? String(value) : value,
    ]),
  );
}

function eventsOf(params: Params & { eventids?: string[]; objectids?: string[] }): unknown {
  return [...problems.values()]
    .filter(
      (it) =>
        (params.eventids?.includes(String(it["eventid"])) ?? true) &&
        (params.objectids?.includes(String(it["objectid"])) ?? true),
    )
    .slice(0, 30)
    .map((it) => ({
      eventid: it["eventid"],
      objectid: it["objectid"],
      clock: String(it["clock"]),
      value: "1",
      name: it["name"],
      severity: String(it["severity"]),
      acknowledged: it["acknowledged"] === true ? "1" : "0",
      r_eventid: it["r_clock"] === 0 ? "0" : "1",
      acknowledges: it["acknowledges"] ?? [],
    }));
}

function acknowledge(params: {
  eventids: string[];
  action: number;
  message?: string;
  severity?: number;
}) {
  for (const eventid of params.eventids) {
    const row = problems.get(eventid);
    if (row === undefined) continue;
    if (params.action & 2) row["acknowledged"] = true;
    if (params.action & 16) row["acknowledged"] = false;
    if (params.action & 1) row["r_clock"] = now();
    if (params.action & 8) row["severity"] = params.severity;
    row["acknowledges"] = [
      ...((row["acknowledges"] ?? []) as Row[]),
      {
        acknowledgeid: id(),
        userid: "1",
        username: "Admin",
        clock: String(now()),
        message: params.message ?? "",
        action: String(params.action),
      },
    ];
    publishProblems([row]);
  }
  return { eventids: params.eventids };
}

function rpc(method: string, params: Params): unknown {
  const [name = "", verb = ""] = method.split(".");
  if (method === "event.get" || method === "problem.get") return eventsOf(params);
  if (method === "event.acknowledge") return acknowledge(params as never);
  if (method === "task.create") return { taskids: [id()] };
  if (method === "history.get") {
    return [0, 1, 2, 3].map((n) => ({
      itemid: params.itemids?.[0] ?? "0",
      clock: String(now() - n * 30),
      ns: "0",
      value: "usb 1-1: new high-speed USB device number 4 using xhci_hcd",
    }));
  }
  if (method === "host.massadd") return { hostids: [] };
  if (keyOf[name] === undefined) throw new RpcError(`Incorrect API "${name}".`);
  return verb === "get" ? get(name, params) : change(name, verb, params);
}

// ---- HTTP and the stream

const TYPES: Record<string, string> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript",
  css: "text/css",
  svg: "image/svg+xml",
};

function serveFile(path: string, response: ServerResponse): void {
  const wanted = `${dist}${path}`;
  const file = statSync(wanted, { throwIfNoEntry: false })?.isFile()
    ? wanted
    : `${dist}/index.html`;
  response.writeHead(200, {
    "Content-Type": TYPES[file.split(".").at(-1) ?? ""] ?? "application/octet-stream",
    "Content-Encoding": "br",
    "Content-Security-Policy": CSP,
  });
  response.end(readFileSync(`${file}.br`));
}

const ADMIN = { userid: "1", username: "Admin", name: "", surname: "", roleid: "3", type: 3 };
const sockets = new Map<WebSocket, string[]>();

async function body(request: IncomingMessage): Promise<Row> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text === "" ? {} : (JSON.parse(text) as Row);
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", "http://mock");
  const json = (value: unknown, status = 200, headers: Record<string, string> = {}) => {
    response.writeHead(status, { "Content-Type": "application/json", ...headers });
    response.end(JSON.stringify(value));
  };
  const path = url.pathname;
  if (!path.startsWith("/api")) return serveFile(path, response);
  if (path === "/api/v1/login") {
    const { username, password } = await body(request);
    if (username !== "Admin" || password === "wrong") {
      return json(
        { error: "Incorrect user name or password or account is temporarily blocked." },
        401,
      );
    }
    const cookie = "saker_session=mock; HttpOnly; SameSite=Strict; Path=/";
    return json({ sessionid: "mock", user: ADMIN }, 200, { "Set-Cookie": cookie });
  }
  if (!(request.headers.cookie ?? "").includes("saker_session=mock")) {
    return json({ error: "Not authorised." }, 401);
  }
  if (path === "/api/v1/session") return json(ADMIN);
  if (path === "/api/v1/logout") {
    return json({}, 200, { "Set-Cookie": "saker_session=; Max-Age=0; Path=/" });
  }
  if (path === "/api/v1/overview") return json(overview());
  if (path === "/api/v1/problems") {
    return json({ version: problemVersion, columns: columnsOf([...problems.values()]) });
  }
  if (path === "/api/v1/latest") return json(latest(url.searchParams));
  if (path === "/api/v1/series") return json(series(url.searchParams));
  if (path === "/api/v1/check/expression") {
    const { expression } = await body(request);
    const host = /\/([^/(]*)\//.exec(String(expression));
    const known =
      host === null ||
      [...hosts(), ...table("template").values()].some((it) => it["host"] === host[1]);
    return json(
      known
        ? { ok: true }
        : { ok: false, error: { message: `no host "${host?.[1]}"`, position: host?.index ?? 0 } },
    );
  }
  const { id: callId, method, params } = await body(request);
  try {
    return json({
      jsonrpc: "2.0",
      id: callId,
      result: rpc(String(method), (params ?? {}) as Params),
    });
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return json({
      jsonrpc: "2.0",
      id: callId,
      error: { code: -32602, message: "Invalid params.", data: error.message },
    });
  }
}

/** As a trapper would: the multiplier step of the tests and triggers of the form `…>number`. */
function send(hostname: string, key: string, value: string): void {
  const host = hosts().find((it) => it["host"] === hostname);
  const item = [...table("item").values()].find(
    (it) => it["hostid"] === host?.["hostid"] && it["key_"] === key,
  );
  if (host === undefined || item === undefined) throw new Error("processed: 0");
  const itemid = String(item["itemid"]);
  const steps = (item["preprocessing"] ?? []) as { type: string; params: string }[];
  const factor = Number(steps.find((it) => it.type === "1")?.params ?? 1);
  const next = Number(value) * factor;
  sent.set(itemid, [now(), String(next), sent.get(itemid)?.[1] ?? "", 0]);
  for (const [socket, itemids] of sockets) {
    if (!itemids.includes(itemid)) continue;
    socket.send(JSON.stringify({ type: "latest", values: [[itemid, ...latestValue(item)]] }));
  }
  for (const trigger of table("trigger").values()) {
    const limit = /^last\(\/([^/]+)\/(.+)\)>(\d+)$/.exec(String(trigger["expression"]));
    if (limit?.[1] !== hostname || limit[2] !== key) continue;
    const open = [...problems.values()].find(
      (it) => it["objectid"] === trigger["triggerid"] && it["r_clock"] === 0,
    );
    if (next > Number(limit[3]) && open === undefined) {
      const row: Row = {
        ...addProblem(now()),
        objectid: trigger["triggerid"],
        severity: Number(trigger["priority"]),
        name: trigger["description"],
        hostid: host["hostid"],
        host: host["name"],
        acknowledged: false,
        manual_close: true,
      };
      problems.set(String(row["eventid"]), row);
      publishProblems([row]);
    } else if (next <= Number(limit[3]) && open !== undefined) {
      publishProblems([Object.assign(open, { r_clock: now() })]);
    }
  }
}

function publish(message: Row): void {
  for (const socket of sockets.keys()) socket.send(JSON.stringify(message));
}

function publishProblems(upsert: Row[], remove: string[] = []): void {
  problemVersion += 1;
  publish({ type: "problems", version: problemVersion, upsert, remove });
}

function tick(): void {
  nvps.t.push(now());
  nvps.v.push(980 + Math.round(Math.sin(now() / 40) * 60 + Math.random() * 40));
  nvps.t.shift();
  nvps.v.shift();
  publish({ type: "overview", ...overview() });
  for (const [socket, itemids] of sockets) {
    const values = itemids
      .filter((it) => (now() + Number(it)) % 30 < 2)
      .flatMap((it) => {
        const item = table("item").get(it);
        return item === undefined ? [] : [[it, ...latestValue(item)]];
      });
    socket.send(JSON.stringify({ type: "latest", values }));
  }
  if (Math.random() < 0.15) publishProblems([addProblem(now())]);
  if (Math.random() < 0.1) {
    const open = [...problems.values()].find((it) => it["r_clock"] === 0 && it["severity"] !== 5);
    if (open !== undefined) publishProblems([Object.assign(open, { r_clock: now() })]);
  }
}

export interface Mock {
  readonly url: string;
  readonly send: (host: string, key: string, value: string) => Promise<void>;
  readonly stop: () => void;
}

export async function startMock(port = 0): Promise<Mock> {
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      console.error(error);
      response.writeHead(500).end();
    });
  });
  const upgrades = new WebSocketServer({ server, path: "/api/v1/stream" });
  upgrades.on("connection", (socket) => {
    sockets.set(socket, []);
    socket.on("message", (data) => {
      const { subscribe } = JSON.parse(String(data)) as {
        subscribe?: { latest?: { itemids: string[] } };
      };
      sockets.set(socket, subscribe?.latest?.itemids ?? []);
    });
    socket.on("close", () => sockets.delete(socket));
  });
  const timer = setInterval(tick, 2000);
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound}`,
    send: async (host, key, value) => send(host, key, value),
    stop: () => {
      clearInterval(timer);
      for (const socket of sockets.keys()) socket.terminate();
      upgrades.close();
      server.close();
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { url } = await startMock(Number(process.argv[2] ?? 8090));
  console.log(`mock server on ${url}`);
}
