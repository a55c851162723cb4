// Scripts started from the pages of a host and of a problem in a real browser.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Browser, becomes, callAs, openBrowser, shots, signIn } from "./browser";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);
const HOST = `e2e-scripts-${RUN}`;
const NAMES = { host: `Greet ${RUN}`, event: `About ${RUN}`, url: `Wiki ${RUN}` } as const;

let target: Target;
let browser: Browser;
let hostid = "";

before(async () => {
  target = await openTarget();
  browser = await openBrowser();
  await signIn(browser.page, target);
});

after(async () => {
  await browser?.close();
  await target?.stop();
});

async function choose(name: string): Promise<void> {
  await browser.page.getByRole("button", { name: "Scripts", exact: true }).click();
  await browser.page.getByRole("menuitem", { name, exact: true }).click();
}

test("a script is started on a host, asks for its input, and shows what it printed", async () => {
  const { page } = browser;
  const group = await callAs<{ groupids: string[] }>(page, "hostgroup.create", {
    name: `E2E scripts ${RUN}`,
  });
  const host = await callAs<{ hostids: string[] }>(page, "host.create", {
    host: HOST,
    groups: [{ groupid: group.groupids[0] }],
  });
  hostid = host.hostids[0] ?? "";
  const webhook = { type: 5, command: "return 'Hello ' + JSON.parse(value).who;" };
  await callAs(page, "script.create", {
    ...webhook,
    name: NAMES.host,
    scope: 2,
    menu_path: "E2E/Tests",
    parameters: [{ name: "who", value: "{HOST.HOST} {MANUALINPUT}" }],
    confirmation: "Greet {HOST.HOST}?",
    manualinput: 1,
    manualinput_prompt: "From whom",
    manualinput_validator: "^[a-z]+$",
  });
  await callAs(page, "script.create", {
    ...webhook,
    name: NAMES.event,
    scope: 4,
    parameters: [{ name: "who", value: "{EVENT.NAME}" }],
  });
  await callAs(page, "script.create", {
    name: NAMES.url,
    scope: 2,
    type: 6,
    url: "https://wiki.example/{HOST.HOST}",
  });

  await page.goto(`${target.url}/hosts/${hostid}/items`);
  await page.getByRole("button", { name: "Scripts", exact: true }).click();
  await page.getByText("E2E / Tests").waitFor();
  await shots(browser.page, "scripts-menu");
  await page.getByRole("menuitem", { name: NAMES.host, exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(`Greet ${HOST}?`).waitFor();
  await dialog.getByRole("textbox", { name: "From whom" }).fill("a;b");
  await dialog.getByText("this does not match ^[a-z]+$").waitFor();
  await dialog.getByRole("textbox", { name: "From whom" }).fill("ann");
  await dialog.getByRole("button", { name: "Execute" }).click();
  await dialog.getByText(`Hello ${HOST} ann`).waitFor();
  await shots(browser.page, "script-output");
  await dialog.getByRole("button", { name: "Close", exact: true }).last().click();

  await choose(NAMES.url);
  await dialog.getByRole("button", { name: "Get the URL" }).click();
  await dialog.getByRole("link", { name: `https://wiki.example/${HOST}` }).waitFor();
  await page.keyboard.press("Escape");
});

test("a problem has its own scripts, and those of its host", async () => {
  if (target.send === undefined) return;
  const { page } = browser;
  const item = { name: "k", key_: "k", type: 2, value_type: 3 };
  await callAs(page, "item.create", { hostid, ...item });
  const expression = `last(/${HOST}/k)>10`;
  await callAs(page, "trigger.create", { description: "Too much", expression, priority: 3 });
  await target.send(HOST, "k", "11");
  await page.goto(`${target.url}/problems?q=${HOST}`);
  await page.getByRole("row").filter({ hasText: "Too much" }).getByText("Too much").click();
  await page.getByRole("button", { name: "Scripts", exact: true }).click();
  await page.getByText("On the host").waitFor();
  await page.getByRole("menuitem", { name: NAMES.host, exact: true }).waitFor();
  await page.getByRole("menuitem", { name: NAMES.event, exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Execute" }).click();
  await dialog.getByText("Hello Too much").waitFor();
  await shots(browser.page, "script-problem");
  assert.deepEqual(browser.complaints, []);
});

test("a script is written in the form", async () => {
  const { page } = browser;
  await page.goto(`${target.url}/scripts`);
  await page.getByRole("link", { name: NAMES.host, exact: true }).waitFor();
  await shots(browser.page, "scripts");
  await page.getByRole("button", { name: "New script" }).click();
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByText("this is required").first().waitFor();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill(`Ping ${RUN}`);
  await page.getByRole("textbox", { name: "Command", exact: true }).fill("ping -c1 {HOST.CONN}");
  await shots(browser.page, "script-form");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByRole("link", { name: `Ping ${RUN}`, exact: true }).click();
  const command = page.getByRole("textbox", { name: "Command", exact: true });
  await becomes(() => command.inputValue(), "ping -c1 {HOST.CONN}");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("link", { name: `Ping ${RUN}`, exact: true }).waitFor();
  assert.deepEqual(browser.complaints, []);
});
