// Maps in a real browser: drawn in the editor, then with the states of what stands on them.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { atRest, type Browser, becomes, callAs, openBrowser, shot, shots, signIn } from "./browser";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);
const NAMES = ["gate", "core", "web", "db", "backup"].map((it) => `${it}-${RUN}`);
const MAP = `Office ${RUN}`;

let target: Target;
let browser: Browser;
let page: Page;
let hostids: string[];
let groupid: string;

before(async () => {
  target = await openTarget();
  browser = await openBrowser();
  page = browser.page;
  await signIn(page, target);
  const group = await callAs<{ groupids: string[] }>(page, "hostgroup.create", {
    name: `E2E maps ${RUN}`,
  });
  groupid = group.groupids[0] ?? "";
  const hosts = NAMES.map((host) => ({ host, groups: [{ groupid }] }));
  hostids = (await callAs<{ hostids: string[] }>(page, "host.create", hosts)).hostids;
  for (const [at, host] of NAMES.entries()) {
    await callAs(page, "item.create", {
      hostid: hostids[at],
      name: "traffic",
      key_: "traffic",
      type: 2,
      value_type: 3,
      units: "bps",
    });
    await callAs(page, "trigger.create", {
      description: "Link is saturated",
      expression: `last(/${host}/traffic)>900`,
      priority: at === 2 ? 2 : 4,
    });
  }
});

after(async () => {
  await browser?.close();
  await target?.stop();
});

async function press(name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
}

function part(name: string): Locator {
  return page.getByRole("group", { name: "Map area" }).getByRole("button", { name, exact: true });
}

async function add(kind: string): Promise<void> {
  await press("Add");
  await page.getByRole("menuitem", { name: kind, exact: true }).click();
}

async function pick(label: string, text: string): Promise<void> {
  const field = page.getByRole("combobox", { name: label, exact: true });
  await field.fill(text);
  await page.getByRole("option", { name: text }).first().click();
}

function placeOf(it: Locator): Promise<{ x: number; y: number }> {
  return it.locator("image").evaluate((image) => ({
    x: Number(image.getAttribute("x")),
    y: Number(image.getAttribute("y")),
  }));
}

test("a map is drawn in the editor", async () => {
  await page.goto(`${target.url}/maps`);
  await page.getByRole("button", { name: "New map" }).click();
  await press("Create");
  await page.getByText("a name is required").waitFor();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill(MAP);

  for (const name of NAMES.slice(0, 4)) {
    await add("Host");
    await pick("Host", name);
    await part(name).waitFor();
  }
  // an element without an object is reported when the map is saved
  await add("Trigger");
  await press("Create");
  await page.getByText("select an object to show").waitFor();
  await press("Remove selected");

  // the first one is the hub
  await part(NAMES[0] ?? "").click();
  for (const name of NAMES.slice(1, 4)) await part(name).click({ modifiers: ["Shift"] });
  await press("Link selected elements");
  await page
    .getByRole("group", { name: "Map area" })
    .locator("[data-part='l:2']")
    .waitFor({ state: "attached" }); // a level line has no height
  await press("Undo");
  await becomes(() => page.locator("[data-part^='l:']").count(), 0);
  await press("Redo");
  await becomes(() => page.locator("[data-part^='l:']").count(), 3);

  await press("Automatic layout");
  const before = await placeOf(part(NAMES[1] ?? ""));
  // by the pointer, onto the grid
  const box = await part(NAMES[1] ?? "")
    .locator("image")
    .boundingBox();
  assert.ok(box);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 60, y - 40, { steps: 4 });
  await page.mouse.up();
  const after = await placeOf(part(NAMES[1] ?? ""));
  assert.notDeepEqual(after, before);
  assert.deepEqual([after.x % 50, after.y % 50], [0, 0]);
  // by keys, a pixel at a time
  await page.getByRole("group", { name: "Map area" }).press("ArrowRight");
  assert.equal((await placeOf(part(NAMES[1] ?? ""))).x, after.x + 1);
  await page.getByRole("group", { name: "Map area" }).press("Control+z");
  assert.equal((await placeOf(part(NAMES[1] ?? ""))).x, after.x);

  // a link with a value and a trigger that colors it
  await page.getByRole("group", { name: "Map area" }).press("Escape");
  await page.getByRole("button", { name: `${NAMES[0]} – ${NAMES[2]}` }).click();
  await page
    .getByRole("textbox", { name: "Label", exact: true })
    .fill(`{?last(/${NAMES[2]}/traffic)}`);
  await page.getByRole("combobox", { name: "Indicators", exact: true }).click();
  await page.getByRole("option", { name: "Triggers", exact: true }).click();
  await pick("Add trigger", "Link is saturated");
  await page.getByRole("textbox", { name: "Color in problem state", exact: true }).waitFor();
  await add("Rectangle");
  await page.getByRole("textbox", { name: "Text", exact: true }).fill("Server room");
  await shots(page, "map-editor", { narrow: true, axe: true });

  // what is not saved is not left without a word
  await page.getByRole("link", { name: "Latest data", exact: true }).first().click();
  await page.getByRole("button", { name: "Stay" }).click();
  await press("Create");
  await page.getByRole("link", { name: MAP, exact: true }).waitFor();
  await shots(page, "maps", { narrow: true, axe: true });
  await page.getByRole("link", { name: `Edit ${MAP}` }).click();
  await part(NAMES[3] ?? "").waitFor();
  await becomes(() => page.locator("[data-part^='l:']").count(), 3);
  await press("Cancel");
});

