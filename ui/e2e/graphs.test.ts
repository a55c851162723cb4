// Graphs: three items of five hosts from latest data, looked at in every way there is; graphs that are configured.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { Download, Locator, Page } from "playwright-core";
import {
  atRest,
  type Browser,
  barriers,
  becomes,
  callAs,
  openBrowser,
  shots,
  signIn,
} from "./browser";
import { STEP_MS } from "./progress";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);
const GROUP = `Graphs ${RUN}`;
const HOSTS = [1, 2, 3, 4, 5].map((n) => `graph-${RUN}-${n}`);
const ITEMS = [
  { name: "CPU utilization", key_: "cpu", value_type: 0, units: "%" },
  { name: "Used memory", key_: "mem", value_type: 3, units: "B" },
  { name: "Requests", key_: "req", value_type: 0, units: "rps" },
] as const;
const POINTS = 24;

let target: Target;
let browser: Browser;
let page: Page;
let hostids: readonly string[] = [];
/** by host, then item */
let itemids: readonly (readonly string[])[] = [];
let graphids: readonly string[] = [];

type Answer = Readonly<Record<string, readonly string[]>>;

function call(method: string, params: unknown): Promise<Answer> {
  return callAs(page, method, params);
}

before(async () => {
  target = await openTarget();
  browser = await openBrowser();
  page = browser.page;
  await signIn(page, target);
  const [groupid] = (await call("hostgroup.create", { name: GROUP }))["groupids"] ?? [];
  const hosts = HOSTS.map((host) => ({ host, groups: [{ groupid }] }));
  hostids = (await call("host.create", hosts))["hostids"] ?? [];
  const items = hostids.flatMap((hostid) => ITEMS.map((it) => ({ hostid, type: 2, ...it })));
  const made = (await call("item.create", items))["itemids"] ?? [];
  itemids = hostids.map((_, at) => made.slice(at * ITEMS.length, (at + 1) * ITEMS.length));
  await call("trigger.create", {
    description: `CPU is busy ${RUN}`,
    expression: `last(/${HOSTS[0]}/cpu)>65`,
    priority: 4,
  });
  graphids = (await call("graph.create", configured()))["graphids"] ?? [];
  if (target.send !== undefined) await sendAll();
});

function configured() {
  const of = (at: number) => itemids[0]?.[at];
  const gitem = (at: number, color: string, more = {}) => ({ itemid: of(at), color, ...more });
  return [
    {
      name: `Load ${RUN}`,
      percent_left: 95,
      gitems: [
        gitem(0, "D55E00", { drawtype: 5, calc_fnc: 7 }),
        gitem(2, "0072B2", { drawtype: 2, yaxisside: 1 }),
      ],
    },
    {
      name: `Memory of all ${RUN}`,
      graphtype: 1,
      gitems: itemids.map((items, at) => ({
        itemid: items[1],
        color: ["0072B2", "D55E00", "009E73", "B5579B", "B08900"][at],
      })),
    },
    {
      name: `Shares ${RUN}`,
      graphtype: 3,
      gitems: itemids.slice(0, 3).map((items, at) => ({
        itemid: items[2],
        color: ["0072B2", "D55E00", "009E73"][at],
        calc_fnc: 9,
      })),
    },
  ];
}

const now = () => Math.floor(Date.now() / 1000);
/** when the first host was busy, in the middle of it */
let busyAt = 0;

/** The last hour, with a gap for the second host, and a busy time of the first one. */
async function sendAll(): Promise<void> {
  const end = now();
  busyAt = end - 9 * 120;
  for (const [host, name] of HOSTS.entries()) {
    for (let at = 0; at < POINTS; at += 1) {
      if (host === 1 && at > 8 && at < 16) continue;
      const clock = end - (POINTS - at) * 120;
      const wave = Math.sin((at + host * 3) / 4);
      const busy = host === 0 && at > 12 && at < 17 ? 30 : 0;
      await send(name, "cpu", (45 + 15 * wave + busy + host * 2).toFixed(2), clock);
      await send(name, "mem", String(Math.round((4 + host + wave) * 1e9)), clock);
      await send(name, "req", (120 + 60 * wave + host * 10).toFixed(1), clock);
    }
  }
}

