// The UI in a real browser, from signing in to a problem that opens, is acknowledged and ends. Tests run in
// order and build on each other: the host that one creates is the next one's subject.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { type Browser, becomes, openBrowser, shot } from "./browser";
import { STEP_MS } from "./progress";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);
const HOST = `e2e-host-${RUN}`;
const GROUP = `E2E group ${RUN}`;
const TEMPLATE = `E2E template ${RUN}`;
const KEY = "e2e.load[all,avg1]";
const PROBLEM = `E2E load is high ${RUN}`;

let target: Target;
let browser: Browser;
let page: Page;

before(async () => {
  target = await openTarget();
  browser = await openBrowser();
  page = browser.page;
});

after(async () => {
  await browser?.close();
  await target?.stop();
});

async function open(path: string): Promise<void> {
  await page.goto(`${target.url}${path}`);
}

async function heading(name: string): Promise<void> {
  await page.getByRole("heading", { name, exact: true, level: 1 }).waitFor();
}

/** Repeats until it holds: values travel, nothing here waits for a fixed time. */
async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + STEP_MS;
  while (!(await holds().catch(() => false))) {
    if (Date.now() > deadline) {
      await shot(page, "failed");
      assert.fail(`not in time: ${what}`);
    }
    await new Promise((done) => setTimeout(done, 100));
  }
}

function row(text: string | RegExp): Locator {
  return page.getByRole("row").filter({ hasText: text }).first();
}

function field(name: string): Locator {
  return page.getByRole("textbox", { name, exact: true });
}

async function choose(label: string, option: string): Promise<void> {
  const field = page.getByRole("combobox", { name: label, exact: true });
  const box = (await field.count()) > 0 ? field : page.getByLabel(label, { exact: true });
  await box.first().click();
  await page.getByRole("option", { name: option, exact: true }).click();
  await page.keyboard.press("Tab");
}

/** One after the other, none at once: send, look, until the server knows the item. */
async function send(key: string, value: string): Promise<void> {
  const { send: sendValue } = target;
  assert.ok(sendValue, "a trapper address is known");
  let last: unknown;
  await eventually(`the server takes ${key}`, async () => {
    try {
      await sendValue(HOST, key, value);
      return true;
    } catch (error) {
      last = error;
      return false;
    }
  }).catch((error: Error) => {
    throw new Error(`${error.message}: ${String(last)}`);
  });
}

test("the page comes with a strict content security policy", async () => {
  const response = await page.goto(`${target.url}/`);
  const policy = response?.headers()["content-security-policy"] ?? "";
  assert.match(policy, /default-src|script-src/);
  assert.doesNotMatch(policy, /unsafe-(inline|eval)/);
});

