// A world to take pictures of: three sites with hosts of several kinds, a day of values, problems of every severity
// and state, and one or a few of everything else that a page shows. Names are those of no test.

import type { Journey } from "../journeys/journey";
import { now, until } from "../journeys/journey";
import type { Sent } from "../target";
import { makeBoards } from "./boards";
import { DAY_S, hostsOf, SITES, templateOf, type WorldHost } from "./hosts";
import { makeMaps } from "./maps";
import { makePeople } from "./people";

type Ids = Readonly<Record<string, readonly string[]>>;

/** How densely the last day of the hosts is filled that are looked at, and the last hour of the others. */
const CLOSE_STEP_S = 180;
const FAR_STEP_S = 600;
const FAR_S = 3600;
// one request of the sender protocol
const BATCH = 2_000;

export async function makeWorld({ call, sendAll }: Journey): Promise<void> {
  const create = async (method: string, params: unknown): Promise<readonly string[]> => {
    const [ids = []] = Object.values(await call<Ids>(`${method}.create`, params));
    return ids;
  };
  const groupids = await create("hostgroup", [
    ...SITES.map((site) => ({ name: `Sites/${site}` })),
    { name: "Databases" },
    { name: "Network" },
  ]);
  const group = (name: string) => ({
    groupid: groupids[[...SITES, "Databases", "Network"].indexOf(name)] ?? "",
  });
  const template = await templateOf(create);
  const hosts = hostsOf();
  const hostids = await create(
    "host",
    hosts.map((it) => ({
      host: it.host,
      name: it.name ?? it.host,
      groups: it.groups.map(group),
      templates: [{ templateid: template.templateid }],
      tags: [
        { tag: "site", value: it.site },
        { tag: "role", value: it.role },
      ],
      description: it.description ?? "",
      inventory_mode: 0,
      inventory: it.inventory ?? {},
      macros: it.role === "db" ? [{ macro: "{$CPU.MAX}", value: "80" }] : [],
    })),
  );
  const hostid = (host: string) => hostids[hosts.findIndex((it) => it.host === host)] ?? "";

  await sendDiscovered(sendAll, hosts);
  await until("what was discovered", async () => {
    const params = { countOutput: true, hostids: [hostid("db-1.fra")], search: { key_: "net.if" } };
    return Number(await call<string>("item.get", params)) >= 20;
  });
  await makePeople(create, [...groupids]);
  await sendHistory(sendAll, hosts);
  await makeOperations(create, { group, hostid });
  await until("problems", async () => {
    const open = await call<string>("problem.get", { countOutput: true });
    return Number(open) >= 14;
  });
  await handleProblems(call);
  const item = async (host: string, key_: string): Promise<string> => {
    const params = { hostids: [hostid(host)], filter: { key_ }, output: ["itemid"] };
    const [found] = await call<{ itemid: string }[]>("item.get", params);
    return found?.itemid ?? "";
  };
  const sysmapid = await makeMaps(create, call, hostid, group("Frankfurt").groupid);
  await makeBoards(create, {
    hostid: hostid("web-1.fra"),
    cpu: await item("web-1.fra", "cpu"),
    load: await item("web-1.fra", "load"),
    memory: await item("web-1.fra", "mem"),
    log: await item("web-1.fra", "log"),
    sysmapid,
    groupids: SITES.map((site) => group(site).groupid),
  });
}

function sendDiscovered(sendAll: Journey["sendAll"], hosts: readonly WorldHost[]): Promise<void> {
  return sendAll(
    hosts.flatMap(({ host, role }) => [
      {
        host,
        key: "vfs.fs.discovery",
        value: JSON.stringify(["/", "/var", "/srv/data"].map((it) => ({ "{#FSNAME}": it }))),
      },
      {
        host,
        key: "net.if.discovery",
        value: JSON.stringify(
          Array.from({ length: role === "switch" ? 24 : 4 }, (_, at) => ({
            "{#IFNAME}": role === "switch" ? `ge-0/0/${at + 1}` : `eth${at}`,
            "{#IFALIAS}": at === 0 ? "uplink" : "",
          })),
        ),
      },
    ]),
  );
}