async function send(host: string, key: string, value: string, clock: number): Promise<void> {
  const deadline = Date.now() + STEP_MS;
  for (;;) {
    try {
      await target.send?.(host, key, value, clock);
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((done) => setTimeout(done, 100));
    }
  }
}

after(async () => {
  await browser?.close();
  await target?.stop();
});

async function open(path: string): Promise<void> {
  await page.goto(`${target.url}${path}`);
}

async function choose(label: string, option: string): Promise<void> {
  await page.getByRole("combobox", { name: label, exact: true }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
}

const figures = (): Locator => page.getByRole("figure");
const param = (name: string) => new URL(page.url()).searchParams.get(name);

async function saved(figure: Locator, item: string): Promise<Download> {
  await figure.getByRole("button", { name: /^Menu of/ }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: item }).click();
  return download;
}

test("three items of five hosts are one graph for each kind of units", async () => {
  await open(`/latest?hosts=${hostids.join(",")}`);
  const table = page.getByRole("table", { name: "Latest data" });
  await table
    .getByText(HOSTS[4] ?? "")
    .first()
    .waitFor();
  await page.getByRole("checkbox", { name: "Pick all" }).click();
  await page.getByRole("link", { name: "Graph (15)" }).click();
  await page.waitForURL(/\/latest\/graph\?items=/);
  await figures().nth(2).waitFor();
  await becomes(() => figures().count(), 3);
  for (const { name } of ITEMS) {
    const figure = page.getByRole("figure", { name, exact: true });
    for (const host of HOSTS) await figure.getByRole("row", { name: host }).waitFor();
  }
  await shots(page, "graph-picked", { axe: true, narrow: true });
});

test("the crosshair stands at one time in all graphs of the page", async (t) => {
  if (target.send === undefined) return t.skip("no trapper address");
  const [first, last] = [figures().first(), figures().nth(2)];
  await first.getByRole("columnheader", { name: "last" }).waitFor();
  const chart = first.getByRole("img", { name: /^Chart of/ });
  await chart.hover();
  await last.getByRole("columnheader", { name: "here" }).waitFor();
  const times = page.locator("figcaption time");
  await becomes(() => times.count(), 3);
  // the graphs follow the clock: each moves on in a frame of its own, and the crosshair with it
  await page.waitForFunction(() => {
    const shown = [...document.querySelectorAll("figcaption time")].map((it) => it.textContent);
    return shown.length === 3 && new Set(shown).size === 1;
  });
});

test("a drag looks closer, and there is a way back", async () => {
  const box = await figures()
    .first()
    .getByRole("img", { name: /^Chart of/ })
    .boundingBox();
  assert.ok(box !== null);
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * 0.4, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, y, { steps: 5 });
  await page.mouse.up();
  await page.waitForURL(/from=2/);
  const back = page.getByRole("button", { name: "Zoom back" });
  await back.click();
  await page.waitForURL((url) => url.searchParams.get("from") === "now-1h");
  await becomes(() => back.isDisabled(), true);
});

test("lines are stacked, compared, banded and held against a percentile, all in the address", async () => {
  await choose("Stacked lines", "100 %");
  await page.waitForURL(/stack=percent/);
  await shots(page, "graph-percent");
  await choose("Stacked lines", "Lines");
  await choose("Compare with", "A day before");
  await choose("Percentile", "95th percentile");
  await page.getByRole("switch", { name: "Bands" }).click();
  await page.getByRole("switch", { name: "Log scale" }).click();
  await page.waitForURL(/log=1/);
  await figures().first().getByRole("columnheader", { name: "avg before" }).waitFor();
  assert.deepEqual(["stack", "compare", "pct", "band", "log"].map(param), [
    null,
    "1d",
    "95",
    "1",
    "1",
  ]);
  await shots(page, "graph-compared", { axe: true });
});

test("a line is hidden by its legend", async () => {
  const line = figures()
    .first()
    .getByRole("button", { name: HOSTS[2] ?? "" });
  await becomes(() => line.getAttribute("aria-pressed"), "true");
  await line.click();
  await becomes(() => line.getAttribute("aria-pressed"), "false");
});