test("without a session one is asked to sign in, and a wrong password is refused", async () => {
  await open("/problems?sev=4,5");
  await page.getByRole("form", { name: "Sign in" }).waitFor();
  await page.getByRole("textbox", { name: "User name" }).fill("Admin");
  await page.getByLabel("Password", { exact: true }).fill("wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page
    .getByRole("alert")
    .filter({ hasText: /incorrect/i })
    .waitFor();
  await shot(page, "login");
});

test("after signing in one is where one wanted to be", async () => {
  await page.getByLabel("Password", { exact: true }).fill(target.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await heading("Problems");
  assert.equal(new URL(page.url()).search, "?sev=4,5");
  const high = page.getByRole("button", { name: /^High \d+$/ });
  await becomes(() => high.getAttribute("aria-pressed"), "true");
});

test("the session is a cookie that scripts cannot read, and no token lies in the storage", async () => {
  const cookies = await browser.context.cookies();
  const session = cookies.find((it) => it.name === "saker_session");
  assert.equal(session?.httpOnly, true);
  assert.equal(session?.sameSite, "Strict");
  const stored = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
  assert.doesNotMatch(stored, /session|token/i);
});

test("the overview shows what is wrong and system health how the server is; both are live", async () => {
  await page.getByRole("link", { name: "Overview" }).click();
  await heading("Overview");
  for (const card of ["Hosts", "Items", "Overdue checks", "Values per second"]) {
    await page.getByRole("group", { name: card, exact: true }).waitFor();
  }
  await page.getByRole("region", { name: "Problems by severity" }).waitFor();
  await page.getByRole("status").filter({ hasText: "Live" }).waitFor();
  await shot(page, "overview-dark");
  await page.getByRole("link", { name: "System health" }).click();
  await heading("System health");
  for (const card of ["Server", "Values per second", "Triggers", "Journal", "Memory"]) {
    await page.getByRole("group", { name: card, exact: true }).waitFor();
  }
  const workers = page.getByRole("region", { name: "Workers" });
  for (const worker of ["correlation", "maintenances", "services"]) {
    const row = workers
      .getByRole("row")
      .filter({ has: page.getByRole("rowheader", { name: worker, exact: true }) });
    await row.getByRole("img", { name: "working" }).waitFor();
  }
});

test("a template is created", async () => {
  await open("/templates");
  await heading("Templates");
  await page.getByRole("button", { name: "New template" }).click();
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByText("a name is required").waitFor();
  await page.getByText("a group is required").waitFor();
  await field("Template name").fill(TEMPLATE);
  await page.getByRole("combobox", { name: "Template groups" }).fill(GROUP);
  await page.getByRole("option", { name: `Create group “${GROUP}”` }).click();
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: "Add macro" }).click();
  await page.getByLabel("Macro 1", { exact: true }).fill("{$E2E.MAX}");
  await page.getByLabel("Value of macro 1").fill("90");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByRole("navigation", { name: `Template ${TEMPLATE}` }).waitFor();
  await open("/templates");
  await row(TEMPLATE).waitFor();
  await shot(page, "templates-dark");
});

test("templates are imported from a file, and errors of a file are reported", async () => {
  await open("/templates");
  await page.getByRole("button", { name: "Import" }).click();
  const dialog = page.getByRole("dialog", { name: "Import" });
  const choose = async (text: string) => {
    const chooser = page.waitForEvent("filechooser");
    await dialog.getByRole("button", { name: "File" }).click();
    const file = { name: "own.yaml", mimeType: "application/yaml", buffer: Buffer.from(text) };
    await (await chooser).setFiles(file);
    await dialog.getByRole("button", { name: "Show changes" }).click();
  };
  const name = `E2E import ${RUN}`;
  const text = [
    "zabbix_export:",
    "  version: '7.0'",
    `  template_groups: [{name: ${GROUP}}]`,
    "  templates:",
    `    - template: ${name}`,
    `      groups: [{name: ${GROUP}}]`,
    "      items: [{name: Page, type: TRAP, key: page}]",
    "      readme: What it is for",
  ].join("\n");
  await choose(text.replace("TRAP", "TELEPATHY"));
  await dialog.getByRole("alert").filter({ hasText: 'constant "TELEPATHY"' }).waitFor();
  // the browser reports the refusal by itself
  assert.match(browser.complaints.pop() ?? "", /status of 400/);
  await choose(text);
  await dialog.getByRole("region", { name: "Changes" }).getByText(name).waitFor();
  await shot(page, "templates-import-preview-dark");
  await dialog.getByRole("button", { name: "Import", exact: true }).click();
  await dialog.getByText("templates: 1 created").waitFor();
  await dialog.getByText("1 × readme").waitFor();
  await shot(page, "templates-import-dark");
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await row(name).waitFor();
});