async function icon(name: string): Promise<string> {
  const found = await callAs<{ imageid: string }[]>(page, "image.get", { filter: { name } });
  const id = found[0]?.imageid;
  assert.ok(id !== undefined, `a new server has the icon ${name}`);
  return id;
}

test("a map shows the states of what stands on it, and leads there", async () => {
  const names = ["Router_(96)", "Switch_(96)", "Server_(96)", "Disk_array_3D_(96)", "Cloud_(128)"];
  const [router, core, server, disks, cloud] = await Promise.all(names.map(icon));
  const triggers = await callAs<{ triggerid: string; hosts: { hostid: string }[] }[]>(
    page,
    "trigger.get",
    { hostids, selectHosts: ["hostid"], output: ["triggerid"] },
  );
  const triggerOf = (at: number) =>
    triggers.find(({ hosts }) => hosts[0]?.hostid === hostids[at])?.triggerid;
  const submap = await callAs<{ sysmapids: string[] }>(page, "map.create", {
    name: `Storage ${RUN}`,
    width: 600,
    height: 400,
    selements: [
      {
        selementid: "1",
        elementtype: 3,
        elements: [{ groupid }],
        iconid_off: server,
        elementsubtype: 1,
        label: "{HOST.NAME}",
      },
    ],
  });
  const element = (id: string, at: number, iconid: string | undefined, x: number, y: number) => ({
    selementid: id,
    elementtype: 0,
    elements: [{ hostid: hostids[at] }],
    iconid_off: iconid,
    label: "{HOST.NAME}",
    x,
    y,
    urls: [{ name: "Wiki", url: "https://wiki.example/{HOST.NAME}" }],
  });
  const link = (from: string, to: string, at: number) => ({
    selementid1: from,
    selementid2: to,
    color: "2F9E44",
    label: `{?last(/${NAMES[at]}/traffic)}`,
    linktriggers: [{ triggerid: triggerOf(at), color: "E03131", drawtype: 2 }],
  });
  const made = await callAs<{ sysmapids: string[] }>(page, "map.create", {
    name: `Data center ${RUN}`,
    width: 1000,
    height: 620,
    label_type: 0,
    markelements: 1,
    selements: [
      { selementid: "1", elementtype: 4, iconid_off: cloud, label: "Internet", x: 60, y: 60 },
      element("2", 0, router, 320, 80),
      element("3", 1, core, 560, 80),
      element("4", 2, server, 420, 380),
      element("5", 3, disks, 620, 380),
      {
        selementid: "6",
        elementtype: 1,
        elements: [{ sysmapid: submap.sysmapids[0] }],
        iconid_off: cloud,
        label: "{MAP.NAME}",
        x: 800,
        y: 70,
      },
    ],
    links: [
      link("1", "2", 0),
      link("2", "3", 1),
      link("3", "4", 2),
      link("3", "5", 3),
      link("3", "6", 1),
    ],
    shapes: [
      {
        type: 0,
        x: 370,
        y: 330,
        width: 400,
        height: 230,
        text: "Rack 1",
        text_halign: 1,
        text_valign: 1,
        border_type: 3,
        border_width: 2,
        border_color: "868E96",
        background_color: "",
      },
    ],
  });
  const id = made.sysmapids[0];
  if (target.send === undefined) return;
  for (const [at, name] of NAMES.entries()) {
    await target.send(name, "traffic", at === 3 || at === 2 ? "950" : "120");
  }
  await page.goto(`${target.url}/maps/${id}`);
  const drawn = (name: string) => page.getByRole("button", { name, exact: false });
  await drawn(`${NAMES[3]}, Link is saturated`).waitFor();
  await drawn(`${NAMES[0]}, OK`).waitFor();
  await drawn(`Storage ${RUN}, 2 problems`).waitFor();
  await page.locator("g[data-problem]").first().waitFor();
  await becomes(() => page.locator("g[data-problem]").count(), 2);
  await page.getByText("950 bps").first().waitFor();
  await shots(page, "map", { narrow: true, axe: true });

  // while one looks at it, it changes
  await target.send(NAMES[3] ?? "", "traffic", "100");
  await drawn(`${NAMES[3]}, OK`).waitFor();
  await drawn(`Storage ${RUN}, Link is saturated`).waitFor();

  await press("Zoom in");
  const near = await page.locator("svg[viewBox]").last().getAttribute("viewBox");
  assert.ok(near !== null && !near.startsWith("0 0 1000"));
  await press("Whole map");

  await drawn(`${NAMES[2]}, Link is saturated`).focus();
  await page.keyboard.press("Enter");
  const wiki = page.getByRole("menuitem", { name: "Wiki" });
  await becomes(() => wiki.getAttribute("href"), `https://wiki.example/${NAMES[2]}`);
  await shot(page, "map-menu");
  await page.getByRole("menuitem", { name: "Worst problem" }).click();
  await page.waitForURL(/\/events\/\d+/);
  await page.goBack();

  await page.getByRole("combobox", { name: "Minimum severity" }).click();
  await page.getByRole("option", { name: "High" }).click();
  await drawn(`${NAMES[2]}, OK`).waitFor();
  assert.match(page.url(), /sev=4/);

  await drawn(`Storage ${RUN}`).click();
  await page.waitForURL(new RegExp(`/maps/${submap.sysmapids[0]}`));
  // the group shows each of its hosts
  await drawn(`${NAMES[4]}, OK`).waitFor();
  await shots(page, "map-group", { axe: true });
});

