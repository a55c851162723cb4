// Ways that people take through the UI, each from its own beginning: forms that are left, lists that are opened
// in tabs, values that are looked at closer. One host with items, a trigger and values is made beforehand.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { type Browser, becomes, callAs, openBrowser, shots, signIn } from "./browser";
import { STEP_MS } from "./progress";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);
const HOST = `ways-${RUN}.with-a-long-name.example.com`;
const GROUP = `Ways ${RUN}`;
const PROBLEM = `Many jobs wait ${RUN}`;
const QUEUE = "Jobs in the queue";

let target: Target;
let browser: Browser;
let page: Page;
let hostid = "";

before(async () => {
  target = await openTarget();
  browser = await openBrowser();
  page = browser.page;
  await signIn(page, target);
  const [groupid] = (await call("hostgroup.create", { name: GROUP }))["groupids"] ?? [];
  const host = await call("host.create", { host: HOST, groups: [{ groupid }] });
  hostid = host["hostids"]?.[0] ?? "";
  const item = { hostid, type: 2, value_type: 3 };
  await call("item.create", [
    { ...item, name: QUEUE, key_: "jobs.queue" },
    { ...item, name: "Jobs done", key_: "jobs.done" },
    { ...item, name: "Memory", key_: "mem", units: "B" },
  ]);
  await call("trigger.create", {
    description: PROBLEM,
    expression: `last(/${HOST}/jobs.queue)>40`,
    priority: 4,
  });
});

after(async () => {
  await browser?.close();
  await target?.stop();
});

type Answer = Readonly<Record<string, readonly string[]>>;

function call(method: string, params: unknown): Promise<Answer> {
  return callAs(page, method, params);
}

async function open(path: string): Promise<void> {
  await page.goto(`${target.url}${path}`);
}

async function heading(name: string): Promise<void> {
  await page.getByRole("heading", { name, exact: true, level: 1 }).waitFor();
}

function row(text: string | RegExp): Locator {
  return page.getByRole("row").filter({ hasText: text }).first();
}

