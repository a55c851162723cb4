// The overview, system health, global macros, who changed what, and what the program is made of, in a real browser.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Browser, becomes, callAs, openBrowser, shots, signIn } from "./browser";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);
const GROUP = `E2E floor ${RUN}`;
const HOST = `e2e-overview-${RUN}`;
const PROBLEM = `E2E too hot ${RUN}`;

let target: Target;
let browser: Browser;

before(async () => {
  target = await openTarget();
  browser = await openBrowser();
  await signIn(browser.page, target);
});

after(async () => {
  await browser?.close();
  await target?.stop();
});

const region = (name: string) => browser.page.getByRole("region", { name, exact: true });
const field = (name: string) => browser.page.getByRole("textbox", { name, exact: true });
const press = (name: string) => browser.page.getByRole("button", { name, exact: true }).click();

test("an outage is found from the overview: group, host, problem, what changed and who did it", async (t) => {
  if (target.send === undefined) return t.skip("no trapper address");
  const { page } = browser;
  const { groupids } = await callAs<{ groupids: string[] }>(page, "hostgroup.create", {
    name: GROUP,
  });
  const { hostids } = await callAs<{ hostids: string[] }>(page, "host.create", {
    host: HOST,
    groups: [{ groupid: groupids[0] }],
  });
  await callAs(page, "item.create", {
    hostid: hostids[0],
    name: "Temperature",
    key_: "temp",
    type: 2,
    value_type: 0,
  });
  await callAs(page, "trigger.create", {
    description: PROBLEM,
    expression: `last(/${HOST}/temp)>30`,
    priority: 4,
  });
  await target.send(HOST, "temp", "41");

  await page.goto(`${target.url}/`);
  await region("Hosts with problems").getByRole("link", { name: HOST, exact: true }).waitFor();
  const groups = region("Host groups with problems");
  await groups.getByRole("link", { name: GROUP, exact: true }).waitFor();
  await region("The last hour").getByRole("link", { name: PROBLEM }).waitFor();
  const changes = region("Configuration changes");
  await changes.getByText(HOST).first().waitFor();
  await changes.getByText("Admin").first().waitFor();
  await region("Notifications").getByText("No notifications").waitFor();
  await shots(page, "overview", { narrow: true, axe: true });

  // the cell leads to the problems that it counts
  await groups.getByRole("link", { name: `1 of severity High: ${GROUP}`, exact: true }).click();
  await page.waitForURL(/groups=/);
  await page.getByRole("row").filter({ hasText: PROBLEM }).waitFor();
  await page.getByText("1 problem", { exact: true }).waitFor();
  await page.getByText(GROUP, { exact: true }).waitFor();
  await page.reload();
  await page.getByRole("row").filter({ hasText: PROBLEM }).waitFor();
  await page.getByText("1 problem", { exact: true }).waitFor();
  assert.deepEqual(browser.complaints, []);
});

test("system health draws each stage, and its graphs grow", async () => {
  const { page } = browser;
  await page.goto(`${target.url}/system`);
  await page.getByRole("group", { name: "Journal", exact: true }).waitFor();
  for (const name of ["Collection", "API: calls", "Process: memory", "Shards: busy time"]) {
    await region(name)
      .getByRole("img", { name: `Chart of ${name}` })
      .or(region(name).getByRole("img", { name }))
      .first()
      .waitFor();
  }
  await region("Process: memory")
    .getByText(/resident/)
    .waitFor();
  await shots(page, "system-health", { narrow: true, axe: true });
  assert.deepEqual(browser.complaints, []);
});

test("global macros are made, changed and taken away; a secret stays secret", async () => {
  const { page } = browser;
  const name = `{$E2E_${RUN.toUpperCase()}}`;
  const secret = `{$E2E_SECRET_${RUN.toUpperCase()}}`;
  const kept = () =>
    callAs<readonly { macro: string; value?: string; type: string }[]>(page, "usermacro.get", {
      globalmacro: true,
      search: { macro: `E2E_` },
      output: "extend",
    });
  await page.goto(`${target.url}/macros`);
  await page.getByRole("button", { name: "Add macro" }).waitFor();
  const n = await page.getByRole("textbox", { name: /^Macro \d+$/ }).count();
  await press("Add macro");
  await field(`Macro ${n + 1}`).fill(name);
  await field(`Value of macro ${n + 1}`).fill("7");
  await press("Add macro");
  await field(`Macro ${n + 2}`).fill(secret);
  await page.getByRole("combobox", { name: `Type of macro ${n + 2}` }).click();
  await page.getByRole("option", { name: "Secret" }).click();
  await page.getByLabel(`Value of macro ${n + 2}`, { exact: true }).fill("s3cret");
  await shots(page, "macros", { axe: true });
  await press("Save");
  await page.getByText("Global macros saved").first().waitFor();
  assert.deepEqual(
    (await kept()).map(({ macro, value }) => [macro, value]).sort(),
    [
      [name, "7"],
      [secret, undefined],
    ].sort(),
  );

  await page.reload();
  await field("Macro 1").waitFor();
  const at = await page
    .getByRole("textbox", { name: /^Macro \d+$/ })
    .evaluateAll(
      (inputs, wanted) => inputs.findIndex((it) => (it as HTMLInputElement).value === wanted) + 1,
      name,
    );
  await field(`Value of macro ${at}`).fill("8");
  await press("Save");
  await page.getByText("Global macros saved").first().waitFor();
  const value = async () => (await kept()).find(({ macro }) => macro === name)?.value;
  await becomes(value, "8");

  await press(`Remove macro ${at}`);
  // leaving asks first
  await page.getByRole("link", { name: "Hosts", exact: true }).click();
  await page.getByRole("dialog", { name: "Leave without saving?" }).waitFor();
  await press("Stay");
  await press("Save");
  await page.waitForFunction(
    (wanted) => [...document.querySelectorAll("input")].every((it) => it.value !== wanted),
    name,
  );
  await page.getByText("Global macros saved").first().waitFor();
  // the notification may be the one of before
  await becomes(async () => (await kept()).map(({ macro }) => macro), [secret]);
  assert.deepEqual(browser.complaints, []);
});

