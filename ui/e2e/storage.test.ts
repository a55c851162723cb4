// A graph over a long time, the storage page, and the forms of housekeeping and general settings.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { type Browser, becomes, callAs, openBrowser, shots, signIn } from "./browser";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);

let target: Target;
let browser: Browser;
let page: Page;

before(async () => {
  target = await openTarget();
  browser = await openBrowser();
  page = browser.page;
  await signIn(page, target);
});

after(async () => {
  await browser?.close();
  await target?.stop();
});

function field(name: string): Locator {
  return page.getByRole("textbox", { name, exact: true });
}

async function press(name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
}

test("periods of housekeeping are saved, and the server's errors stand at their field", async () => {
  await page.goto(`${target.url}/housekeeping`);
  await field("Audit data storage period").fill("1m");
  await press("Save");
  await page.getByRole("alert").waitFor();
  await becomes(() => field("Audit data storage period").getAttribute("aria-invalid"), "true");
  await shots(page, "housekeeping");
  await field("Audit data storage period").fill("40d");
  await page.getByRole("switch", { name: "Override item history period" }).check();
  await field("History storage period").fill("14d");
  await press("Save");
  await page.getByRole("heading", { name: "Storage", exact: true }).waitFor();
  const kept = (await callAs(page, "housekeeping.get", { output: "extend" })) as Record<
    string,
    string
  >;
  assert.deepEqual(
    [kept["hk_audit"], kept["hk_history_global"], kept["hk_history"]],
    ["40d", "1", "14d"],
  );
  await page.getByText("14 days for all items").waitFor();
  await shots(page, "storage");
  await callAs(page, "housekeeping.update", { hk_history_global: 0, hk_audit: "31d" });
});

test("a general setting is saved, and leaving an edited form asks", async () => {
  await page.goto(`${target.url}/settings`);
  await field("Login attempts").fill("7");
  await page.getByRole("link", { name: "Storage", exact: true }).click();
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await shots(page, "settings");
  await press("Save");
  await page.getByRole("heading", { name: "Overview", exact: true }).waitFor();
  const kept = (await callAs(page, "settings.get", { output: ["login_attempts"] })) as Record<
    string,
    string
  >;
  assert.equal(kept["login_attempts"], "7");
  await callAs(page, "settings.update", { login_attempts: "5" });
});

test("a graph over a long time says that it is of trends", async () => {
  const group = (await callAs(page, "hostgroup.create", { name: `E2E graphs ${RUN}` })) as {
    groupids: string[];
  };
  const host = (await callAs(page, "host.create", {
    host: `e2e-graph-${RUN}`,
    groups: [{ groupid: group.groupids[0] }],
  })) as { hostids: string[] };
  const item = (await callAs(page, "item.create", {
    hostid: host.hostids[0],
    name: "Load",
    key_: "load",
    type: 2,
    value_type: 0,
  })) as { itemids: string[] };
  const now = Math.floor(Date.now() / 1000);
  const { send } = target;
  if (send === undefined) return;
  for (let at = 0; at < 60; at += 1) {
    const clock = now - 30 * 86_400 + at * 12 * 3600 + 60;
    await send(`e2e-graph-${RUN}`, "load", String(10 + 5 * Math.sin(at / 4)), clock);
  }
  const itemid = item.itemids[0] ?? "";
  await page.goto(`${target.url}/latest/graph?items=${itemid}&from=now-30d&to=now`);
  await page.getByText("Trends, history").waitFor();
  await shots(page, "graph-trends");
});