test("links look by the values of items, while one looks", async () => {
  const hostid = hostids[4] ?? "";
  await callAs(page, "item.create", {
    hostid,
    name: "line protocol",
    key_: "line",
    type: 2,
    value_type: 1,
  });
  const items = await callAs<readonly { itemid: string; key_: string }[]>(page, "item.get", {
    hostids: [hostid],
    output: ["itemid", "key_"],
    sortfield: "key_",
  });
  const [line = "", traffic = ""] = items.map(({ itemid }) => itemid);
  const iconid = await icon("Server_(96)");
  const element = (selementid: string, at: number, x: number, y: number) => ({
    selementid,
    elementtype: 0,
    elements: [{ hostid: hostids[at] }],
    iconid_off: iconid,
    label: "{HOST.NAME}",
    x,
    y,
  });
  const { sysmapids } = await callAs<{ sysmapids: string[] }>(page, "map.create", {
    name: `Lines ${RUN}`,
    width: 800,
    height: 460,
    label_type: 0,
    selements: [element("1", 4, 100, 180), element("2", 0, 600, 60), element("3", 1, 600, 300)],
    links: [
      {
        selementid1: "1",
        selementid2: "2",
        color: "2F9E44",
        label: `{?last(/${NAMES[4]}/traffic)}`,
        indicator_type: 2,
        itemid: traffic,
        thresholds: [
          { threshold: "500", color: "F08C00", drawtype: 4 },
          { threshold: "1K", color: "E03131", drawtype: 2 },
        ],
      },
      {
        selementid1: "1",
        selementid2: "3",
        color: "2F9E44",
        label: `{?last(/${NAMES[4]}/line)}`,
        indicator_type: 2,
        itemid: line,
        highlights: [{ pattern: "^down", color: "E03131", drawtype: 3 }],
      },
    ],
  });
  const sent = target.send;
  if (sent === undefined) return;
  const send = (key: string, value: string) => sent(NAMES[4] ?? "", key, value);
  const looks = (color: string, width: string) =>
    page.locator(`g[data-link] path[stroke="#${color}"][stroke-width="${width}"]`);
  await send("traffic", "100");
  await send("line", "up");
  await page.goto(`${target.url}/maps/${sysmapids[0]}`);
  await page.getByText("100 bps").first().waitFor();
  await becomes(() => looks("2F9E44", "2").count(), 2);
  await becomes(() => page.locator("g[data-problem]").count(), 0);

  await send("traffic", "700");
  await looks("F08C00", "2").waitFor();
  await send("traffic", "2000");
  await looks("E03131", "4").waitFor();
  await send("line", "down (fiber cut)");
  await looks("E03131", "2").waitFor();
  await page.getByText("down (fiber cut)").first().waitFor();
  await becomes(() => page.locator("g[data-problem]").count(), 2);
  await shots(page, "map-links-by-items", { narrow: true, axe: true });

  await send("traffic", "500");
  await looks("F08C00", "2").waitFor();
  await send("line", "up again");
  await looks("2F9E44", "2").waitFor();
  await becomes(() => page.locator("g[data-problem]").count(), 1);

  // the editor has what was written
  await page.goto(`${target.url}/maps/${sysmapids[0]}/edit`);
  await page.getByRole("button", { name: `${NAMES[4]} – ${NAMES[0]}` }).click();
  await page.getByRole("button", { name: "Remove threshold 2" }).waitFor();
  await shots(page, "map-link-thresholds", { axe: true });
});