async function choose(label: string, option: string): Promise<void> {
  await page.getByRole("combobox", { name: label, exact: true }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
}

/** Until the server knows the item. */
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

const now = () => Math.floor(Date.now() / 1000);

test("the last value of a legend is the last value, not the average of a bucket", async (t) => {
  if (target.send === undefined) return t.skip("no trapper address");
  const clock = now() - 5;
  for (const value of ["3", "9", "42"]) await send("jobs.queue", value, clock);
  await open(`/hosts/${hostid}/graphs`);
  const graph = page.getByRole("figure", { name: QUEUE });
  const legend = graph.getByRole("row", { name: new RegExp(QUEUE) });
  await legend.getByRole("cell").first().getByText("42", { exact: true }).waitFor();
});

test("leaving a form with changes asks first, and staying keeps what was typed", async () => {
  await open(`/hosts/${hostid}/configuration`);
  const name = page.getByRole("textbox", { name: "Visible name" });
  await name.fill("Jobs of all");
  const graphs = page
    .getByRole("navigation", { name: /^Host / })
    .getByRole("link", { name: "Graphs" });
  const question = page.getByRole("dialog", { name: "Leave without saving?" });
  await graphs.click();
  await question.getByRole("button", { name: "Stay" }).click();
  await question.waitFor({ state: "detached" });
  await becomes(() => name.inputValue(), "Jobs of all");
  // the browser asks by itself when the tab is closed or loaded again
  const asked = page.waitForEvent("dialog");
  const reload = page.reload({ timeout: 1000 }).catch(() => undefined);
  const dialog = await asked;
  assert.equal(dialog.type(), "beforeunload");
  await dialog.dismiss();
  await reload;
  await becomes(() => name.inputValue(), "Jobs of all");
  await graphs.click();
  await question.getByRole("button", { name: "Leave" }).click();
  await page.waitForURL(/\/graphs$/);
});

test("a saved form is left without a question", async () => {
  await open(`/hosts/${hostid}/configuration`);
  await page.getByRole("textbox", { name: "Description" }).fill("keeps the jobs");
  await page.getByRole("button", { name: "Save" }).click();
  await page.waitForURL(/\/overview$/);
});

test("Enter takes the best hit of a multi-select", async () => {
  await open("/hosts/new");
  await page.getByRole("combobox", { name: "Host groups" }).pressSequentially(GROUP.slice(0, -1));
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Host name" }).fill("picked");
  await page.getByText(GROUP, { exact: true }).waitFor();
});

test("tabs of a host that have no room stand in a menu, which says which one is open", async () => {
  const tabs = page.getByRole("navigation", { name: `Host ${HOST}` });
  await open(`/hosts/${hostid}/inventory`);
  await tabs.getByRole("link", { name: "Inventory" }).waitFor();
  // all of them fit: there is no menu
  await becomes(() => tabs.getByRole("link").count(), 13);
  await becomes(() => tabs.getByRole("button", { name: "More", exact: true }).count(), 0);
  await page.setViewportSize({ width: 900, height: 800 });
  const more = tabs.getByRole("button", { name: "More tabs: Inventory" });
  await more.waitFor();
  await becomes(async () => (await tabs.locator("a:not([inert])").count()) < 13, true);
  await more.click();
  const menu = page.getByRole("menu");
  await menu.getByRole("menuitem", { name: "Macros", exact: true }).waitFor();
  await shots(page, "host-tabs-menu", { axe: true });
  await menu.getByRole("menuitem", { name: "Configuration", exact: true }).click();
  await page.waitForURL(/\/configuration$/);
  await tabs.getByRole("button", { name: "More tabs: Configuration" }).waitFor();
  await page.setViewportSize({ width: 1440, height: 900 });
  await tabs.getByRole("link", { name: "Configuration" }).waitFor();
});

test("the audit log shows the last hour where the overview leads to it", async () => {
  await open("/");
  const changes = page.getByRole("region", { name: "Configuration changes" });
  await changes.getByRole("link", { name: "All in the audit log" }).click();
  await heading("Audit log");
  assert.equal(new URL(page.url()).searchParams.get("within"), "3600");
  const period = page.getByRole("combobox", { name: "Period" });
  await becomes(() => period.inputValue(), "The last hour");
  const records = page.getByRole("table", { name: "Audit log" });
  await records.getByText(HOST, { exact: true }).first().waitFor();
  await shots(page, "audit-last-hour", { axe: true });
});

test("dialogs and their close buttons have names", async () => {
  await open("/hosts");
  await heading("Hosts");
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await help.getByRole("button", { name: "Close dialog" }).click();
  await help.waitFor({ state: "detached" });
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Search pages, hosts and templates" }).waitFor();
  await page.keyboard.press("Escape");
});

test("a problem shows the values behind it, and leads to its item and trigger", async (t) => {
  if (target.send === undefined) return t.skip("no trapper address");
  await send("jobs.queue", "7");
  await send("jobs.queue", "43");
  await open("/problems");
  await row(PROBLEM).getByText(PROBLEM).click();
  const panel = page.getByRole("complementary", { name: PROBLEM });
  await panel.getByText("43", { exact: true }).first().waitFor();
  await panel.getByRole("img", { name: `Chart of ${QUEUE}` }).waitFor();
  assert.match(
    (await panel.getByRole("link", { name: QUEUE }).getAttribute("href")) ?? "",
    new RegExp(`^/hosts/${hostid}/latest\\?item=`),
  );
  assert.match(
    (await panel.getByRole("link", { name: PROBLEM }).getAttribute("href")) ?? "",
    new RegExp(`^/hosts/${hostid}/triggers/`),
  );
  // the first problem of the trigger ended with the 7
  const history = panel.getByRole("table", { name: "Event history" }).getByRole("row");
  await becomes(() => history.count(), 2);
  const before = new URL(page.url()).searchParams.get("event");
  await history.last().getByRole("button").click();
  await panel.getByText("Resolved", { exact: true }).first().waitFor();
  assert.notEqual(new URL(page.url()).searchParams.get("event"), before);
  await history.first().getByRole("button").click();
  await panel.getByRole("button", { name: "Acknowledge" }).click();
  await panel
    .getByText(/acknowledged/)
    .first()
    .waitFor();
});

test("problems fit on a small screen: filters on one line, all columns next to the panel", async () => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await open("/problems");
  await row(PROBLEM).getByText(PROBLEM).click();
  await page.getByRole("complementary").waitFor();
  const table = page.getByRole("table", { name: "Problems" });
  for (const name of ["Duration", "Ack"]) {
    const cell = table.getByRole("columnheader", { name });
    const [column, list] = [await cell.boundingBox(), await table.boundingBox()];
    const inside = await table.evaluate((it) => it.parentElement?.clientWidth ?? 0);
    assert.ok(column && list && column.x + column.width <= list.x + inside + 1, `${name} is cut`);
  }
  const middles = await page.getByRole("group", { name: "Severities" }).evaluate((group) =>
    [...(group.parentElement?.children ?? [])]
      .map((it) => it.getBoundingClientRect())
      .filter(({ height }) => height > 0)
      .map(({ y, height }) => y + height / 2),
  );
  assert.ok(Math.max(...middles) - Math.min(...middles) < 4, "the filters take two lines");
  await page.setViewportSize({ width: 1440, height: 900 });
});

