// Every time says which zone it is in: pickers, axes, forms, and what "default" means for a user.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { type Browser, barriers, becomes, callAs, openBrowser, shots, signIn } from "./browser";
import { openTarget, type Target } from "./target";

const HOST = "zones-01";
const SERVER = "Europe/Riga";
const OWN = "Asia/Tokyo";

let target: Target;
let browser: Browser;
let page: Page;
let hostid = "";
let itemid = "";

before(async () => {
  // the server's zone is another one than the browser's
  const { TZ: own } = process.env;
  process.env["TZ"] = SERVER;
  target = await openTarget();
  if (own === undefined) delete process.env["TZ"];
  else process.env["TZ"] = own;
  browser = await openBrowser();
  page = browser.page;
  await signIn(page, target);
  const [group] = await callAs<readonly { groupid: string }[]>(page, "hostgroup.get", { limit: 1 });
  const hosts = await callAs<{ hostids: string[] }>(page, "host.create", {
    host: HOST,
    groups: [{ groupid: group?.groupid }],
  });
  hostid = hosts.hostids[0] ?? "";
  const item = { hostid, name: "Load", key_: "load", type: 2, value_type: 0 };
  itemid = (await callAs<{ itemids: string[] }>(page, "item.create", item)).itemids[0] ?? "";
});

after(async () => {
  await browser?.close();
  await target?.stop();
});

const zoneField = () => page.getByRole("combobox", { name: "Time zone", exact: true });

test("the profile says in words what the default is, for pages and for messages", async () => {
  const own = await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
  await page.goto(`${target.url}/profile`);
  await page
    .getByText(`For times on the pages. Messages use the time zone of the server, ${SERVER}.`)
    .waitFor();
  await becomes(() => zoneField().inputValue(), `Browser time (${own})`);
  await shots(page, "zones-profile", { axe: true });
  await zoneField().fill(OWN);
  await page.getByRole("option", { name: OWN, exact: true }).click();
  await page.getByText("For times on the pages, quiet hours and messages.").waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Profile saved").waitFor();
});

test("pickers of time and axes of graphs name the zone", async (t) => {
  if (target.send === undefined) return t.skip("no trapper address");
  for (const value of ["1", "2", "3"]) await target.send(HOST, "load", value);
  await page.goto(`${target.url}/latest/graph?items=${itemid}`);
  const picker = page.getByRole("group", { name: "Time range" });
  await picker.getByText(OWN, { exact: true }).waitFor();
  await page.locator("main [role=img] [data-zone]").first().waitFor();
  await becomes(() => page.locator("main [role=img] [data-zone]").first().textContent(), "UTC+9");
  await shots(page, "zones-graph", { narrow: true });
  await picker.getByRole("button", { name: /Custom time range/ }).click();
  await page.getByText(`Times are in ${OWN} (UTC+9).`).waitFor();
  assert.deepEqual(await barriers(page), []);
});

test("a maintenance has all of its times in the server's zone", async () => {
  const since = Date.parse("2026-01-05T07:00:00Z") / 1000;
  const { maintenanceids } = await callAs<{ maintenanceids: string[] }>(
    page,
    "maintenance.create",
    {
      name: "Move",
      active_since: since,
      active_till: since + 86_400,
      hosts: [{ hostid }],
      timeperiods: [{ timeperiod_type: 0, start_date: since, period: 3600 }],
    },
  );
  await page.goto(`${target.url}/maintenance/${maintenanceids[0]}`);
  const field = (name: string) => page.getByRole("textbox", { name, exact: true });
  await field("Active since").waitFor();
  await becomes(() => field("Active since").inputValue(), "2026-01-05 09:00");
  await becomes(() => field("Start").inputValue(), "2026-01-05 09:00");
  const hint = page.getByText(`All times are in the server's time zone, ${SERVER}`);
  await hint.first().waitFor();
  await shots(page, "zones-maintenance", { axe: true });
  await field("Active till").fill("2026-01-05 12:00");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Maintenance saved").waitFor();
  const [saved] = await callAs<readonly { active_till: string }[]>(page, "maintenance.get", {
    maintenanceids,
    output: ["active_till"],
  });
  assert.equal(Number(saved?.active_till), Date.parse("2026-01-05T10:00:00Z") / 1000);
});

test("nothing broke the policy or failed unseen on the way", () => {
  assert.deepEqual(browser.complaints, []);
});