test("names of many hosts in one area do not overlap", async () => {
  const { groupids } = await callAs<{ groupids: string[] }>(page, "hostgroup.create", {
    name: `E2E rack ${RUN}`,
  });
  const names = Array.from({ length: 40 }, (_, at) => `frankfurt-rack-7-${RUN}-server-${at + 1}`);
  await callAs(
    page,
    "host.create",
    names.map((host) => ({ host, groups: [{ groupid: groupids[0] }] })),
  );
  const { sysmapids } = await callAs<{ sysmapids: string[] }>(page, "map.create", {
    name: `Rack ${RUN}`,
    width: 1000,
    height: 600,
    selements: [
      {
        selementid: "1",
        elementtype: 3,
        elements: [{ groupid: groupids[0] }],
        iconid_off: await icon("Server_(96)"),
        elementsubtype: 1,
        areatype: 1,
        x: 100,
        y: 60,
        width: 800,
        height: 480,
        label: "{HOST.NAME}",
        label_location: 0,
      },
    ],
  });
  await page.goto(`${target.url}/maps/${sysmapids[0]}`);
  const labels = page.locator("g > text[font-size]");
  await labels.nth(39).waitFor();
  await atRest(page);
  const boxes = await labels.evaluateAll((all) =>
    all.map((it) => {
      const { left, right, top, bottom } = it.getBoundingClientRect();
      return { left, right, top, bottom };
    }),
  );
  const overlapping = boxes.flatMap((one, at) =>
    boxes
      .slice(at + 1)
      .filter(
        (other) =>
          one.left < other.right &&
          other.left < one.right &&
          one.top < other.bottom &&
          other.top < one.bottom,
      ),
  );
  assert.deepEqual(overlapping, []);
  const titles = await page.locator("g[data-element] > title").allTextContents();
  // the last row is shorter, and has room
  assert.ok(titles.length >= 30, `${titles.length} of 40 say what they left out`);
  assert.ok(titles.some((it) => it.startsWith(names[0] ?? "?")));
  await shots(page, "map-area", { narrow: true, axe: true });
});

test("images are uploaded and deleted", async () => {
  await page.goto(`${target.url}/images`);
  await page.getByText("Cloud_(24)").first().waitFor();
  const pixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  await page.locator("input[type=file]").setInputFiles({
    name: `a-dot-${RUN}.png`,
    mimeType: "image/png",
    buffer: Buffer.from(pixel, "base64"),
  });
  await page.getByRole("searchbox", { name: "Search names" }).fill(RUN);
  const row = page.getByRole("row").filter({ hasText: `a-dot-${RUN}` });
  await row.waitFor();
  await row.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await row.waitFor({ state: "detached" });
  await page.getByRole("searchbox", { name: "Search names" }).fill("");
  await shots(page, "images", { narrow: true, axe: true });
  assert.deepEqual(browser.complaints, []);
});
