// Causes and symptoms in a real browser: ranked in the dialog, folded away in the list.

import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { type Browser, becomes, callAs, openBrowser, shots, signIn } from "./browser";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);
const HOST = `e2e-causes-${RUN}`;
const NAMES = ["Switch is down", "Web does not answer", "Mail does not answer"] as const;

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

function row(name: string) {
  return page.getByRole("row").filter({ hasText: name });
}

test("symptoms are ranked in the dialog and folded away below their cause", async () => {
  if (target.send === undefined) return;
  const group = await callAs<{ groupids: string[] }>(page, "hostgroup.create", {
    name: `E2E causes ${RUN}`,
  });
  const host = await callAs<{ hostids: string[] }>(page, "host.create", {
    host: HOST,
    groups: [{ groupid: group.groupids[0] }],
  });
  for (const [at, name] of NAMES.entries()) {
    const item = { name: `k${at}`, key_: `k${at}`, type: 2, value_type: 3 };
    await callAs(page, "item.create", { hostid: host.hostids[0], ...item });
    const expression = `last(/${HOST}/k${at})>10`;
    await callAs(page, "trigger.create", { description: name, expression, priority: 4 - at });
    await target.send(HOST, `k${at}`, "11");
  }
  await page.goto(`${target.url}/problems?q=${HOST}`);
  for (const name of NAMES) await row(name).waitFor();
  for (const name of NAMES.slice(1)) {
    await page.getByRole("checkbox", { name: `Pick problem ${name}`, exact: true }).click();
  }
  await page.getByRole("button", { name: "Update 2 problems" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox", { name: "Rank", exact: true }).click();
  await page.getByRole("option", { name: "Symptom of another problem" }).click();
  await dialog.getByRole("combobox", { name: "Its cause", exact: true }).fill("switch");
  await page.getByRole("option", { name: `${HOST}: ${NAMES[0]}` }).click();
  await shots(page, "rank-dialog", { narrow: true });
  await dialog.getByRole("button", { name: "Update", exact: true }).click();

  const fold = page.getByRole("button", { name: "2 symptoms", exact: true });
  await fold.waitFor();
  await row(NAMES[1]).waitFor({ state: "detached" });
  await shots(page, "causes-folded", { narrow: true });
  await fold.click();
  for (const name of NAMES.slice(1)) {
    await row(name).getByRole("img", { name: "symptom" }).waitFor();
  }
  await shots(page, "causes-unfolded", { narrow: true });
  await becomes(() => fold.getAttribute("aria-expanded"), "true");
});
