// Dashboards: one is made with widgets, dragged, saved and read again; a template's dashboard shows what its host has.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { type Browser, becomes, callAs, openBrowser, shots, signIn } from "./browser";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);
const HOST = `board-${RUN}`;
const TEMPLATE = `Board template ${RUN}`;
const VALUES = 40;

let target: Target;
let browser: Browser;
let page: Page;
let hostid = "";
const items: Record<string, string> = {};

type Ids = Readonly<Record<string, readonly string[]>>;
const call = (method: string, params: unknown): Promise<Ids> => callAs(page, method, params);

before(async () => {
  target = await openTarget();
  browser = await openBrowser();
  page = browser.page;
  await signIn(page, target);
  const group = await call("templategroup.create", { name: `Boards ${RUN}` });
  const template = await call("template.create", {
    host: TEMPLATE,
    groups: [{ groupid: group["groupids"]?.[0] }],
  });
  const templateid = template["templateids"]?.[0] ?? "";
  const trapper = { hostid: templateid, type: 2, value_type: 0 };
  const component = (value: string) => [{ tag: "component", value }];
  const made = await call("item.create", [
    { ...trapper, name: "CPU utilization", key_: "cpu", units: "%", tags: component("cpu") },
    { ...trapper, name: "Memory used", key_: "mem", units: "B", tags: component("memory") },
    { ...trapper, name: "FS [/]: Used, in %", key_: "fs.root", units: "%", tags: component("fs") },
    {
      ...trapper,
      name: "FS [/var]: Used, in %",
      key_: "fs.var",
      units: "%",
      tags: component("fs"),
    },
    { ...trapper, name: "Last message", key_: "log", value_type: 4, tags: component("log") },
  ]);
  for (const [at, key] of ["cpu", "mem", "fs.root", "fs.var", "log"].entries()) {
    items[key] = made["itemids"]?.[at] ?? "";
  }
  const graph = await call("graph.create", {
    name: "CPU and memory",
    gitems: [
      { itemid: items["cpu"], color: "1A7C11" },
      { itemid: items["mem"], color: "F63100", yaxisside: 1, drawtype: 1 },
    ],
  });
  await call("templatedashboard.create", {
    templateid,
    name: "Performance",
    pages: [
      { name: "Overview", widgets: templateWidgets(graph["graphids"]?.[0] ?? "") },
      { name: "Files", widgets: fileWidgets() },
    ],
    auto_start: 0,
  });
  const host = await call("host.create", {
    host: HOST,
    groups: [{ groupid: "2" }],
    templates: [{ templateid }],
  });
  hostid = host["hostids"]?.[0] ?? "";
  await call("trigger.create", {
    description: "Disk space is low",
    expression: `last(/${HOST}/fs.var)>90`,
    priority: 4,
  });
  await sendValues();
});

after(async () => {
  await browser?.close();
  await target?.stop();
});

const text = (name: string, value: string) => ({ type: 1, name, value });
const number = (name: string, value: number) => ({ type: 0, name, value: String(value) });
const item = (name: string, key: string) => ({ type: 4, name, value: items[key] });

function templateWidgets(graphid: string) {
  return [
    {
      type: "svggraph",
      name: "CPU",
      x: 0,
      y: 0,
      width: 36,
      height: 4,
      fields: [
        text("reference", "AAAAA"),
        number("ds.0.dataset_type", 0),
        item("ds.0.itemids.0", "cpu"),
        text("ds.0.color.0", "2CAE7C"),
        text("lefty_min", "0"),
        text("lefty_max", "100"),
        number("legend_statistic", 1),
      ],
    },
    {
      type: "graph",
      name: "",
      x: 36,
      y: 0,
      width: 36,
      height: 4,
      fields: [text("reference", "AAAAB"), { type: 6, name: "graphid.0", value: graphid }],
    },
    {
      type: "item",
      name: "Memory",
      x: 0,
      y: 4,
      width: 12,
      height: 3,
      fields: [
        item("itemid.0", "mem"),
        number("show.0", 2),
        number("show.1", 3),
        number("show.2", 4),
        text("up_color", "FF465C"),
      ],
    },
    {
      type: "item",
      name: "CPU now",
      x: 12,
      y: 4,
      width: 12,
      height: 3,
      view_mode: 1,
      fields: [item("itemid.0", "cpu"), text("bg_color", "1E88E5"), number("decimal_places", 1)],
    },
    {
      type: "gauge",
      name: "",
      x: 24,
      y: 4,
      width: 18,
      height: 3,
      fields: [
        item("itemid.0", "cpu"),
        text("thresholds.0.threshold", "0"),
        text("thresholds.0.color", "0EC9AC"),
        text("thresholds.1.threshold", "80"),
        text("thresholds.1.color", "FF465C"),
        number("th_show_arc", 1),
      ],
    },
    {
      type: "itemhistory",
      name: "Messages",
      x: 42,
      y: 4,
      width: 30,
      height: 3,
      fields: [
        text("columns.0.name", "Message"),
        item("columns.0.itemid", "log"),
        number("columns.0.monospace_font", 1),
        number("show_timestamp", 1),
      ],
    },
  ];
}

