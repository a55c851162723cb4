// Maintenances in a real browser: made in the form, listed with their state, and in the calendar.

import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { type Browser, becomes, callAs, openBrowser, shots, signIn } from "./browser";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);
const HOST = `e2e-maintenance-${RUN}`;
const NOW = `Now ${RUN}`;
const NIGHTS = `Nights ${RUN}`;

let target: Target;
let browser: Browser;
let page: Page;

before(async () => {
  target = await openTarget();
  browser = await openBrowser();
  page = browser.page;
  await signIn(page, target);
  await callAs(page, "host.create", { host: HOST, groups: [{ groupid: "4" }] });
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

async function pick(label: string, text: string): Promise<void> {
  await page.getByRole("combobox", { name: label, exact: true }).fill(text);
  await page.getByRole("option", { name: text, exact: true }).click();
}

async function choose(label: string, option: string): Promise<void> {
  await page.getByRole("combobox", { name: label, exact: true }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
}

test("a maintenance that begins at once is active and in effect", async () => {
  await page.goto(`${target.url}/maintenance`);
  await press("New maintenance");
  await press("Create");
  await page.getByText("a host or a host group is required").waitFor();
  await field("Name").fill(NOW);
  await pick("Hosts", HOST);
  await press("Create");
  const row = page.getByRole("row").filter({ hasText: NOW });
  await row.getByText("Active", { exact: true }).waitFor();
  await row.getByText(/^now, until /).waitFor();
});

test("a weekly one is in the calendar of four weeks", async () => {
  await press("New maintenance");
  await field("Name").fill(NIGHTS);
  await pick("Hosts", HOST);
  await field("Active till").fill("2037-12-31 00:00");
  await choose("Repeats", "Weekly");
  await field("At").fill("22:00");
  await field("Period length").fill("2h");
  await press("Add tag");
  await field("Tag 1").fill("service");
  await shots(page, "maintenance-form", { narrow: true });
  await press("Create");
  const lane = page.getByRole("img", { name: new RegExp(`^${NIGHTS}: `) });
  await lane.waitFor();
  await shots(page, "maintenance", { narrow: true });
  await press("Four weeks later");
  await lane.waitFor();
  await becomes(() => lane.locator("rect").count(), 4);

  await page.getByRole("link", { name: NIGHTS, exact: true }).first().click();
  await becomes(() => field("Period length").inputValue(), "2h");
  await press("Cancel");
});