test("numbers and the picture are taken away as files", async () => {
  const figure = page.getByRole("figure", { name: "CPU utilization", exact: true });
  const csv = await saved(figure, "Save as CSV");
  assert.equal(csv.suggestedFilename(), "CPU-utilization.csv");
  const text = readFileSync(await csv.path(), "utf8");
  assert.match(text, new RegExp(`"${HOSTS[0]} \\(min\\)"`));
  // hidden lines are left out
  assert.doesNotMatch(text, new RegExp(`"${HOSTS[2]} \\(min\\)"`));
  if (target.send !== undefined) assert.ok(text.split("\r\n").length > POINTS / 2);
  const png = await saved(figure, "Save as PNG");
  const bytes = readFileSync(await png.path());
  assert.equal(bytes.subarray(1, 4).toString(), "PNG");
  assert.ok(bytes.length > 5_000);
});

test("a link shows the same to others, at this time or as the clock goes", async () => {
  await page.getByRole("button", { name: "Share" }).click();
  const fixed = page.getByRole("textbox", { name: "Link with fixed time" });
  const link = new URL(await fixed.inputValue());
  assert.match(link.searchParams.get("from") ?? "", /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  assert.equal(link.searchParams.get("compare"), "1d");
  const moving = page.getByRole("textbox", { name: "Link with relative time" });
  assert.equal(new URL(await moving.inputValue()).searchParams.get("from"), "now-1h");
  assert.deepEqual(await barriers(page), []);
  await page.goto(link.href);
  await figures().nth(2).waitFor();
  await becomes(() => page.getByRole("switch", { name: "Log scale" }).isChecked(), true);
});

test("a year is there at once", async () => {
  await open(`/latest/graph?items=${itemids.map((it) => it[0]).join(",")}&from=now-1y&to=now`);
  const figure = page.getByRole("figure", { name: "CPU utilization", exact: true });
  await figure.getByRole("row", { name: HOSTS[0] ?? "" }).waitFor();
  if (target.send !== undefined) await figure.getByText(/Trends|History/).waitFor();
});

test("configured graphs are found by host and drawn as they are", async () => {
  await open("/graphs");
  await page.getByRole("table", { name: "Graphs" }).waitFor();
  await page.getByRole("searchbox", { name: "Search graphs" }).fill(RUN);
  const load = page.getByRole("figure", { name: new RegExp(`Load ${RUN}`) });
  await load.getByRole("row", { name: /CPU utilization/ }).waitFor();
  await load.getByRole("row", { name: /Requests.*right axis/ }).waitFor();
  const pie = page.getByRole("figure", { name: new RegExp(`Shares ${RUN}`) });
  await pie.scrollIntoViewIfNeeded();
  if (target.send !== undefined) await pie.getByRole("cell", { name: /\d %/ }).first().waitFor();
  await page
    .getByRole("figure", { name: /Memory of all/ })
    .getByRole("row")
    .nth(5)
    .waitFor();
  await shots(page, "graphs", { axe: true, narrow: true });
});

test("one of them has a page, with the thresholds and problems of its triggers", async () => {
  await open(`/graphs/${graphids[0]}`);
  await page.getByRole("heading", { name: `Load ${RUN}`, level: 1 }).waitFor();
  const figure = page.getByRole("figure");
  await figure.getByRole("row", { name: /CPU utilization/ }).waitFor();
  if (target.send !== undefined) {
    await atRest(page);
    const box = await figure.getByRole("img", { name: /^Chart of/ }).boundingBox();
    assert.ok(box !== null);
    // the hour of the graph ends now
    const at = 1 - (now() - busyAt) / 3600;
    await page.mouse.move(box.x + 44 + (box.width - 96) * at, box.y + 60);
    await figure.getByText(`CPU is busy ${RUN}`).waitFor();
  }
  await shots(page, "graph-configured", { axe: true });
  await open("/graphs/999999");
  await page.getByText("There is no such graph.").waitFor();
});

test("nothing complained", () => {
  assert.deepEqual(browser.complaints, []);
});