function fileWidgets() {
  return [
    {
      type: "itemnavigator",
      name: "",
      x: 0,
      y: 0,
      width: 18,
      height: 5,
      fields: [
        text("reference", "NAVIG"),
        text("items.0", "*"),
        number("group_by.0.attribute", 3),
        text("group_by.0.tag_name", "component"),
      ],
    },
    {
      type: "graph",
      name: "Picked item",
      x: 18,
      y: 0,
      width: 30,
      height: 5,
      fields: [number("source_type", 1), text("itemid._reference", "NAVIG._itemid")],
    },
    {
      type: "piechart",
      name: "File systems",
      x: 48,
      y: 0,
      width: 24,
      height: 5,
      fields: [
        text("ds.0.items.0", "FS *"),
        text("ds.0.color", "5A49C7"),
        number("draw_type", 1),
        number("total_show", 1),
        number("legend_value", 1),
      ],
    },
    {
      type: "honeycomb",
      name: "",
      x: 0,
      y: 5,
      width: 36,
      height: 4,
      fields: [
        text("reference", "HONEY"),
        text("items.0", "FS [*]: Used, in %"),
        text("primary_label", '{{ITEM.NAME}.regsub("FS \\[(.*)\\]","\\1")}'),
        text("thresholds.0.threshold", "0"),
        text("thresholds.0.color", "0EC9AC"),
        text("thresholds.1.threshold", "90"),
        text("thresholds.1.color", "FF465C"),
      ],
    },
    {
      type: "notknown",
      name: "From afar",
      x: 36,
      y: 5,
      width: 36,
      height: 4,
      fields: [text("colour", "green")],
    },
  ];
}

async function sendValues(): Promise<void> {
  const { send } = target;
  if (send === undefined) return;
  const now = Math.floor(Date.now() / 1000);
  for (let at = 0; at < VALUES; at += 1) {
    const clock = now - (VALUES - at) * 60;
    await send(HOST, "cpu", String(40 + 30 * Math.sin(at / 5)), clock);
    await send(HOST, "mem", String(2e9 + 1e8 * at), clock);
  }
  await send(HOST, "fs.root", "61.5", now - 60);
  await send(HOST, "fs.var", "96", now - 60);
  await send(HOST, "log", "eth0: link is up, 10 Gbit/s", now - 60);
  await send(HOST, "log", "backup finished", now - 30);
}

const widget = (name: string): Locator => page.getByRole("article", { name, exact: true });
const dialog = (): Locator => page.getByRole("dialog");

async function choose(label: string, option: string): Promise<void> {
  const field = dialog().getByRole("combobox", { name: label, exact: true });
  await field.click();
  await page.getByRole("option", { name: option, exact: true }).click();
}

async function addWidget(type: string, fill: () => Promise<void>): Promise<void> {
  await page.getByRole("button", { name: "Add widget", exact: true }).click();
  await dialog().waitFor();
  await choose("Type", type);
  await fill();
  await dialog().getByRole("button", { name: "Add", exact: true }).click();
  await dialog().waitFor({ state: "detached" });
}