test("a host is created with group, interface, tag and template", async () => {
  await open("/hosts/new");
  await field("Host name").fill("bad/name");
  await page.getByText("“/” cannot be in a host's name").waitFor();
  await field("Host name").fill(HOST);
  await page.getByRole("combobox", { name: "Host groups" }).fill(GROUP);
  await page.getByRole("option", { name: `Create group “${GROUP}”` }).click();
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: "Add SNMP interface" }).click();
  await page.getByRole("group", { name: "Interface 1" }).getByLabel("IP address").fill("127.0.0.1");
  await choose("SNMP version", "SNMPv3");
  await field("Security name").fill("monitor");
  await shot(page, "host-form-dark");
  await page.getByRole("button", { name: "Remove interface 1" }).click();
  await page.getByRole("button", { name: "Add tag" }).click();
  await page.getByLabel("Tag 1", { exact: true }).fill("site");
  await page.getByLabel("Value of tag 1").fill("e2e");
  await page.getByRole("combobox", { name: "Link templates" }).fill(TEMPLATE);
  await page.getByRole("option", { name: TEMPLATE }).click();
  await page.keyboard.press("Tab");
  await page.getByRole("table", { name: "Inherited macros" }).getByText("{$E2E.MAX}").waitFor();
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByRole("navigation", { name: `Host ${HOST}` }).waitFor();
  await open("/hosts");
  await page.getByRole("searchbox").fill(HOST);
  await row(HOST).getByRole("link", { name: TEMPLATE }).waitFor();
  await row(HOST).getByText("site: e2e").waitFor();
});

test("hosts are listed with their availability", async () => {
  await page.getByRole("searchbox").fill("");
  await page.getByRole("table", { name: "Hosts" }).waitFor();
  await shot(page, "hosts-dark");
});

test("an item is created, its key and interval are checked as one types", async () => {
  await page.getByRole("searchbox").fill(HOST);
  await row(HOST).getByRole("link", { name: HOST }).click();
  await page
    .getByRole("navigation", { name: `Host ${HOST}` })
    .getByRole("link", { name: "Items" })
    .click();
  await heading("Items");
  await page.getByRole("button", { name: "New item" }).click();
  await field("Name").fill("E2E load");
  await field("Key").fill("e2e.load[all");
  await page.getByText("the bracket is not closed").waitFor();
  await field("Update interval").fill("30x");
  await page.getByText('"30x" is not an interval').waitFor();
  await field("Key").fill(KEY);
  await choose("Type", "Trapper");
  await choose("Type of information", "Numeric (float)");
  await field("Units").fill("%");
});

test("preprocessing steps are added, ordered and checked", async () => {
  await page.getByRole("button", { name: "Add step" }).click();
  await choose("Kind of step 1", "Custom multiplier");
  await page.getByLabel("Number of step 1").fill("eight");
  await page.getByText("a number or macro is required").waitFor();
  await page.getByLabel("Number of step 1").fill("2");
  await page.getByRole("button", { name: "Add step" }).click();
  await choose("Kind of step 2", "Trim");
  await page.getByLabel("Characters of step 2").fill(" ");
  await page.getByRole("button", { name: "Move step 2 up" }).click();
  await page.getByLabel("Number of step 2").waitFor();
  await page.keyboard.press("ArrowDown");
  await page.getByLabel("Number of step 1").waitFor();
  await page.keyboard.press("ArrowUp");
  await page.getByLabel("Number of step 2").waitFor();
  const handle = (n: number) => page.getByRole("button", { name: new RegExp(`^Step ${n}: move`) });
  await handle(2).dragTo(handle(1));
  await page.getByLabel("Number of step 1").waitFor();
  await handle(1).dragTo(handle(2));
  await page.getByLabel("Number of step 2").waitFor();
  await choose("If step 2 fails", "on failure: discard value");
  await page.getByRole("button", { name: "Add tag" }).click();
  await page.getByLabel("Tag 1", { exact: true }).fill("component");
  await page.getByLabel("Value of tag 1").fill("load");
  await shot(page, "item-form-dark");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await heading("Items");
  await row(KEY).click();
  await page.getByLabel("Number of step 2").waitFor();
  await becomes(() => page.getByLabel("Number of step 2").inputValue(), "2");
  await field("Units").fill("");
  await field("Units").fill("%");
  await page.getByRole("button", { name: "Save" }).click();
  await heading("Items");
});

