// Graphs are configured: on a host with a preview, on a template for its hosts, as a prototype of a rule.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { type Browser, becomes, callAs, openBrowser, shots, signIn } from "./browser";
import { STEP_MS } from "./progress";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);
const HOST = `drawn-${RUN}`;

let target: Target;
let browser: Browser;
let page: Page;
let hostid = "";
let templateid = "";
let ruleid = "";

type Answer = Readonly<Record<string, readonly string[]>>;

function call(method: string, params: unknown): Promise<Answer> {
  return callAs(page, method, params);
}

async function first(method: string, params: unknown, ids: string): Promise<string> {
  return (await call(method, params))[ids]?.[0] ?? "";
}

before(async () => {
  target = await openTarget();
  browser = await openBrowser();
  page = browser.page;
  await signIn(page, target);
  const groupid = await first("hostgroup.create", { name: `Drawn ${RUN}` }, "groupids");
  const templates = await first("templategroup.create", { name: `Drawn ${RUN}` }, "groupids");
  templateid = await first(
    "template.create",
    { host: `Drawing ${RUN}`, groups: [{ groupid: templates }] },
    "templateids",
  );
  const item = { type: 2, value_type: 0 };
  await call("item.create", { ...item, hostid: templateid, name: "Of the template", key_: "t" });
  hostid = await first(
    "host.create",
    { host: HOST, groups: [{ groupid }], templates: [{ templateid }] },
    "hostids",
  );
  await call("item.create", [
    { ...item, hostid, name: "Jobs waiting", key_: "wait" },
    { ...item, hostid, name: "Jobs done", key_: "done" },
  ]);
  ruleid = await first(
    "discoveryrule.create",
    { hostid, name: "Disks", key_: "disks", type: 2 },
    "itemids",
  );
  await call("itemprototype.create", {
    ...item,
    hostid,
    ruleid,
    name: "Disk {#DISK}: reads",
    key_: "reads[{#DISK}]",
  });
});

after(async () => {
  await browser?.close();
  await target?.stop();
});

async function open(path: string): Promise<void> {
  await page.goto(`${target.url}${path}`);
}

async function choose(label: string, option: string | RegExp): Promise<void> {
  await page.getByRole("combobox", { name: label, exact: true }).click();
  await page.getByRole("option", { name: option }).first().click();
}

test("a graph of a host is made, seen beforehand, changed and drawn", async () => {
  await open(`/hosts/${hostid}/graphs`);
  await page.getByRole("link", { name: "Configure", exact: true }).click();
  await page.getByRole("button", { name: "New graph" }).click();
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByText("an item is required").waitFor();
  await page.getByRole("textbox", { name: "Name" }).fill("Jobs of the day");
  await choose("Add item", /Jobs waiting/);
  await choose("Add item", /Jobs done/);
  await choose("Draw style of item 2", "Gradient line");
  await choose("Axis of item 2", "Right axis");
  await choose("Y axis MAX value", "Fixed");
  await page.getByRole("textbox", { name: "Value" }).fill("250");
  const preview = page.getByRole("figure", { name: "Jobs of the day" });
  await preview.getByRole("row", { name: /Jobs done.*right axis/ }).waitFor();
  await page.getByRole("button", { name: "Move item 2 up" }).click();
  await shots(page, "graph-form", { axe: true, narrow: true });
  await page.getByRole("button", { name: "Create" }).click();
  await page.waitForURL(/\/graphs\/list$/);
  await page.getByRole("link", { name: "Jobs of the day" }).click();
  await becomes(() => page.getByRole("textbox", { name: "Value" }).inputValue(), "250");
  await page.getByText("1. Jobs done").waitFor();
  await choose("Graph type", "Stacked");
  await page.getByRole("button", { name: "Save" }).click();
  await page.waitForURL(/\/graphs\/list$/);
  await open(`/graphs?hosts=${hostid}`);
  await page.getByRole("figure", { name: "Jobs of the day" }).waitFor();
});

test("a graph of a template is one of its hosts, to be looked at there", async () => {
  await open(`/templates/${templateid}/items`);
  await page
    .getByRole("navigation", { name: /^Template / })
    .getByRole("link", { name: "Graphs" })
    .click();
  await page.getByRole("button", { name: "New graph" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Inherited");
  await choose("Add item", /Of the template/);
  await page.getByRole("button", { name: "Create" }).click();
  await page.waitForURL(/\/graphs\/list$/);
  await open(`/hosts/${hostid}/graphs/list`);
  await page.getByRole("link", { name: "Inherited" }).click();
  await page.getByText("This graph comes from a template: change it there.").waitFor();
  await page.getByRole("figure", { name: "Inherited" }).waitFor();
});

test("a prototype makes graphs of what its rule finds", async (t) => {
  await open(`/hosts/${hostid}/discovery/${ruleid}`);
  await page.getByRole("button", { name: "New graph prototype" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Disk {#DISK}");
  await choose("Add item", /Disk \{#DISK\}: reads – prototype/);
  await page.getByRole("button", { name: "Create" }).click();
  await page.waitForURL(new RegExp(`/discovery/${ruleid}$`));
  const table = page.getByRole("table", { name: "Graph prototypes" });
  await table.getByRole("link", { name: "Disk {#DISK}" }).click();
  await page.getByRole("switch", { name: "Discover" }).waitFor();
  if (target.send === undefined) return t.skip("no trapper address");
  const deadline = Date.now() + STEP_MS;
  for (;;) {
    await target.send(HOST, "disks", JSON.stringify([{ "{#DISK}": "sda" }])).catch(() => undefined);
    const found = await callAs<readonly unknown[]>(page, "graph.get", {
      hostids: [hostid],
      filter: { name: "Disk sda" },
    });
    if (found.length === 1) break;
    assert.ok(Date.now() < deadline, "no graph was made");
    await new Promise((done) => setTimeout(done, 200));
  }
  await open(`/hosts/${hostid}/graphs/list`);
  await page.getByRole("link", { name: "Disk sda" }).click();
  await page.getByText("This graph was created by discovery: change its prototype.").waitFor();
});

test("graphs are deleted", async () => {
  await open(`/hosts/${hostid}/graphs/list`);
  await page.getByRole("link", { name: "Jobs of the day" }).click();
  await page.getByRole("button", { name: "Delete graph" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /Delete/ })
    .click();
  await page.waitForURL(/\/graphs\/list$/);
  await page.getByRole("link", { name: "Inherited" }).waitFor();
  await page.getByRole("link", { name: "Inherited" }).waitFor();
  await page.getByRole("link", { name: "Jobs of the day" }).waitFor({ state: "detached" });
});

test("nothing complained", () => {
  assert.deepEqual(browser.complaints, []);
});