/** Numbers between 0 and 1 that are the same in every run. */
function noise(seed: number): () => number {
  let state = seed * 2_654_435_761 + 12_345;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

async function sendHistory(
  sendAll: Journey["sendAll"],
  hosts: readonly WorldHost[],
): Promise<void> {
  const end = now() - 5;
  const values: Sent[] = [];
  for (const [at, host] of hosts.entries()) {
    const step = host.isClose ? CLOSE_STEP_S : FAR_STEP_S;
    const first = end - (host.isClose ? DAY_S : FAR_S);
    const random = noise(at + 1);
    // what is bad is so for a while: minutes of one host, hours of another
    const since = end - (host.bad?.["uptime"] === undefined ? 200 + ((at * 2_953) % 26_000) : 120);
    const bad = Object.entries(host.bad ?? {});
    values.push(...bad.map(([key, value]) => ({ host: host.host, key, value, clock: since })));
    for (let clock = first; clock < end - 60; clock += step) {
      const all = valuesAt(host, at, clock, random);
      values.push(...all.filter(({ key }) => clock < since || host.bad?.[key] === undefined));
      if (clock > since) {
        values.push(...bad.map(([key, value]) => ({ host: host.host, key, value, clock })));
      }
    }
    values.push(...lastValues(host, end, random));
  }
  values.sort((a, b) => (a.clock ?? 0) - (b.clock ?? 0));
  for (let at = 0; at < values.length; at += BATCH) await sendAll(values.slice(at, at + BATCH));
}

function valuesAt({ host, role }: WorldHost, at: number, clock: number, random: () => number) {
  const day = Math.sin((2 * Math.PI * (clock % DAY_S)) / DAY_S + at / 5);
  const cpu = Math.max(1, 32 + 22 * day + 14 * (random() - 0.5));
  const send = (key: string, value: number | string): Sent => ({
    host,
    key,
    value: String(value),
    clock,
  });
  const isDown = (clock + at * 977) % DAY_S < 400;
  const port = role === "switch" ? "ge-0/0/1" : "eth0";
  return [
    send("cpu", cpu.toFixed(2)),
    send("load", (cpu / 22 + random()).toFixed(2)),
    send("mem", Math.round((5.2 + day + 0.3 * random()) * 1e9)),
    send("mem.util", (58 + 12 * day + 2 * random()).toFixed(1)),
    send("icmpping", isDown ? 0 : 1),
    send("rtt", (0.0008 + 0.0006 * random() + (random() > 0.97 ? 0.02 : 0)).toFixed(6)),
    send("temp", (41 + 5 * day + random()).toFixed(1)),
    send("req", (420 + 260 * day + 60 * random()).toFixed(1)),
    send(`net.if.in[${port}]`, Math.round((380 + 240 * day + 90 * random()) * 1e6)),
    send(`net.if.out[${port}]`, Math.round((210 + 150 * day + 60 * random()) * 1e6)),
    send("vfs.fs.pused[/]", (47 + ((clock % DAY_S) / DAY_S) * 3).toFixed(2)),
    send("vfs.fs.pused[/var]", (71 + ((clock % DAY_S) / DAY_S) * 9).toFixed(2)),
  ];
}

const LOG = [
  "INFO  order 48213 paid in 212 ms",
  "WARN  payment gateway answered after 4.8 s, limit is 5 s",
  "INFO  cache of products renewed: 18,204 entries",
  "ERROR order 48219: the stock service refused the reservation: java.util.concurrent.TimeoutException: no answer within 5000 ms from http://stock.internal:8080/reservations",
];

/** The present values: bad ones become problems. */
function lastValues(
  { host, role, bad = {} }: WorldHost,
  end: number,
  random: () => number,
): Sent[] {
  const ports = role === "switch" ? 24 : 4;
  const name = (at: number) => (role === "switch" ? `ge-0/0/${at + 1}` : `eth${at}`);
  const value: Record<string, string> = {
    cpu: (30 + 20 * random()).toFixed(2),
    load: (1 + random()).toFixed(2),
    "mem.util": "61.2",
    icmpping: "1",
    rtt: "0.0009",
    raid: "0",
    uptime: String(Math.round(86_400 * (12 + 80 * random()))),
    os: role === "switch" ? "JUNOS 23.4R2" : "Debian GNU/Linux 13 (trixie), Linux 6.12.48 x86_64",
    booted: String(end - 86_400 * 31),
    "vfs.fs.pused[/]": "49.8",
    "vfs.fs.pused[/var]": "78.4",
    "vfs.fs.pused[/srv/data]": (35 + 30 * random()).toFixed(2),
    "vfs.fs.size[/]": "42949672960",
    "vfs.fs.size[/var]": "107374182400",
    "vfs.fs.size[/srv/data]": "2199023255552",
    ...bad,
  };
  const sent = Object.entries(value).map(([key, it]) => ({ host, key, value: it, clock: end }));
  for (let at = 0; at < ports; at += 1) {
    const isDown = role === "switch" && (at % 7 === 5 || bad[`net.if.status[${name(at)}]`] === "2");
    sent.push(
      { host, key: `net.if.speed[${name(at)}]`, value: "1000000000", clock: end },
      { host, key: `net.if.errors[${name(at)}]`, value: at === 3 ? "0.4" : "0", clock: end },
    );
    if (bad[`net.if.status[${name(at)}]`] === undefined) {
      sent.push({
        host,
        key: `net.if.status[${name(at)}]`,
        value: isDown ? "7" : "1",
        clock: end,
      });
    }
  }
  const lines = LOG.map((it, at) => ({ host, key: "log", value: it, clock: end - 40 + 10 * at }));
  return role === "web" ? [...sent, ...lines] : sent;
}

interface Near {
  readonly group: (name: string) => { readonly groupid: string };
  readonly hostid: (host: string) => string;
}

type Create = (method: string, params: unknown) => Promise<readonly string[]>;

/** Maintenances, services, agreements, rules: one or a few of each. */
async function makeOperations(create: Create, { group, hostid }: Near): Promise<void> {
  const today = now() - (now() % DAY_S);
  await create("maintenance", [
    {
      name: "Replacement of the disk shelf",
      active_since: today - DAY_S,
      active_till: today + 2 * DAY_S,
      hosts: [{ hostid: hostid("db-2.rig") }],
      timeperiods: [{ timeperiod_type: 0, start_date: today - DAY_S, period: 3 * DAY_S }],
    },
    {
      name: "Updates of the operating system, every Sunday night",
      active_since: today - 200 * DAY_S,
      active_till: today + 165 * DAY_S,
      groups: SITES.map(group),
      maintenance_type: 0,
      timeperiods: [
        { timeperiod_type: 3, every: 1, dayofweek: 64, start_time: 82_800, period: 7200 },
      ],
    },
    {
      name: "Move of the Helsinki office",
      active_since: today + 20 * DAY_S,
      active_till: today + 22 * DAY_S,
      groups: [group("Helsinki")],
      maintenance_type: 1,
      timeperiods: [{ timeperiod_type: 0, start_date: today + 20 * DAY_S, period: DAY_S }],
    },
    {
      name: "Generator test",
      active_since: today - 40 * DAY_S,
      active_till: today - 39 * DAY_S,
      groups: [group("Riga")],
      timeperiods: [{ timeperiod_type: 0, start_date: today - 40 * DAY_S, period: 7200 }],
    },
  ]);
  const [shop, office] = await create("service", [
    { name: "Web shop", algorithm: 2, sortorder: 0, tags: [{ tag: "sla", value: "gold" }] },
    { name: "Office network", algorithm: 2, sortorder: 1, tags: [{ tag: "sla", value: "silver" }] },
  ]);
  const part = (name: string, parent: string | undefined, tags: readonly [string, string][]) => ({
    name,
    algorithm: 2,
    sortorder: 0,
    parents: [{ serviceid: parent }],
    problem_tags: tags.map(([tag, value]) => ({ tag, operator: 0, value })),
    tags: [{ tag: "sla", value: "gold" }],
  });
  await create("service", [
    part("Payment and checkout", shop, [["role", "web"]]),
    part("Order database", shop, [["role", "db"]]),
    part("Search", shop, [["role", "search"]]),
    part("Switches of Riga", office, [
      ["role", "switch"],
      ["site", "Riga"],
    ]),
    part("Mail", office, [["role", "mail"]]),
  ]);
  await create("sla", [
    {
      name: "Gold: the shop sells around the clock",
      period: 2,
      slo: "99.9",
      effective_date: today - 120 * DAY_S,
      timezone: "UTC",
      status: 1,
      service_tags: [{ tag: "sla", value: "gold" }],
    },
    {
      name: "Silver: the office works",
      period: 1,
      slo: "99.5",
      effective_date: today - 60 * DAY_S,
      timezone: "Europe/Riga",
      status: 1,
      service_tags: [{ tag: "sla", value: "silver" }],
    },
  ]);
  await create("correlation", {
    name: "Link up closes link down of the interface",
    filter: {
      evaltype: 1,
      conditions: [
        { type: 3, oldtag: "interface", newtag: "interface" },
        { type: 5, tag: "state", operator: 0, value: "up" },
      ],
    },
    operations: [{ type: 0 }, { type: 1 }],
  });
  await create("drule", [
    {
      name: "Machines of this network",
      iprange: "127.0.0.1-2",
      delay: "30s",
      status: 0,
      dchecks: [{ type: 12 }, { type: 8, ports: "80,443,8080" }, { type: 0, ports: "22" }],
    },
    {
      name: "Office network: printers and telephones",
      iprange: "192.0.2.1-254",
      delay: "1h",
      status: 1,
      dchecks: [{ type: 9, ports: "10050", key_: "system.hostname", uniq: 1 }],
    },
  ]);
  await create("connector", [
    {
      name: "Values to the data lake",
      url: "https://lake.example.com/values",
      // it would only fail, and the server would say so
      status: 1,
      tags: [{ tag: "component", operator: 0, value: "cpu" }],
    },
    {
      name: "Events to the ticket system",
      url: "https://tickets.example.com/in",
      data_type: 1,
      status: 1,
    },
  ]);
  await create("regexp", {
    name: "File systems to monitor",
    test_string: "/srv/data",
    expressions: [
      { expression: "^/(srv|var|home)", expression_type: 3, case_sensitive: 1 },
      { expression: "/docker/", expression_type: 4, case_sensitive: 0 },
    ],
  });
  await create("httptest", {
    hostid: hostid("web-1.fra"),
    name: "Buy a book",
    delay: "1m",
    steps: [
      { no: 1, name: "Front page", url: "http://127.0.0.1:9/", status_codes: "200" },
      { no: 2, name: "Checkout", url: "http://127.0.0.1:9/checkout", status_codes: "200" },
    ],
  });
  await create("host", {
    host: "backup-1.hel",
    groups: [group("Helsinki")],
    templates: [],
    interfaces: [
      { type: 1, main: 1, useip: 1, ip: "127.0.0.1", dns: "", port: "9" },
      {
        type: 2,
        main: 1,
        useip: 1,
        ip: "127.0.0.1",
        dns: "",
        port: "9161",
        details: { version: 2, community: "{$SNMP_COMMUNITY}" },
      },
    ],
    tags: [{ tag: "site", value: "Helsinki" }],
  });
  await create("host", { host: "old-mail.rig", status: 1, groups: [group("Riga")] });
}

interface Open {
  readonly eventid: string;
  readonly name: string;
  readonly severity: string;
}

/** Some problems are known, one is hidden for a while, one is a symptom of another. */
async function handleProblems(call: Journey["call"]): Promise<void> {
  const open = await call<readonly Open[]>("problem.get", {
    output: ["eventid", "name", "severity"],
    sortfield: "eventid",
    sortorder: "ASC",
  });
  const of = (text: string) => open.filter(({ name }) => name.includes(text));
  const [raid] = of("RAID");
  const [down, ...further] = of("does not answer");
  const [space] = of("is filling up");
  if (raid) {
    const message = "A new disk is on its way, it arrives tomorrow before noon";
    await call("event.acknowledge", { eventids: [raid.eventid], action: 6, message });
  }
  if (space) {
    const until = now() + DAY_S;
    await call("event.acknowledge", {
      eventids: [space.eventid],
      action: 4 + 32,
      message: "The report of the month needs it",
      suppress_until: until,
    });
  }
  if (down && further.length > 0) {
    await call("event.acknowledge", {
      eventids: further.map(({ eventid }) => eventid),
      action: 256,
      cause_eventid: down.eventid,
    });
  }
}
