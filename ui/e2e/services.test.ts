// Services in a real browser: made in the form, their status in the tree, an agreement and its report.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { type Browser, becomes, callAs, openBrowser, shots, signIn } from "./browser";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);
const HOST = `e2e-services-${RUN}`;
const SHOP = `Shop ${RUN}`;
const WEB = `Web ${RUN}`;

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

test("services are made in the form, and the tree shows what problems do to them", async () => {
  await page.goto(`${target.url}/services`);
  await press("New service");
  await press("Create");
  await page.getByText("a name is required").waitFor();
  await field("Name").fill(SHOP);
  await press("Add rule");
  await field("N of rule 1").fill("2");
  await press("Add tag");
  await field("Tag 1").fill("sla");
  await field("Value of tag 1").fill(RUN);
  await shots(page, "service-form", { narrow: true });
  await press("Create");
  await page.getByRole("link", { name: SHOP, exact: true }).waitFor();

  await page.getByRole("link", { name: `Add a child to ${SHOP}` }).click();
  await field("Name").fill(WEB);
  await press("Add problem tag");
  await field("Problem tag 1").fill("service");
  await field("Value of problem tag 1").fill(RUN);
  await press("Create");
  await page.getByRole("link", { name: WEB, exact: true }).waitFor();
  await press(`Collapse ${SHOP}`);
  await page.getByRole("link", { name: WEB, exact: true }).waitFor({ state: "detached" });
  await press(`Expand ${SHOP}`);

  await page.getByRole("link", { name: WEB, exact: true }).click();
  await becomes(() => field("Value of problem tag 1").inputValue(), RUN);
  await page.getByRole("form").getByText(SHOP, { exact: true }).first().waitFor();
  await press("Cancel");

  if (target.send === undefined) return;
  const group = await callAs<{ groupids: string[] }>(page, "hostgroup.create", {
    name: `E2E services ${RUN}`,
  });
  const host = await callAs<{ hostids: string[] }>(page, "host.create", {
    host: HOST,
    groups: [{ groupid: group.groupids[0] }],
  });
  await callAs(page, "item.create", {
    hostid: host.hostids[0],
    name: "errors",
    key_: "errors",
    type: 2,
    value_type: 3,
  });
  await callAs(page, "trigger.create", {
    description: "Too many errors",
    expression: `last(/${HOST}/errors)>10`,
    priority: 4,
    tags: [{ tag: "service", value: RUN }],
  });
  await target.send(HOST, "errors", "11");
  await page.getByRole("link", { name: "Too many errors" }).first().waitFor();
  const row = page.getByRole("row").filter({ hasText: SHOP });
  await row.getByText("High").first().waitFor();
  await shots(page, "services", { narrow: true });
  await page.getByRole("switch", { name: "Only with problems" }).click({ force: true });
  await page.getByRole("link", { name: WEB, exact: true }).waitFor();
  assert.match(page.url(), /show=problems/);
});

test("an agreement is made, and its report shows how available services were", async () => {
  await page.goto(`${target.url}/sla`);
  await press("New SLA");
  await field("Name").fill(`Gold ${RUN}`);
  await field("SLO, %").fill("x");
  await press("Create");
  await page.getByText("percent, with at most four decimal places").waitFor();
  await page.getByText("a tag is required").waitFor();
  await field("SLO, %").fill("99.5");
  await field("Tag 1").fill("sla");
  await field("Value of tag 1").fill(RUN);
  await field("Effective date").fill("2026-01-01 00:00");
  await press("Add downtime");
  await field("Name of downtime 1").fill("Move");
  await field("Beginning of downtime 1").fill("2026-02-01 08:00");
  await field("End of downtime 1").fill("2026-02-01 12:00");
  await shots(page, "sla-form", { narrow: true });
  await press("Create");
  await page.getByRole("link", { name: `Gold ${RUN}`, exact: true }).waitFor();
  await shots(page, "slas", { narrow: true });
  await page.getByRole("link", { name: `Gold ${RUN}`, exact: true }).click();
  await becomes(() => field("Beginning of downtime 1").inputValue(), "2026-02-01 08:00");
  await press("Cancel");

  await page.getByRole("link", { name: `Report of Gold ${RUN}` }).click();
  await page.getByRole("link", { name: SHOP, exact: true }).waitFor();
  await page.getByText("no time counted").first().waitFor();
  await shots(page, "sla-report", { narrow: true });
  assert.deepEqual(browser.complaints, []);
});
