// Tables of values: numbers and texts of a time, searched, opened and taken away.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { type Browser, callAs, openBrowser, shots, signIn } from "./browser";
import { STEP_MS } from "./progress";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);
const HOST = `values-${RUN}`;

let target: Target;
let browser: Browser;
let page: Page;
let hostid = "";

type Answer = Readonly<Record<string, readonly string[]>>;

async function send(key: string, value: string, clock: number): Promise<void> {
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
  const call = (method: string, params: unknown) => callAs<Answer>(page, method, params);
  const [groupid] = (await call("hostgroup.create", { name: `Values ${RUN}` }))["groupids"] ?? [];
  const host = await call("host.create", { host: HOST, groups: [{ groupid }] });
  hostid = host["hostids"]?.[0] ?? "";
  await call("item.create", [
    { hostid, type: 2, name: "Traffic", key_: "bytes", value_type: 3, units: "B" },
    { hostid, type: 2, name: "Messages", key_: "messages", value_type: 2 },
  ]);
  if (target.send === undefined) return;
  const end = Math.floor(Date.now() / 1000);
  for (let at = 0; at < 40; at += 1) {
    const clock = end - (40 - at) * 60;
    await send("bytes", String(1024 * (at + 1)), clock);
    await send("messages", at === 20 ? "disk sdb failed\nsecond line" : `all is well ${at}`, clock);
  }
});

after(async () => {
  await browser?.close();
  await target?.stop();
});

test("values of picked items are one table, newest first, searched and opened", async (t) => {
  if (target.send === undefined) return t.skip("no trapper address");
  await page.goto(`${target.url}/latest?hosts=${hostid}`);
  await page.getByRole("checkbox", { name: "Pick all" }).click();
  await page.getByRole("link", { name: "Values (2)" }).click();
  await page.getByText("80 values").waitFor();
  const table = page.getByRole("table", { name: "Values" });
  await table.getByRole("row").filter({ hasText: "40 KB" }).first().waitFor();
  await shots(page, "history", { axe: true, narrow: true });
  await page.getByRole("searchbox", { name: "Search values" }).fill("SDB");
  await page.waitForURL(/q=SDB/);
  await page.getByText("1 value", { exact: true }).waitFor();
  await table.getByText("disk sdb failed").click();
  const whole = page.getByRole("complementary");
  await whole.getByText("second line").waitFor();
});

test("they are taken away as CSV, as they are stored", async (t) => {
  if (target.send === undefined) return t.skip("no trapper address");
  await page.getByRole("searchbox", { name: "Search values" }).fill("10 KB");
  await page.getByText("1 value", { exact: true }).waitFor();
  await page.getByRole("table", { name: "Values" }).getByText("10 KB").waitFor();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV" }).click();
  const text = readFileSync(await (await download).path(), "utf8");
  assert.match(text, new RegExp(`"${HOST}","Traffic","10240"\r\n$`));
});

test("history and trends of an item are cleared, those of others stay", async (t) => {
  if (target.send === undefined) return t.skip("no trapper address");
  const items = await callAs<readonly { itemid: string; key_: string }[]>(page, "item.get", {
    hostids: [hostid],
    output: ["itemid", "key_"],
    sortfield: "key_",
  });
  const [bytes = "", messages = ""] = items.map(({ itemid }) => itemid);
  const stored = async (itemid: string, history: number) =>
    (await callAs<readonly unknown[]>(page, "history.get", { itemids: [itemid], history })).length;
  assert.deepEqual([await stored(bytes, 3), await stored(messages, 2)], [40, 40]);
  await page.goto(`${target.url}/hosts/${hostid}/items/${bytes}`);
  await page.getByRole("button", { name: "Clear history and trends", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("This cannot be undone.").waitFor();
  await shots(page, "item-clear", { narrow: true, axe: true });
  await dialog.getByRole("button", { name: "Cancel" }).click();
  assert.equal(await stored(bytes, 3), 40);
  await page.getByRole("button", { name: "Clear history and trends", exact: true }).click();
  await dialog.getByRole("button", { name: "Clear", exact: true }).click();
  await page.getByText("History and trends are deleted").first().waitFor();
  assert.deepEqual([await stored(bytes, 3), await stored(messages, 2)], [0, 40]);

  // picked in the list, together
  await page.goto(`${target.url}/hosts/${hostid}/items`);
  await page.getByRole("checkbox", { name: "Pick all" }).click();
  await page.getByRole("button", { name: "2 items", exact: true }).click();
  await page.getByRole("menuitem", { name: "Clear history and trends …" }).click();
  await page.getByText("Clear history and trends of 2 items?").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Clear", exact: true }).click();
  await page.getByText("History and trends are deleted").last().waitFor();
  await page.getByRole("button", { name: "2 items", exact: true }).waitFor({ state: "detached" });
  assert.deepEqual([await stored(bytes, 3), await stored(messages, 2)], [0, 0]);

  // what comes now is kept
  await send("bytes", "512", Math.floor(Date.now() / 1000));
  const deadline = Date.now() + STEP_MS;
  while ((await stored(bytes, 3)) !== 1) {
    assert.ok(Date.now() < deadline, "the value is not stored");
    await new Promise((done) => setTimeout(done, 100));
  }
});

test("nothing complained", () => {
  assert.deepEqual(browser.complaints, []);
});
