// The queue page: a check that gets no answer is late, and its host the slowest.

import assert from "node:assert/strict";
import { createServer, type Server } from "node:net";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { type Browser, barriers, becomes, callAs, openBrowser, shots, signIn } from "./browser";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);

let target: Target;
let browser: Browser;
let page: Page;
let silent: Server;

before(async () => {
  target = await openTarget();
  browser = await openBrowser();
  page = browser.page;
  await signIn(page, target);
});

after(async () => {
  silent?.close();
  await browser?.close();
  await target?.stop();
});

async function silentPort(): Promise<number> {
  silent = createServer(() => undefined);
  await new Promise<void>((done) => silent.listen(0, "127.0.0.1", done));
  const address = silent.address();
  assert.ok(address !== null && typeof address === "object");
  return address.port;
}

test("a queue without anything says so once", async () => {
  await page.goto(`${target.url}/queue`);
  await page.getByText("No delays.").waitFor();
  await becomes(() => page.getByText("No delays.").count(), 1);
});

test("what is late is counted by its kind, named, and its host is the slowest", async () => {
  const port = await silentPort();
  const groups = (await callAs(page, "hostgroup.create", { name: `queue ${RUN}` })) as {
    groupids: string[];
  };
  const hosts = (await callAs(page, "host.create", {
    host: `silent ${RUN}`,
    groups: [{ groupid: groups.groupids[0] }],
  })) as { hostids: string[] };
  for (const [at, timeout] of [8, 8, 20].entries()) {
    await callAs(page, "item.create", {
      hostid: hosts.hostids[0],
      name: `Page ${at} of the shop`,
      key_: `page${at}`,
      type: 19,
      value_type: 4,
      url: `http://127.0.0.1:${port}/`,
      delay: "1s",
      timeout: `${timeout}s`,
    });
  }
  await page.goto(`${target.url}/queue`);
  const kinds = page.getByRole("region", { name: "Delays by type" });
  await kinds.getByRole("rowheader", { name: "HTTP agent" }).waitFor();
  const latest = page.getByRole("region", { name: "Most delayed items" });
  await latest.getByText("Page 2 of the shop").waitFor();
  const costs = page.getByRole("region", { name: "Cost of checks" });
  await costs.getByText(`silent ${RUN}`).first().waitFor();
  await costs.getByText("8 s").first().waitFor();
  await shots(page, "queue");
  assert.deepEqual(await barriers(page), []);
  await callAs(page, "host.delete", [hosts.hostids[0]]);
});