test("items, triggers and rules are links; a middle click on the row opens a tab", async () => {
  for (const [part, name] of [
    ["items", QUEUE],
    ["triggers", PROBLEM],
  ] as const) {
    await open(`/hosts/${hostid}/${part}`);
    const link = row(name).getByRole("link", { name });
    const href = (await link.getAttribute("href")) ?? "";
    assert.match(href, new RegExp(`^/hosts/${hostid}/${part}/\\d+$`));
    const opened = browser.context.waitForEvent("page");
    await row(name).getByRole("cell").last().click({ button: "middle" });
    const tab = await opened;
    await tab.waitForURL(`**${href}`);
    await tab.close();
    assert.ok(page.url().endsWith(`/${part}`));
  }
});

test("what was created is a click away, prototypes of a rule at once", async () => {
  await open(`/hosts/${hostid}/items/new`);
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Made here");
  await page.getByRole("textbox", { name: "Key", exact: true }).fill("made.here");
  await choose("Type", "Trapper");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await heading("Items");
  await page.getByRole("alert").getByRole("link", { name: "Made here" }).click();
  await heading("Made here");
  await open(`/hosts/${hostid}/discovery/new`);
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Rule made here");
  await page.getByRole("textbox", { name: "Key", exact: true }).fill("rule.made.here");
  await choose("Type", "Trapper");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await heading("Rule made here");
  await page.getByRole("button", { name: "New item prototype" }).click();
  await heading("New item prototype");
});

test("items picked in latest data are drawn together, at an address of their own", async (t) => {
  if (target.send === undefined) return t.skip("no trapper address");
  await send("jobs.done", "5");
  await send("mem", "1024");
  await open(`/hosts/${hostid}/latest`);
  for (const name of [QUEUE, "Jobs done"]) {
    await row(name).getByRole("checkbox").check();
  }
  await page.getByRole("link", { name: "Graph (2)" }).click();
  await heading("Graph");
  const figure = page.getByRole("figure", { name: HOST });
  await figure.getByRole("row", { name: QUEUE }).waitFor();
  await figure.getByRole("row", { name: "Jobs done" }).waitFor();
  await page.reload();
  await figure.getByRole("row", { name: QUEUE }).waitFor();
  await page.getByRole("button", { name: "3h", exact: true }).click();
  await page.waitForURL(/items=\d+,\d+&from=now-3h&to=now/);
});

test("a backtest of a day is shown where its values are", async (t) => {
  if (target.send === undefined) return t.skip("no trapper address");
  await open(`/hosts/${hostid}/triggers`);
  await page.getByRole("link", { name: PROBLEM }).click();
  await page.getByRole("button", { name: "Backtest", exact: true }).click();
  const backtest = page.getByRole("region", { name: "Backtest" });
  await backtest.getByRole("button", { name: "Run backtest" }).click();
  await backtest.getByRole("img", { name: `Chart of ${QUEUE}` }).waitFor();
  const whole = backtest.getByRole("button", { name: "Show the whole period" });
  await whole.click();
  await whole.waitFor({ state: "detached" });
});

test("who goes by keys skips the navigation", async () => {
  await open("/hosts");
  await heading("Hosts");
  await page.keyboard.press("Tab");
  const skip = page.getByRole("button", { name: "Skip to content" });
  assert.ok(await skip.evaluate((it) => it === document.activeElement), "it is not the first");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement?.tagName === "MAIN");
});

test("a phone shows the list first, with how long problems last; filters unfold", async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open("/problems");
  await page.getByRole("columnheader", { name: "Duration" }).waitFor();
  const severities = page.getByRole("group", { name: "Severities" });
  await becomes(() => severities.isVisible(), false);
  const list = await page.getByRole("table", { name: "Problems" }).boundingBox();
  assert.ok(list !== null && list.y < 180, "the list begins far down");
  await page.getByRole("button", { name: "Filters" }).click();
  await severities.waitFor();
  await page.setViewportSize({ width: 1440, height: 900 });
});

test("kinds of steps are searched as one types", async () => {
  await open(`/hosts/${hostid}/items/new`);
  await page.getByRole("button", { name: "Add step" }).click();
  const kind = page.getByRole("combobox", { name: "Kind of step 1" });
  await kind.click();
  await page.keyboard.type("jsonp");
  await page.getByRole("option", { name: "JSONPath" }).waitFor();
  await page.keyboard.press("Enter");
  await becomes(() => kind.inputValue(), "JSONPath");
});
