// Web scenarios: one is made in its form, runs against a server of the test's own, and failures are shown.

import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { type Browser, barriers, callAs, openBrowser, shots, signIn } from "./browser";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);

let target: Target;
let browser: Browser;
let page: Page;
let shop: Server;
let port = 0;

before(async () => {
  target = await openTarget();
  browser = await openBrowser();
  page = browser.page;
  await signIn(page, target);
  shop = createServer((request, response) => {
    const isFound = request.url === "/" || request.url === "/login";
    response.writeHead(isFound ? 200 : 404);
    response.end(isFound ? `token=f00 ${request.method}` : "nothing here");
  });
  await new Promise<void>((done) => shop.listen(0, "127.0.0.1", done));
  const address = shop.address();
  assert.ok(address !== null && typeof address === "object");
  port = address.port;
});

after(async () => {
  shop?.close();
  await browser?.close();
  await target?.stop();
});

test("a scenario is made, runs, and shows which step fails and why", async () => {
  const groups = (await callAs(page, "hostgroup.create", { name: `web ${RUN}` })) as {
    groupids: string[];
  };
  const hosts = (await callAs(page, "host.create", {
    host: `shop ${RUN}`,
    groups: [{ groupid: groups.groupids[0] }],
  })) as { hostids: string[] };
  const hostid = hosts.hostids[0] ?? "";
  await page.goto(`${target.url}/hosts/${hostid}/web`);
  await page.getByText("No web scenarios here").waitFor();
  await page.getByRole("button", { name: "New web scenario" }).click();
  const field = (name: string) => page.getByRole("textbox", { name, exact: true });
  await field("Name").fill("Buy a book");
  await field("Update interval").fill("1h");
  const first = page.getByRole("group", { name: "Step 1" });
  await first.getByRole("textbox", { name: "Name of the step" }).fill("Front page");
  await first.getByRole("textbox", { name: "URL" }).fill(`http://127.0.0.1:${port}/`);
  await first.getByRole("textbox", { name: "Required pattern" }).fill("token=\\w+");
  await page.getByRole("button", { name: "Add step" }).click();
  const second = page.getByRole("group", { name: "Step 2" });
  await second.getByRole("textbox", { name: "Name of the step" }).fill("Checkout");
  await second.getByRole("textbox", { name: "URL" }).fill(`http://127.0.0.1:${port}/checkout`);
  await shots(page, "web-form");
  assert.deepEqual(await barriers(page), []);
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByRole("link", { name: "Buy a book" }).waitFor();
  const found = (await callAs(page, "httptest.get", { hostids: [hostid] })) as {
    httptestid: string;
  }[];
  await callAs(page, "task.create", [{ type: 6, request: { itemid: found[0]?.httptestid } }]);
  await page.getByText("Step 2 of 2 failed: Checkout").waitFor();
  await shots(page, "web-host");
  await page.getByRole("link", { name: "Buy a book" }).click();
  await field("Name").waitFor();
  await second.getByRole("textbox", { name: "URL" }).fill(`http://127.0.0.1:${port}/login`);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("link", { name: "Buy a book" }).waitFor();
  await callAs(page, "task.create", [{ type: 6, request: { itemid: found[0]?.httptestid } }]);
  await page.goto(`${target.url}/web`);
  await page.getByRole("link", { name: "Buy a book" }).waitFor();
  await page.getByText("OK", { exact: true }).first().waitFor();
  await shots(page, "web");
  await callAs(page, "host.delete", [hostid]);
});