test("preprocessing is tested before it is saved", async () => {
  await row(KEY).click();
  await page.getByLabel("Number of step 2").fill("{$E2E.FACTOR}");
  await page.getByRole("button", { name: "Test", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Test preprocessing" });
  await dialog.getByLabel("Value", { exact: true }).fill(" 21 ");
  await dialog.getByLabel("Value of {$E2E.FACTOR}").fill("2");
  await dialog.getByRole("button", { name: "Test all steps" }).click();
  await dialog.getByText("Stored as Numeric (float):").waitFor();
  const results = dialog.getByRole("table", { name: "Results of the steps" });
  await results.getByText("42", { exact: true }).waitFor();
  // who goes by keys is where they were
  const all = dialog.getByRole("button", { name: "Test all steps" });
  await eventually("the focus is kept", () => all.evaluate((it) => it === document.activeElement));
  await dialog.getByLabel("Value", { exact: true }).press("Control+Enter");
  await dialog.getByText("Stored as Numeric (float):").waitFor();
  await shot(page, "test-preprocessing-dark");
  await dialog.getByLabel("Value", { exact: true }).fill("many");
  await dialog.getByRole("button", { name: "Test step 2" }).click();
  await results.getByText("on failure: discarded").waitFor();
  await dialog.getByRole("button", { name: "Close", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Cancel" }).click();
  await heading("Items");
});

test("a trigger is created, its expression is checked here and by the server", async () => {
  await page
    .getByRole("navigation", { name: `Host ${HOST}` })
    .getByRole("link", { name: "Triggers" })
    .click();
  await heading("Triggers");
  await page.getByRole("button", { name: "New trigger" }).click();
  await field("Name").fill(PROBLEM);
  const expression = page.getByRole("textbox", { name: "Expression" });
  await expression.fill(`last(/${HOST}/${KEY}`);
  await page.getByRole("button", { name: /the bracket is not closed \(at 5\)/ }).waitFor();
  await expression.fill(`last(/no-such-host-${RUN}/${KEY})>90`);
  await page.getByRole("button", { name: /\(at \d+\)$/ }).waitFor();
  await expression.fill(`last(/${HOST}/${KEY})>90`);
  await page.getByText("checked by the server").waitFor();
  await page.getByRole("radio", { name: "High" }).check({ force: true });
  await page.getByLabel("Allow manual close").check();
  await page.getByText("all problems if tag values match").click();
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByText("a tag is required").waitFor();
  await field("Tag for matching").fill("disk");
  await shot(page, "trigger-form-dark");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await heading("Triggers");
  await row(PROBLEM).getByText("High", { exact: true }).waitFor();
  await row(PROBLEM).click();
  await field("Tag for matching").waitFor();
  await becomes(() => field("Tag for matching").inputValue(), "disk");
  await page.getByText("all problems", { exact: true }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await heading("Triggers");
});

test("latest data show a value the moment it comes", async (t) => {
  if (target.send === undefined) return t.skip("no trapper address");
  await open(`/latest?q=${encodeURIComponent("E2E load")}`);
  await row("E2E load").waitFor();
  await send(KEY, "21");
  await row("E2E load").getByText("42 %", { exact: true }).waitFor();
  await send(KEY, "22");
  await row("E2E load").getByText("44 %", { exact: true }).waitFor();
  await row("E2E load").getByText("+2 %", { exact: true }).waitFor();
  await row("E2E load").click();
  await page.getByRole("complementary", { name: "E2E load" }).getByText(KEY).waitFor();
  await page.getByRole("img", { name: "Chart of E2E load" }).waitFor();
  await shot(page, "latest-detail-dark");
  await page.getByRole("button", { name: "Close details" }).click();
});

test("a value that was refused leaves a note at its item", async (t) => {
  const { send: sendValue } = target;
  if (sendValue === undefined) return t.skip("no trapper address");
  const inThreeDays = Math.floor(Date.now() / 1000) + 3 * 86_400;
  await assert.rejects(sendValue(HOST, KEY, "5", inThreeDays), /failed: 1/);
  const said = /more than a day ahead/;
  const note = row("E2E load").getByRole("note", { name: said });
  await note.waitFor();
  await row("E2E load").getByText("44 %", { exact: true }).waitFor();
  await row("E2E load").click();
  const details = page.getByRole("complementary", { name: "E2E load" });
  await details.getByRole("note").getByText(said).waitFor();
  await note.hover();
  await page.getByRole("tooltip").getByText(said).waitFor();
  await shot(page, "latest-note-dark");
  await page.emulateMedia({ colorScheme: "light" });
  await shot(page, "latest-note-light");
  await page.emulateMedia({ colorScheme: "dark" });
  await page.getByRole("button", { name: "Close details" }).click();
  await row("E2E load").getByRole("link", { name: HOST }).click();
  const tabs = page.getByRole("navigation", { name: `Host ${HOST}` });
  await tabs.getByRole("link", { name: "Items" }).click();
  await row(KEY).getByRole("note", { name: said }).waitFor();
  await shot(page, "items-note-dark");
  await row(KEY).click();
  await page.getByRole("note").getByText(said).waitFor();
  await shot(page, "item-note-dark");
  await page.emulateMedia({ colorScheme: "light" });
  await shot(page, "item-note-light");
  await page.emulateMedia({ colorScheme: "dark" });
});

test("a problem opens on the screen without reloading", async (t) => {
  if (target.send === undefined) return t.skip("no trapper address");
  await open("/problems");
  await heading("Problems");
  await send(KEY, "48");
  await row(PROBLEM).waitFor();
  await row(PROBLEM).getByText("High", { exact: true }).waitFor();
  await shot(page, "problems-dark");
});

test("the navigation counts open problems, and only where they are listed they are loaded", async (t) => {
  if (target.send === undefined) return t.skip("no trapper address");
  const asked: string[] = [];
  const note = (request: { url(): string }) => asked.push(new URL(request.url()).pathname);
  page.on("request", note);
  await page.goto(`${target.url}/hosts`);
  await heading("Hosts");
  const badge = page.getByRole("navigation", { name: "Main" }).getByTitle(/^\d+ open problems?$/);
  await badge.waitFor();
  await page.getByRole("status").filter({ hasText: "Live" }).waitFor();
  await open("/latest");
  await heading("Latest data");
  assert.deepEqual(
    asked.filter((it) => it === "/api/v1/problems"),
    [],
  );
  assert.ok(asked.filter((it) => it === "/api/v1/overview").length <= 1);
  await open("/problems");
  await row(PROBLEM).waitFor();
  assert.equal(asked.filter((it) => it === "/api/v1/problems").length, 1);
  page.off("request", note);
  const open_ = Number.parseInt((await badge.getAttribute("title")) ?? "", 10);
  await page.getByText(`${open_} problem${open_ === 1 ? "" : "s"}`, { exact: true }).waitFor();
  await open("/");
  await page.getByRole("region", { name: "Worst problems" }).getByText(PROBLEM).waitFor();
  await open("/problems");
  await row(PROBLEM).waitFor();
});

test("filters of problems are in the address and survive a reload", async (t) => {
  if (target.send === undefined) return t.skip("no trapper address");
  await page.getByRole("searchbox").fill(PROBLEM);
  await page.getByRole("button", { name: /^High \d+$/ }).click();
  await page.waitForURL(/sev=4/);
  await page.waitForURL(/q=E2E/);
  await page.reload();
  await row(PROBLEM).waitFor();
  await becomes(() => page.getByRole("searchbox").inputValue(), PROBLEM);
  await page.getByText("1 problem", { exact: true }).waitFor();
});

test("keys move, pick, open and update: j, x, Enter, e", async (t) => {
  if (target.send === undefined) return t.skip("no trapper address");
  await page.getByRole("heading", { name: "Problems" }).click();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  const details = page.getByRole("complementary", { name: PROBLEM });
  await details.getByText(`last(/${HOST}/${KEY})>90`).waitFor();
  await shot(page, "problem-detail-dark");
  await page.keyboard.press("x");
  await page.getByRole("button", { name: "Update 1 problem" }).waitFor();
  await page.keyboard.press("e");
  const dialog = page.getByRole("dialog", { name: "Update 1 problem" });
  await dialog.getByLabel("Message").fill("looking at it");
  await choose("Severity", "Disaster");
  await shot(page, "acknowledge-dark");
  await dialog.getByRole("button", { name: "Update" }).click();
  await dialog.waitFor({ state: "detached" });
  await details.getByText("looking at it").waitFor();
  await page.keyboard.press("Escape");
  await details.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Reset filters" }).click();
  await row(PROBLEM).getByText("Disaster", { exact: true }).waitFor();
  await row(PROBLEM).getByRole("img", { name: "acknowledged" }).waitFor();
});

test("a problem that ends is shown as resolved", async (t) => {
  if (target.send === undefined) return t.skip("no trapper address");
  await send(KEY, "10");
  await row(PROBLEM).getByText("Resolved").waitFor();
});

test("a trigger is evaluated and backtested in its form", async (t) => {
  if (target.send === undefined) return t.skip("no trapper address");
  await open("/hosts");
  await page.getByRole("searchbox").fill(HOST);
  await row(HOST).getByRole("link", { name: HOST }).click();
  await page
    .getByRole("navigation", { name: `Host ${HOST}` })
    .getByRole("link", { name: "Triggers" })
    .click();
  await row(PROBLEM).click();
  await page.getByRole("button", { name: "Evaluate now" }).click();
  await page.getByText("Expression: false").waitFor();
  const functions = page.getByRole("table", { name: "Functions" });
  await functions.getByText("20", { exact: true }).first().waitFor();
  await page.getByRole("button", { name: "Backtest", exact: true }).click();
  const backtest = page.getByRole("region", { name: "Backtest" });
  await backtest.getByText("1h", { exact: true }).click();
  await backtest.getByRole("button", { name: "Run backtest" }).click();
  await backtest.getByText("1 problem", { exact: true }).waitFor();
  const problems = backtest.getByRole("table", { name: "Problems in the period" });
  await becomes(() => problems.getByRole("row").count(), 2);
  await problems.getByText("= 96").waitFor();
  await backtest.getByRole("img", { name: "Chart of E2E load" }).waitFor();
  await shot(page, "backtest-dark");
  await problems.getByRole("button").click();
  await backtest.getByRole("button", { name: "Show the whole period" }).waitFor();
});

test("the host page draws its items, and dragging zooms", async (t) => {
  if (target.send === undefined) return t.skip("no trapper address");
  await page.keyboard.press("Control+k");
  await page.getByPlaceholder("Search pages, hosts and templates").fill(HOST);
  await page
    .getByRole("button", { name: new RegExp(HOST) })
    .or(page.getByRole("option", { name: new RegExp(HOST) }))
    .first()
    .waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/hosts\/\d+\/overview/);
  await page
    .getByRole("navigation", { name: /^Host / })
    .getByRole("link", { name: "Graphs" })
    .click();
  await page.waitForURL(/\/hosts\/\d+\/graphs/);
  const chart = page.getByRole("img", { name: "Chart of E2E load" });
  await chart.waitFor();
  await eventually("the chart is drawn", async () => (await chart.locator("canvas").count()) === 1);
  await shot(page, "host-graphs-one-dark");
  const box = await chart.boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + box.width * 0.4, box.y + 50);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.7, box.y + 60, { steps: 5 });
  await page.mouse.up();
  await page.waitForURL(/from=\d{4}-/);
  await page.getByRole("button", { name: "Follow new values" }).click();
  await page.waitForURL(/to=now/);
  await page.getByRole("button", { name: "3h", exact: true }).click();
  await page.waitForURL(/from=now-3h/);
});

test("the host's other tabs show what is its own", async () => {
  await open("/hosts");
  await page.getByRole("searchbox").fill(HOST);
  await row(HOST).getByRole("link", { name: HOST }).click();
  const tabs = page.getByRole("navigation", { name: `Host ${HOST}` });
  await tabs.getByRole("link", { name: "Latest data" }).click();
  await row("E2E load").waitFor();
  await tabs.getByRole("link", { name: "Problems" }).click();
  await heading("Problems");
  await tabs.getByRole("link", { name: "Discovery" }).click();
  await heading("Discovery rules");
  await page.getByRole("button", { name: "New rule" }).click();
  await field("Name").fill("E2E discovery");
  await choose("Type", "Trapper");
  await field("Key").fill("e2e.discovery");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await heading("E2E discovery");
  await page.getByRole("heading", { name: "Item prototypes (0)" }).waitFor();
});

test("an item prototype is created with a step and opened again", async () => {
  await page.getByRole("button", { name: "New item prototype" }).click();
  await heading("New item prototype");
  await field("Name").fill("Free on {#FSNAME}");
  await field("Key").fill("e2e.free[{#FSNAME}]");
  await choose("Type", "Trapper");
  await page.getByRole("button", { name: "Add step" }).click();
  await choose("Kind of step 1", "Check for not supported value");
  await becomes(() => page.getByLabel("Pattern of step 1").count(), 0);
  await choose("Error of step 1", "error matches");
  await page.getByLabel("Pattern of step 1").fill("^timeout");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByRole("link", { name: "Free on {#FSNAME}" }).click();
  await heading("Free on {#FSNAME}");
  await becomes(() => page.getByLabel("Pattern of step 1").inputValue(), "^timeout");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "New trigger prototype" }).click();
  await heading("New trigger prototype");
  await field("Name").fill("{#FSNAME} is full");
  const expression = `last(/${HOST}/e2e.free[{#FSNAME}])<10`;
  await page.getByRole("textbox", { name: "Expression" }).fill(expression);
  await page.getByText("checked by the server").waitFor();
  await page.getByRole("switch", { name: /^Discover/ }).uncheck({ force: true });
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByRole("link", { name: "{#FSNAME} is full" }).click();
  await heading("{#FSNAME} is full");
  await becomes(() => page.getByRole("textbox", { name: "Expression" }).inputValue(), expression);
  await becomes(() => page.getByRole("switch", { name: /^Discover/ }).isChecked(), false);
  await page.getByRole("button", { name: "Delete trigger prototype" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("link", { name: "Free on {#FSNAME}" }).click();
  await page.getByRole("button", { name: "Delete item prototype" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("heading", { name: "Item prototypes (0)" }).waitFor();
});

test("a template is unlinked and cleared, and the host is renamed", async () => {
  await page
    .getByRole("navigation", { name: `Host ${HOST}` })
    .getByRole("link", { name: "Configuration" })
    .click();
  await page.getByRole("button", { name: "Unlink and clear" }).click();
  await field("Visible name").fill(`${HOST} renamed`);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("navigation", { name: `Host ${HOST} renamed` }).waitFor();
  await open("/hosts");
  await page.getByRole("searchbox").fill(HOST);
  await row(`${HOST} renamed`).waitFor();
  await becomes(() => row(`${HOST} renamed`).getByRole("link", { name: TEMPLATE }).count(), 0);
});

test("what the server refuses is said in its words, and nothing is lost", async () => {
  await open("/hosts/new");
  await field("Host name").fill(HOST);
  await page.getByRole("combobox", { name: "Host groups" }).fill(GROUP);
  await page.getByRole("option", { name: GROUP }).click();
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page
    .getByRole("alert")
    .filter({ hasText: /already exists/ })
    .waitFor();
  await becomes(() => field("Host name").inputValue(), HOST);
});

test("help lists the keys, and g p goes to problems", async () => {
  await open("/");
  await heading("Overview");
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await help.waitFor();
  await shot(page, "key-help-dark");
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "detached" });
  await page.keyboard.press("g");
  await page.keyboard.press("p");
  await heading("Problems");
});

test("every page looks right by day, too", async () => {
  await page.emulateMedia({ colorScheme: "light" });
  const pages: [path: string, title: string, name: string][] = [
    ["/", "Overview", "overview-light"],
    ["/problems", "Problems", "problems-light"],
    ["/latest", "Latest data", "latest-light"],
    ["/hosts", "Hosts", "hosts-light"],
    ["/templates", "Templates", "templates-light"],
    ["/hosts/new", "New host", "host-form-light"],
  ];
  for (const [path, title, name] of pages) {
    await open(path);
    await heading(title);
    await shot(page, name);
  }
  await open("/hosts");
  await page.getByRole("table", { name: "Hosts" }).getByRole("link").first().click();
  await page.waitForURL(/overview/);
  await page
    .getByRole("navigation", { name: /^Host / })
    .getByRole("link", { name: "Graphs" })
    .click();
  await page.waitForURL(/graphs/);
  await page
    .getByRole("img", { name: /^Chart of/ })
    .first()
    .waitFor();
  await shot(page, "host-graphs-light");
  await page.emulateMedia({ colorScheme: "dark" });
  await page
    .getByRole("img", { name: /^Chart of/ })
    .first()
    .waitFor();
  await shot(page, "host-graphs-dark");
});

test("the theme is chosen and kept", async () => {
  await page.getByRole("button", { name: "Theme" }).click();
  await page.getByRole("menuitem", { name: "Light" }).click();
  const scheme = () =>
    page.evaluate(() => document.documentElement.getAttribute("data-mantine-color-scheme"));
  assert.equal(await scheme(), "light");
  await page.reload();
  await page.getByRole("navigation", { name: "Main" }).waitFor();
  assert.equal(await scheme(), "light");
});

test("an unknown page says so", async () => {
  await open("/no/such/page");
  await page.getByText("There is no such page.").waitFor();
  await heading("Not found");
  await page.getByRole("navigation", { name: "Main" }).waitFor();
  await page.getByRole("main").getByRole("link", { name: "Overview" }).waitFor();
  await open("/hosts/999999999/graphs");
  await page.getByText("There is no such host.").waitFor();
  await page.getByRole("link", { name: "All hosts" }).waitFor();
});

test("host and template are deleted after asking", async () => {
  await open("/hosts");
  await page.getByRole("searchbox").fill(HOST);
  await row(HOST).getByRole("checkbox", { name: "Pick" }).check();
  await page.getByRole("button", { name: "1 host" }).click();
  await page.getByRole("menuitem", { name: "Delete …" }).click();
  await page
    .getByRole("dialog", { name: "Delete 1 host?" })
    .getByRole("button", { name: "Delete" })
    .click();
  await page.getByText("No host matches.").or(page.getByText("No hosts yet")).first().waitFor();
  await open("/templates");
  await row(TEMPLATE).getByRole("link", { name: TEMPLATE }).click();
  await page
    .getByRole("navigation", { name: `Template ${TEMPLATE}` })
    .getByRole("link", { name: "Configuration" })
    .click();
  await page.getByRole("button", { name: "Delete template" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await heading("Templates");
  await eventually("the template is gone", async () => (await row(TEMPLATE).count()) === 0);
});

test("a lost session is asked for over the page, and the page goes on", async () => {
  await open("/hosts");
  await page.getByRole("table", { name: "Hosts" }).waitFor();
  await browser.context.clearCookies();
  await page.getByRole("link", { name: "Templates" }).click();
  const dialog = page.getByRole("dialog", { name: "Your session has ended" });
  await dialog.getByLabel("Password of Admin", { exact: true }).fill(target.password);
  await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
  await heading("Templates");
  await page.getByRole("navigation", { name: "Main" }).waitFor();
});

test("signing out ends the session", async () => {
  await page.getByRole("button", { name: "User menu" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("form", { name: "Sign in" }).waitFor();
  await open("/hosts");
  await page.getByRole("form", { name: "Sign in" }).waitFor();
});

test("nothing broke the policy or failed unseen on the way", () => {
  assert.deepEqual(browser.complaints, []);
});