test("a host shows its macros, their origins, and the values that they replace", async () => {
  const { page } = browser;
  const name = `{$E2E_LEVEL_${RUN.toUpperCase()}}`;
  await callAs(page, "usermacro.createglobal", { macro: name, value: "far" });
  const { hostids } = await callAs<{ hostids: string[] }>(page, "host.create", {
    host: `e2e-macros-${RUN}`,
    groups: [{ groupid: "2" }],
    macros: [{ macro: name, value: "near" }],
  });
  await page.goto(`${target.url}/hosts/${hostids[0]}/macros`);
  const row = page.getByRole("row").filter({ hasText: name });
  await row.getByText("near", { exact: true }).waitFor();
  await row.getByText("own", { exact: true }).waitFor();
  await row.getByText("global: far").waitFor();
  const community = page.getByRole("row").filter({ hasText: "{$SNMP_COMMUNITY}" });
  await community.getByRole("link", { name: "global" }).waitFor();
  await shots(page, "host-macros", { axe: true, narrow: true });
  assert.deepEqual(browser.complaints, []);
});

test("a value map is made, changed and deleted", async () => {
  const { page } = browser;
  const [host] = await callAs<readonly { hostid: string }[]>(page, "host.get", {
    filter: { host: `e2e-macros-${RUN}` },
    output: ["hostid"],
  });
  await page.goto(`${target.url}/hosts/${host?.hostid}/valuemaps`);
  await page.getByText("No value maps here").waitFor();
  await press("New value map");
  await page.getByRole("textbox", { name: /^Name( \*)?$/ }).fill("Link state");
  await field("Value 1").fill("1");
  await field("Name of value 1").fill("up");
  await press("Add mapping");
  await page.getByRole("combobox", { name: "Type of mapping 2" }).click();
  await page.getByRole("option", { name: "any other" }).click();
  await press("Create");
  await page.getByText("a name is required").waitFor();
  await field("Name of value 2").fill("down");
  await shots(page, "value-map", { axe: true });
  await press("Create");
  await page.getByRole("row").filter({ hasText: "1 → up, any other → down" }).waitFor();
  await shots(page, "value-maps");
  await page.getByRole("link", { name: "Link state" }).click();
  await press("Delete value map");
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("No value maps here").waitFor();
  assert.deepEqual(browser.complaints, []);
});

test("an expression is completed: function, host and key", async () => {
  const { page } = browser;
  const host = `e2e-macros-${RUN}`;
  const [found] = await callAs<readonly { hostid: string }[]>(page, "host.get", {
    filter: { host },
    output: ["hostid"],
  });
  const item = { hostid: found?.hostid, name: "Load", key_: "load.avg", type: 2, value_type: 0 };
  await callAs(page, "item.create", item);
  await page.goto(`${target.url}/hosts/${found?.hostid}/triggers/new`);
  const expression = page.getByRole("textbox", { name: /^Expression/ });
  const offered = page.getByRole("list", { name: "Completions" });
  const take = async (typed: string, choice: string) => {
    await expression.pressSequentially(typed);
    await offered.getByRole("button", { name: choice, exact: true }).waitFor();
    const at = (await offered.getByRole("button").allTextContents()).indexOf(choice);
    for (let n = 0; n <= at; n += 1) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Tab");
  };
  await take("las", "last");
  await take("e2e-mac", host);
  await take("loa", "load.avg");
  await page.keyboard.type(")>5");
  await becomes(() => expression.inputValue(), `last(/${host}/load.avg)>5`);
  await page.getByText("checked by the server").waitFor();
  await expression.fill("");
  assert.deepEqual(browser.complaints, []);
});

test("the page of an object shows who changed it, field by field", async () => {
  const { page } = browser;
  const [host] = await callAs<readonly { hostid: string }[]>(page, "host.get", {
    filter: { host: HOST },
    output: ["hostid"],
  });
  assert.ok(host, "the first test makes the host");
  await callAs(page, "host.update", { hostid: host.hostid, description: "first\nsecond" });
  await callAs(page, "host.update", { hostid: host.hostid, description: "first\nthird" });
  await page.goto(`${target.url}/hosts/${host.hostid}/configuration`);
  await press("Changes");
  const dialog = page.getByRole("dialog", { name: "Change history" });
  await dialog.getByText("Admin").first().waitFor();
  const newest = dialog.getByRole("listitem").first();
  await newest.filter({ hasText: /− second[\s\S]*\+ third/ }).waitFor();
  await shots(page, "change-history", { axe: true });
  await page.keyboard.press("Escape");
  assert.deepEqual(browser.complaints, []);
});

test("the page of the program lists its parts", async () => {
  const { page } = browser;
  await page.goto(`${target.url}/about`);
  await page.getByRole("link", { name: "@mantine/core" }).waitFor();
  await page.getByRole("searchbox").fill("tokio Server");
  await page.getByRole("searchbox").fill("tokio");
  await page.getByRole("row").filter({ hasText: "tokio" }).first().getByText("MIT").waitFor();
  await shots(page, "about", { narrow: true, axe: true });
  assert.deepEqual(browser.complaints, []);
});
