// A storm of problems is looked through: facets, groups, what some have in common, columns, and all acknowledged at once.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Browser, becomes, callAs, openBrowser, shots, signIn } from "./browser";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);
const SITES = ["fra", "fra", "fra", "ber"];
const HOSTS = SITES.map((_, at) => `e2e-storm-${at}-${RUN}`);

let target: Target;
let browser: Browser;

before(async () => {
  target = await openTarget({ ownHost: false });
  browser = await openBrowser();
  await signIn(browser.page, target);
});

after(async () => {
  await browser?.close();
  await target?.stop();
});

const press = (name: string) => browser.page.getByRole("button", { name, exact: true }).click();
const listMenu = async (name: RegExp) => {
  await press("List");
  await browser.page.getByRole("menuitem", { name }).click();
};

test("a storm is narrowed down, explained and acknowledged at once", async (t) => {
  if (target.send === undefined) return t.skip("no trapper address");
  const { page } = browser;
  const { groupids } = await callAs<{ groupids: string[] }>(page, "hostgroup.create", [
    { name: `E2E storm ${RUN}` },
    { name: `E2E routers ${RUN}` },
  ]);
  const { hostids } = await callAs<{ hostids: string[] }>(
    page,
    "host.create",
    HOSTS.map((host, at) => ({
      host,
      groups: (at < 3 ? groupids : groupids.slice(0, 1)).map((groupid) => ({ groupid })),
      tags: [{ tag: "site", value: SITES[at] }],
    })),
  );
  await callAs(
    page,
    "item.create",
    hostids.map((hostid) => ({ hostid, name: "Link", key_: "link", type: 2, value_type: 3 })),
  );
  await callAs(
    page,
    "trigger.create",
    HOSTS.map((host, at) => ({
      description: `Link ${at} is down ${RUN}`,
      expression: `last(/${host}/link)=0`,
      priority: at === 3 ? 2 : 4,
    })),
  );
  for (const host of HOSTS) await target.send(host, "link", "0");

  await page.goto(`${target.url}/problems?q=${RUN}`);
  await page.getByText("4 problems", { exact: true }).waitFor();

  // facets: counts of what is in the list; a click narrows it down
  await page.getByRole("switch", { name: "Facets" }).check({ force: true });
  const facets = page.getByRole("complementary", { name: "Facets" });
  await facets.getByRole("button", { name: `E2E routers ${RUN} 3` }).waitFor();
  await facets.getByRole("button", { name: "site: fra 3" }).click();
  await page.getByText("3 problems", { exact: true }).waitFor();
  await page.waitForURL(/tags=/);
  await shots(page, "problems-facets", { axe: true, narrow: true });
  await facets.getByRole("button", { name: "site: fra 3" }).click();
  await page.getByText("4 problems", { exact: true }).waitFor();

  // groups with their counts
  await page.getByRole("combobox", { name: "Group by" }).click();
  await page.getByRole("option", { name: "By severity" }).click();
  await page.getByText("High (3)", { exact: true }).waitFor();
  await page.getByText("Warning (1)", { exact: true }).waitFor();
  await page.waitForURL(/by=severity/);
  await shots(page, "problems-grouped", { axe: true });

  // a host of two groups stands in both; groups are folded by a click and by a key
  const groupBy = async (name: string) => {
    await page.getByRole("combobox", { name: "Group by" }).click();
    await page.getByRole("option", { name, exact: true }).click();
  };
  await groupBy("By host group");
  const [storm, routers] = [`E2E storm ${RUN} (4)`, `E2E routers ${RUN} (3)`];
  await page.getByRole("button", { name: storm, exact: true }).waitFor();
  const links = page.getByRole("checkbox", { name: /^Pick problem Link/ });
  const shown = async (n: number) => {
    if (n > 0) await links.nth(n - 1).waitFor();
    await links.nth(n).waitFor({ state: "detached" });
  };
  await shown(7);
  await page.getByRole("button", { name: routers, exact: true }).click();
  await shown(4);
  await shots(page, "problems-by-group", { axe: true });
  // the cursor goes past what is folded, and comes back
  const atCursor = page.locator('[role="row"][data-cursor]');
  for (const key of ["j", "j", "j", "j", "j", "k"]) await page.keyboard.press(key);
  await page.keyboard.press("x");
  await press("Update 1 problem");
  await page.keyboard.press("Escape");
  await becomes(() => atCursor.count(), 1);
  await page.keyboard.press("Shift+O");
  await shown(7);
  await page.keyboard.press("Shift+O");
  await shown(0);
  await groupBy("By tag site");
  await page.getByRole("button", { name: "site: fra (3)", exact: true }).waitFor();
  await page.getByRole("button", { name: "site: ber (1)", exact: true }).waitFor();
  await page.waitForURL(/by=tag/);
  await shots(page, "problems-by-tag", { axe: true, narrow: true });
  await page.reload();
  await page.getByRole("button", { name: "site: fra (3)", exact: true }).waitFor();
  await groupBy("Not grouped");
  await shown(4);

  // what three of the four have in common
  for (const at of [0, 1, 2]) {
    await page.getByRole("checkbox", { name: `Pick problem Link ${at} is down ${RUN}` }).check();
  }
  await listMenu(/^Common properties/);
  const common = page.getByRole("table", { name: "Common properties" });
  await common.getByRole("row").filter({ hasText: "site: fra" }).getByText("100 %").waitFor();
  await common
    .getByRole("row")
    .filter({ hasText: `E2E routers ${RUN}` })
    .waitFor();
  await common.getByRole("row").filter({ hasText: "High" }).waitFor();
  await becomes(
    () =>
      common
        .getByRole("row")
        .filter({ hasText: `E2E storm ${RUN}` })
        .count(),
    0,
  );
  await shots(page, "problems-common", { axe: true });
  await page.keyboard.press("Escape");
  await common.waitFor({ state: "detached" });

  // columns that are not wanted
  await listMenu(/^Columns/);
  await page.getByRole("dialog").getByRole("checkbox", { name: "Duration" }).uncheck();
  await press("Done");
  const header = page.getByRole("columnheader", { name: "Duration" });
  await header.waitFor({ state: "detached" });
  await page.reload();
  await page.getByText("4 problems", { exact: true }).waitFor();
  await becomes(() => header.count(), 0);

  // all of them at once
  await listMenu(/^Pick all 4/);
  await press("Update 4 problems");
  const dialog = page.getByRole("dialog");
  await shots(page, "problems-bulk", { axe: true });
  await dialog.getByRole("button", { name: /^Update/ }).click();
  await dialog.waitFor({ state: "detached" });
  await page.waitForFunction(
    () => document.querySelectorAll('[aria-label="acknowledged"]').length === 4,
  );
  const problems = await callAs<readonly { acknowledged: string }[]>(page, "problem.get", {
    hostids,
    output: ["acknowledged"],
  });
  assert.deepEqual(
    problems.map(({ acknowledged }) => acknowledged),
    ["1", "1", "1", "1"],
  );
  assert.deepEqual(browser.complaints, []);
});