test("a dashboard is made of widgets that are dragged, saved and read again", async () => {
  await page.goto(`${target.url}/dashboards`);
  await page.getByRole("button", { name: "New dashboard" }).click();
  await dialog().getByRole("textbox", { name: "Name" }).fill(`Board ${RUN}`);
  await dialog().getByRole("button", { name: "Apply" }).click();
  await addWidget("Text", async () => {
    await dialog()
      .getByLabel("Text (Markdown)")
      .fill("# On call\n\n- **Anna**, until Friday\n- [wiki](https://wiki.example/)");
  });
  await addWidget("Problems", async () => {
    await shots(page, "dashboard-widget-form", { axe: true });
  });
  await addWidget("Item value", async () => {
    const picker = dialog().getByRole("combobox", { name: "Item", exact: true });
    await picker.fill("CPU utilization");
    await page.getByRole("option", { name: `${HOST}: CPU utilization` }).click();
  });
  const value = page.getByRole("group", { name: /^Item value/ });
  const before = (await value.boundingBox()) ?? assert.fail("the widget is not there");
  const heading = widget(`${HOST}: CPU utilization`).getByRole("heading");
  const grip = (await heading.boundingBox()) ?? assert.fail("the widget has no heading");
  await page.mouse.move(grip.x + 5, grip.y + 5);
  await page.mouse.down();
  await page.mouse.move(grip.x - 200, grip.y + 150, { steps: 8 });
  await page.mouse.move(grip.x - 305, grip.y + 355, { steps: 8 });
  await page.mouse.up();
  await page.waitForFunction(
    ([y]) => {
      const found = [...document.querySelectorAll('[role="group"]')].find((it) =>
        it.getAttribute("aria-label")?.startsWith("Item value"),
      );
      return found !== undefined && found.getBoundingClientRect().y > (y ?? 0) + 100;
    },
    [before.y] as const,
  );
  await value.focus();
  await page.keyboard.press("Shift+ArrowRight");
  await page.getByRole("group", { name: /13 by 3$/ }).waitFor();
  await page.keyboard.press("Control+z");
  await page.getByRole("group", { name: /^Item value.*12 by 3$/ }).waitFor();
  await page.keyboard.press("Control+y");
  const placed = await page.getByRole("group", { name: /13 by 3$/ }).getAttribute("aria-label");
  await shots(page, "dashboard-edit", { axe: true });
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Hosts" }).click();
  await dialog().waitFor();
  await dialog().getByRole("button", { name: "Stay" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("button", { name: "Edit", exact: true }).waitFor();
  await page.reload();
  await widget(`${HOST}: CPU utilization`).getByText("%", { exact: true }).waitFor();
  await widget("Text").getByRole("heading", { name: "On call" }).waitFor();
  await widget("Problems").getByText("Disk space is low").waitFor();
  const kept = await callAs<readonly { pages: { widgets: Record<string, string>[] }[] }[]>(
    page,
    "dashboard.get",
    { filter: { name: `Board ${RUN}` }, selectPages: "extend" },
  );
  const saved = kept[0]?.pages[0]?.widgets.find((it) => it["type"] === "item");
  const { x, y, width, height } = saved ?? {};
  assert.equal(
    placed,
    `Item value, column ${Number(x) + 1}, row ${Number(y) + 1}, ${width} by ${height}`,
  );
  assert.ok(Number(y) > 0, "it was dragged down");
  await shots(page, "dashboard", { axe: true, narrow: true });
});

test("a template's dashboard shows what its host has", async () => {
  await page.goto(`${target.url}/hosts/${hostid}/dashboards`);
  await page.getByRole("heading", { name: "Performance" }).waitFor();
  await widget("CPU")
    .getByRole("row", { name: /CPU utilization/ })
    .waitFor();
  await widget("CPU and memory")
    .getByRole("row", { name: /Memory used/ })
    .waitFor();
  await widget("Memory").getByText("GB", { exact: true }).waitFor();
  await widget("Messages").getByText("backup finished").waitFor();
  await widget("CPU utilization")
    .getByRole("img", { name: /CPU utilization/ })
    .waitFor();
  await shots(page, "dashboard-host", { axe: true, narrow: true });
  await page.getByRole("button", { name: "Files", exact: true }).click();
  await widget("Item navigator")
    .getByRole("button", { name: /Memory used/ })
    .click();
  await widget("Picked item")
    .getByRole("row", { name: /Memory used/ })
    .waitFor();
  await widget("File systems").getByText("61.5 %", { exact: true }).waitFor();
  await widget("Honeycomb").getByRole("button", { name: /\/var/ }).waitFor();
  await widget("From afar").getByText("notknown").waitFor();
  await shots(page, "dashboard-host-files", { axe: true });
  assert.deepEqual(browser.complaints, []);
});

test("each kind of widget shows what it is for", async () => {
  const host = { type: 3, value: hostid };
  const place = (at: number) => ({
    x: (at % 3) * 24,
    y: Math.floor(at / 3) * 4,
    width: 24,
    height: 4,
  });
  await call("host.update", {
    hostid,
    inventory_mode: 0,
    inventory: { location_lat: "56.95", location_lon: "24.10" },
  });
  const kinds = [
    { type: "problemsbysv", fields: [number("show_type", 1)] },
    { type: "problemhosts", fields: [] },
    { type: "hostavail", fields: [] },
    {
      type: "hostnavigator",
      fields: [text("reference", "HOSTS"), text("hosts.0", `${HOST}*`)],
    },
    {
      type: "tophosts",
      fields: [
        number("columns.0.data", 2),
        text("columns.0.name", "Host"),
        number("columns.1.data", 1),
        text("columns.1.name", "CPU"),
        text("columns.1.item", "CPU utilization"),
        number("columns.1.display", 2),
        text("columns.1.max", "100"),
        number("column", 1),
      ],
    },
    { type: "toptriggers", fields: [{ ...host, name: "hostids.0" }] },
    { type: "dataover", fields: [{ ...host, name: "hostids.0" }] },
    { type: "trigover", fields: [{ ...host, name: "hostids.0" }] },
    { type: "geomap", fields: [{ ...host, name: "hostids.0" }] },
    { type: "systeminfo", fields: [] },
    { type: "actionlog", fields: [] },
    { type: "web", fields: [] },
    { type: "discovery", fields: [] },
    { type: "slareport", fields: [] },
    { type: "clock", fields: [number("clock_type", 1), number("show.0", 1), number("show.1", 2)] },
    { type: "clock", fields: [] },
  ];
  const widgets = kinds.map((it, at) => ({ ...it, ...place(at) }));
  const made = await call("dashboard.create", { name: `Kinds ${RUN}`, pages: [{ widgets }] });
  await page.goto(`${target.url}/dashboards/${made["dashboardids"]?.[0]}`);
  await widget("Problems by severity").getByRole("link", { name: /High/ }).waitFor();
  await widget("Problem hosts")
    .getByRole("row", { name: /Linux servers/ })
    .waitFor();
  await widget("Host availability")
    .getByRole("row", { name: /Total hosts/ })
    .waitFor();
  await widget("Host navigator")
    .getByRole("button", { name: new RegExp(HOST) })
    .waitFor();
  await widget("Top hosts")
    .getByRole("row", { name: new RegExp(`${HOST}.*%`) })
    .waitFor();
  await widget("Top triggers")
    .getByRole("row", { name: /Disk space is low/ })
    .waitFor();
  await widget("Data overview").getByText("backup finished").waitFor();
  await widget("Trigger overview")
    .getByRole("row", { name: new RegExp(HOST) })
    .waitFor();
  await widget("Geomap")
    .getByRole("link", { name: new RegExp(HOST) })
    .waitFor();
  await shots(page, "dashboard-kinds", { axe: true });
  // what is not on the screen asks for nothing
  await widget("Discovery status").scrollIntoViewIfNeeded();
  await widget("System information")
    .getByRole("row", { name: /Triggers/ })
    .waitFor();
  await widget("Action log").getByText("No messages were sent in this period").waitFor();
  await widget("Web monitoring").getByText("No web scenarios").waitFor();
  await widget("Discovery status").getByText("No discovery rules").waitFor();
  await widget("SLA report").getByText("No SLA is chosen.").waitFor();
  await shots(page, "dashboard-kinds-below", { axe: true });
  assert.deepEqual(browser.complaints, []);
});

test("a geographical map has outlines, or tiles of whom the settings name, and is moved", async () => {
  await call("host.update", {
    hostid,
    inventory_mode: 0,
    inventory: { location_lat: "56.95", location_lon: "24.10" },
  });
  const geomap = {
    type: "geomap",
    name: "Places",
    ...{ x: 0, y: 0, width: 72, height: 8 },
    fields: [{ type: 3, name: "hostids.0", value: hostid }],
  };
  const made = await call("dashboard.create", {
    name: `Places ${RUN}`,
    pages: [{ widgets: [geomap] }],
  });
  const address = `${target.url}/dashboards/${made["dashboardids"]?.[0]}`;
  await page.goto(address);
  const spot = widget("Places").getByRole("link", { name: new RegExp(HOST) });
  await spot.waitFor();
  await widget("Places").locator("svg path[transform]").waitFor();
  await becomes(() => widget("Places").locator("img").count(), 0, "nobody is asked");
  const press = (name: string) => widget("Places").getByRole("button", { name }).click();
  for (let n = 0; n < 4; n += 1) await press("Zoom out");
  await shots(page, "geomap-outlines", { axe: true });
  const before = await spot.boundingBox();
  await page.keyboard.press("ArrowRight");
  const after = await spot.boundingBox();
  assert.equal(Math.round((before?.x ?? 0) - (after?.x ?? 0)), 60, "the arrow moves the view");
  await press("Show all hosts");
  await callAs(page, "settings.update", {
    geomaps_tile_provider: "",
    // pictures of this server, so that nobody else is needed
    geomaps_tile_url: "/favicon.svg?{z}/{x}/{y}",
    geomaps_attribution: '&copy; <a href="https://example.org">Example</a>',
    geomaps_max_zoom: "12",
  });
  await page.goto(address);
  await widget("Places").locator("img").first().waitFor();
  const tiles = await widget("Places")
    .locator("img")
    .evaluateAll((all) =>
      all.map((it) => {
        const image = it as HTMLImageElement;
        return [new URL(image.src).search, image.naturalWidth > 0] as const;
      }),
    );
  assert.ok(tiles.length > 3);
  for (const [search, isThere] of tiles) {
    assert.match(search, /^\?9\/\d+\/\d+$/);
    assert.ok(isThere, search);
  }
  await widget("Places").getByText("Example").waitFor();
  await shots(page, "geomap-tiles", { axe: true });
  await callAs(page, "settings.update", { geomaps_tile_provider: "OpenStreetMap.Mapnik" });
  await page.goto(`${target.url}/settings`);
  await page.getByText("Geographical maps").last().scrollIntoViewIfNeeded();
  await shots(page, "settings-geomaps", { axe: true });
  assert.deepEqual(browser.complaints, []);
});

test("data sets are aggregated; percentiles, thresholds, problems and all values are drawn", async () => {
  const graph = {
    type: "svggraph",
    name: "Aggregated",
    x: 0,
    y: 0,
    width: 72,
    height: 6,
    fields: [
      text("ds.0.hosts.0", HOST),
      text("ds.0.items.0", "FS *"),
      text("ds.0.color", "2CAE7C"),
      text("ds.0.data_set_label", "Files"),
      number("ds.0.aggregate_function", 2),
      text("ds.0.aggregate_interval", "5m"),
      number("ds.0.aggregate_grouping", 1),
      number("ds.0.type", 3),
      text("ds.1.hosts.0", HOST),
      text("ds.1.items.0", "FS [/var]*"),
      text("ds.1.color", "F63100"),
      number("ds.1.approximation", 7),
      number("percentile_left", 1),
      text("percentile_left_value", "95"),
      number("simple_triggers", 1),
      number("legend_statistic", 1),
      number("legend_aggregation", 1),
      number("legend_lines", 3),
      number("show_problems", 1),
    ],
  };
  const made = await call("dashboard.create", {
    name: `Sets ${RUN}`,
    pages: [{ widgets: [graph] }],
  });
  const [id] = made["dashboardids"] ?? [];
  await page.goto(`${target.url}/dashboards/${id}`);
  const legend = widget("Aggregated").getByRole("table", { name: "Legend" });
  const aggregated = legend.getByRole("row", { name: /max\(/ });
  await aggregated.getByText("%").first().waitFor();
  // the set is one line, the two lines behind the other one have no name
  await becomes(() => legend.getByRole("row").count(), 3);
  await shots(page, "dashboard-sets", { axe: true });
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await page.getByRole("group", { name: /column 1, row 1,/ }).focus();
  await page.keyboard.press("Enter");
  const interval = dialog().getByRole("textbox", { name: "Aggregation interval" }).first();
  await becomes(() => interval.inputValue(), "5m");
  await interval.scrollIntoViewIfNeeded();
  await shots(page, "dashboard-sets-form", { axe: true });
  await page.keyboard.press("Escape");
  assert.deepEqual(browser.complaints, []);
});

test("a graph shades the rest of working time, takes trends, has a logarithmic axis and says what a set lacks", async () => {
  const set = [
    text("ds.0.hosts.0", HOST),
    text("ds.0.items.0", "FS *"),
    text("ds.0.color", "2CAE7C"),
  ];
  const at = (name: string, x: number, fields: readonly object[]) => ({
    type: "svggraph",
    name,
    ...{ x, y: 0, width: 24, height: 7 },
    fields,
  });
  const made = await call("dashboard.create", {
    name: `Rest ${RUN}`,
    pages: [
      {
        widgets: [
          at("Shaded", 0, [
            ...set,
            number("working_time", 1),
            number("lefty_scale", 1),
            number("source", 1),
            text("time_period.from", "now-2d"),
            text("time_period.to", "now"),
          ]),
          at("Of trends", 24, [...set, text("ds.1.items.0", "CPU*"), number("source", 2)]),
          at("Of nobody", 48, [text("ds.0.items.0", "FS *")]),
        ],
      },
    ],
  });
  const sources: string[] = [];
  page.on("request", (it) => {
    const url = new URL(it.url());
    if (url.pathname === "/api/v1/series") sources.push(url.searchParams.get("source") ?? "");
  });
  await page.goto(`${target.url}/dashboards/${made["dashboardids"]?.[0]}`);
  await widget("Of nobody").getByText("A data set has no host patterns").waitFor();
  await widget("Of trends").getByRole("note").getByText("data set 2").waitFor();
  await widget("Shaded").getByRole("list", { name: "Legend" }).waitFor();
  assert.deepEqual([...new Set(sources)].sort(), ["1", "2"]);
  await shots(page, "dashboard-rest", { axe: true });
  assert.deepEqual(browser.complaints, []);
});

test("hosts that lie together on a map are one mark with their number and the worst severity", async () => {
  const near = await call(
    "host.create",
    ["a", "b", "c"].map((it, n) => ({
      host: `near-${it}-${RUN}`,
      groups: [{ groupid: "2" }],
      inventory_mode: 0,
      inventory: { location_lat: (48.1 + n * 0.0001).toFixed(4), location_lon: "11.5" },
    })),
  );
  await call("host.update", {
    hostid,
    inventory_mode: 0,
    inventory: { location_lat: "52.5", location_lon: "13.4" },
  });
  const made = await call("dashboard.create", {
    name: `Near ${RUN}`,
    pages: [
      {
        widgets: [
          {
            type: "geomap",
            name: "Near",
            ...{ x: 0, y: 0, width: 72, height: 8 },
            fields: [hostid, ...(near["hostids"] ?? [])].map((value, n) => ({
              type: 3,
              name: `hostids.${n}`,
              value,
            })),
          },
        ],
      },
    ],
  });
  await page.goto(`${target.url}/dashboards/${made["dashboardids"]?.[0]}`);
  const cluster = widget("Near").getByRole("button", { name: "3 hosts: OK" });
  await cluster.waitFor();
  await widget("Near")
    .getByRole("link", { name: new RegExp(HOST) })
    .waitFor();
  await cluster.hover();
  await page.getByRole("menuitem", { name: `near-a-${RUN}: OK` }).waitFor();
  await shots(page, "geomap-clusters", { axe: true });
  const before = await cluster.boundingBox();
  await cluster.click();
  // nearer, where it stays under the pointer
  await widget("Near")
    .getByRole("link", { name: new RegExp(HOST) })
    .waitFor({ state: "attached" });
  const after = await cluster.boundingBox();
  assert.ok(Math.abs((before?.x ?? 0) - (after?.x ?? 0)) < 8);
  assert.deepEqual(browser.complaints, []);
});

test("dashboards are listed, cloned and deleted", async () => {
  await page.goto(`${target.url}/dashboards`);
  await page.getByRole("searchbox").fill(RUN);
  await page.getByRole("link", { name: `Board ${RUN}`, exact: true }).waitFor();
  await shots(page, "dashboards", { axe: true });
  await page.getByRole("link", { name: `Board ${RUN}`, exact: true }).click();
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Clone" }).click();
  await dialog().getByRole("button", { name: "Apply" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("heading", { name: `Board ${RUN} (copy)` }).waitFor();
  await page.getByRole("button", { name: "Edit", exact: true }).waitFor();
  await page.keyboard.press("f");
  await page.waitForURL(/full=1/);
  await page.keyboard.press("f");
  await page.waitForURL((url) => !url.search.includes("full"));
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await dialog().getByRole("button", { name: "Delete" }).click();
  await page.waitForURL(/\/dashboards(\?|$)/);
  const left = await callAs<readonly unknown[]>(page, "dashboard.get", {
    filter: { name: `Board ${RUN} (copy)` },
  });
  assert.equal(left.length, 0);
  assert.deepEqual(browser.complaints, []);
});
