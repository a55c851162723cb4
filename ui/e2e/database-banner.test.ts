// What the pages say while the database does not work.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { type Browser, becomes, openBrowser, shots, signIn } from "./browser";
import { openTarget, type Target } from "./target";

const SINCE = Math.floor(Date.now() / 1000) - 90;

let target: Target;
let browser: Browser;
let page: Page;
let database: { since: number; answers_reads: boolean } | null = null;

before(async () => {
  target = await openTarget();
  browser = await openBrowser();
  page = browser.page;
  // the server's own answer, but for what it says of the database
  await page.route("**/health", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), database } });
  });
  await signIn(page, target);
});

after(async () => {
  await browser?.close();
  await target?.stop();
});

test("a database that does not answer is reported above every page, with its start, until it answers", async () => {
  const banner = page.getByRole("status").filter({ hasText: "database" });
  await page.goto(`${target.url}/problems`);
  await page.getByRole("main").waitFor();
  await becomes(() => banner.count(), 0);
  database = { since: SINCE, answers_reads: false };
  await banner.getByText("The database does not answer.").waitFor();
  const since = await banner.locator("time").getAttribute("datetime");
  assert.equal(since, new Date(SINCE * 1000).toISOString());
  await shots(page, "database-banner");
  await page.goto(`${target.url}/hosts`);
  await banner.getByText("The database does not answer.").waitFor();
  database = { since: SINCE, answers_reads: true };
  await banner.getByText("Changes cannot be saved").waitFor();
  database = null;
  await banner.waitFor({ state: "detached" });
});
