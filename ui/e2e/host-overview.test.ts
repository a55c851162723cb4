// A host at a glance without any configuration: availability, problems, what was discovered, components.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { type Browser, becomes, callAs, openBrowser, shots, signIn } from "./browser";
import { STEP_MS } from "./progress";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);
const HOST = `switch-${RUN}`;
const PORTS = 12;
const PROBLEM = `Too many errors ${RUN}`;

let target: Target;
let browser: Browser;
let page: Page;
let hostid = "";

type Answer = Readonly<Record<string, readonly string[]>>;

function call(method: string, params: unknown): Promise<Answer> {
  return callAs(page, method, params);
}

const now = () => Math.floor(Date.now() / 1000);

async function send(key: string, value: string, clock?: number): Promise<void> {
  const deadline = Date.now() + STEP_MS;
  for (;;) {
    try {
      await target.send?.(HOST, key, value, clock);
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((done) => setTimeout(done, 100));
    }
  }
}

before(async () => {
  target = await openTarget();
  browser = await openBrowser();
  page = browser.page;
  await signIn(page, target);
  const [groupid] =
    (await call("hostgroup.create", { name: `Overviews ${RUN}` }))["groupids"] ?? [];
  const host = await call("host.create", {
    host: HOST,
    groups: [{ groupid }],
    tags: [{ tag: "site", value: "Riga" }],
    description: "Core switch of the second floor",
    inventory_mode: 0,
    inventory: { vendor: "Example", serialno_a: "SN-4711" },
  });
  hostid = host["hostids"]?.[0] ?? "";
  const item = { hostid, type: 2, value_type: 0 };
  const tags = (value: string) => [{ tag: "component", value }];
  await call("item.create", [
    { ...item, name: "Ping", key_: "icmpping", value_type: 3, tags: tags("health") },
    { ...item, name: "CPU utilization", key_: "cpu", units: "%", tags: tags("cpu") },
    { ...item, name: "Used memory", key_: "mem", units: "B", tags: tags("memory") },
    { ...item, name: "Temperature", key_: "temp", units: "°C", tags: tags("health") },
    { ...item, name: "Firmware", key_: "fw", value_type: 1, tags: tags("system") },
  ]);
  const [ruleid] =
    (
      await call("discoveryrule.create", {
        hostid,
        name: "Network interfaces",
        key_: "net.if.discovery",
        type: 2,
      })
    )["itemids"] ?? [];
  const prototype = (name: string, key: string, more = {}) => ({
    ...item,
    ruleid,
    name: `Interface {#IFNAME}({#IFALIAS}): ${name}`,
    key_: `${key}[{#IFINDEX}]`,
    ...more,
  });
  await call("itemprototype.create", [
    prototype("Bits received", "in", { units: "bps" }),
    prototype("Bits sent", "out", { units: "bps" }),
    prototype("Inbound packets with errors", "err", { units: "pps" }),
    prototype("Operational status", "status", { value_type: 3 }),
    prototype("Speed", "speed", { units: "bps", value_type: 3 }),
  ]);
  await call("trigger.create", {
    description: PROBLEM,
    expression: `last(/${HOST}/temp)>60`,
    priority: 4,
  });
  if (target.send !== undefined) await fill();
});

async function fill(): Promise<void> {
  const rows = Array.from({ length: PORTS }, (_, at) => ({
    "{#IFINDEX}": String(at + 1),
    "{#IFNAME}": `ge-0/0/${at + 1}`,
    "{#IFALIAS}": at === 0 ? "uplink" : "",
  }));
  await send("net.if.discovery", JSON.stringify(rows));
  const end = now();
  for (let at = 0; at < 20; at += 1) {
    const clock = end - (20 - at) * 1800;
    const wave = Math.sin(at / 3);
    await send("icmpping", at > 8 && at < 11 ? "0" : "1", clock);
    await send("cpu", (40 + 20 * wave).toFixed(1), clock);
    await send("mem", String(Math.round((6 + wave) * 1e9)), clock);
    await send("temp", at > 13 && at < 16 ? "70" : "45", clock);
    for (const port of [1, 2]) {
      await send(`in[${port}]`, String(Math.round((3 + wave) * 1e8 * port)), clock);
      await send(`out[${port}]`, String(Math.round((2 - wave) * 1e8)), clock);
    }
  }
  await send("temp", "71", end - 60);
  await send("fw", "v17.4.2-lts", end);
  for (let port = 1; port <= PORTS; port += 1) {
    await send(`status[${port}]`, port === 5 ? "2" : "1", end);
    await send(`speed[${port}]`, "1000000000", end);
    await send(`err[${port}]`, port === 5 ? "12.5" : "0", end);
  }
}

after(async () => {
  await browser?.close();
  await target?.stop();
});

test("a host opens with its overview: availability, problems, components", async (t) => {
  await page.goto(`${target.url}/hosts/${hostid}`);
  await page.waitForURL(/\/overview$/);
  const cpu = page.getByRole("region", { name: "cpu", exact: true });
  await cpu.getByText("CPU utilization").waitFor();
  const facts = page.getByRole("region", { name: "Host", exact: true });
  await facts.getByText("Core switch of the second floor").waitFor();
  await page.getByRole("region", { name: "Inventory" }).getByText("SN-4711").waitFor();
  if (target.send === undefined) return t.skip("no trapper address");
  await cpu.getByRole("link", { name: /^CPU utilization: \d/ }).waitFor();
  await page.getByRole("img", { name: /^Availability: [89]\d/ }).waitFor();
  await page.getByRole("img", { name: /^Problems: .* High$/ }).waitFor();
  const problems = page.getByRole("region", { name: "Open problems" });
  await problems.getByRole("link", { name: PROBLEM }).waitFor();
  const events = page.getByRole("region", { name: "Recent events" });
  await events.getByRole("listitem").nth(2).waitFor();
});

test("what was discovered is a table: state, in, out and errors of each interface", async (t) => {
  if (target.send === undefined) return t.skip("no trapper address");
  const table = page.getByRole("table", { name: "Network interfaces" });
  const heads = async () => {
    const texts = await table.getByRole("columnheader").allTextContents();
    return texts.map((it) => it.trim());
  };
  await becomes(heads, [
    "Name",
    "Operational status",
    "Bits received",
    "Bits sent",
    "Inbound packets with errors",
    "Speed",
  ]);
  const uplink = table.getByRole("row").filter({ hasText: "ge-0/0/1 (uplink)" });
  await uplink.getByRole("link", { name: /Bits received: .*bps$/ }).waitFor();
  await page.getByPlaceholder("Search names").fill("0/5");
  const broken = table.getByRole("row").filter({ hasText: "ge-0/0/5" });
  await broken.getByRole("link", { name: /errors: 12.5/ }).waitFor();
  await becomes(() => table.getByRole("row").count(), 2);
  await page.getByPlaceholder("Search names").fill("");
  await table.getByRole("row").nth(5).waitFor();
  await shots(page, "host-overview", { axe: true, narrow: true });
});

test("items are searched, and lead to their values", async () => {
  await page.getByPlaceholder("Search items").fill("temper");
  await page.waitForURL(/q=temper/);
  await page.getByRole("region", { name: "cpu", exact: true }).waitFor({ state: "detached" });
  await page.getByRole("link", { name: /^Temperature: / }).click();
  await page.getByRole("complementary", { name: "Temperature" }).waitFor();
});

test("nothing complained", () => {
  assert.deepEqual(browser.complaints, []);
});
