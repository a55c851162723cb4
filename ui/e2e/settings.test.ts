// Where Saker's own behaviour is set, in a real browser: storm digests, flapping and time-outs, quiet hours, parents of
// a host. What is filled in is there again after a reload, and refusals of the server are shown at their fields.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { atRest, type Browser, becomes, callAs, openBrowser, shots, signIn } from "./browser";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);
const CORE = `e2e-core-${RUN}`;
const FLOOR = `e2e-floor-${RUN}`;
const NIGHTS = "1-7,22:00-24:00;1-7,00:00-07:00";

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

function group(name: string): Locator {
  return page.getByRole("group", { name, exact: true });
}

function field(of: string, name: string): Locator {
  return group(of).getByRole("textbox", { name, exact: true });
}

async function press(name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
}

/** Fills fields of a section in. */
async function fill(of: string, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(values)) await field(of, name).fill(value);
}

/** Asserts what stands in fields of a section. */
async function holds(of: string, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    await field(of, name).waitFor();
    await becomes(() => field(of, name).inputValue(), value, `${of}: ${name}`);
  }
}

/** Saves, and sees that this field, and no other, has an error. */
async function refused(wrong: Locator, message: string): Promise<void> {
  await press("Save");
  await page.getByRole("alert").waitFor();
  await becomes(() => page.locator("[aria-invalid=true]").count(), 1);
  await becomes(() => wrong.getAttribute("aria-invalid"), "true");
  const described = (await wrong.getAttribute("aria-describedby")) ?? "";
  const texts = described
    .split(/\s+/)
    .filter(Boolean)
    .map((id) => page.locator(`[id="${id}"]`).textContent());
  assert.ok((await Promise.all(texts)).includes(message), `${described} does not say ${message}`);
}

const SETTINGS = {
  Flapping: { Changes: "6", "Period, 1m to 30m": "5m" },
  "Storm digest": {
    Messages: "20",
    "Within, 10s to 1h": "2m",
    "Interval of digests, 10s to 1d": "15m",
  },
  "Timeouts for item types": { "External check": "30s", "SSH agent": "{$SSH.TIMEOUT}" },
} as const;

test("storm digests, flapping and time-outs are kept, and an error stands at its field", async () => {
  const names = [
    ...["flapping_changes", "flapping_period", "timeout_external_check", "timeout_ssh_agent"],
    ...["digest_messages", "digest_period", "digest_interval"],
  ];
  const before = await callAs<Record<string, string>>(page, "settings.get", { output: names });
  await page.goto(`${target.url}/settings`);
  for (const [of, values] of Object.entries(SETTINGS)) await fill(of, values);
  const digest = "Storm digest";
  const interval = field(digest, "Interval of digests, 10s to 1d");
  await interval.fill("2d");
  await refused(interval, "value must be one of 10-86400");
  await group(digest).scrollIntoViewIfNeeded();
  await shots(page, "settings-refused", { axe: true });
  await interval.fill("15m");
  await becomes(() => interval.getAttribute("aria-invalid"), null);
  await fill(digest, { Messages: "1001" });
  await refused(field(digest, "Messages"), "value must be one of 0-1000");
  await fill(digest, { Messages: "20" });
  const timeout = field("Timeouts for item types", "External check");
  await timeout.fill("11m");
  await refused(timeout, "value must be one of 1-600");
  await timeout.fill("30s");
  await press("Save");
  await page.getByRole("heading", { name: "Overview", exact: true }).waitFor();

  await page.goto(`${target.url}/settings`);
  await page.reload();
  for (const [of, values] of Object.entries(SETTINGS)) await holds(of, values);
  await group(digest).scrollIntoViewIfNeeded();
  await shots(page, "settings-kept", { narrow: true });
  await callAs(page, "settings.update", before);
});

test("quiet hours are kept, and errors are shown at their media", async () => {
  const webhook = { type: 4, script: "return value;", status: 1 };
  const made = await callAs<{ mediatypeids: string[] }>(page, "mediatype.create", [
    { name: `Chat ${RUN}`, ...webhook },
  ]);
  await page.goto(`${target.url}/media`);
  await page.getByRole("form", { name: "My media" }).waitFor();
  await atRest(page);
  const n = (await page.getByRole("group", { name: /^Media \d+$/ }).count()) + 1;
  await press("Add media");
  await press("Add media");
  const [first, second] = [`Media ${n}`, `Media ${n + 1}`];
  for (const of of [first, second]) {
    await group(of).getByRole("combobox", { name: "Type" }).click();
    await page.getByRole("option", { name: `Chat ${RUN} (disabled)` }).click();
  }
  await fill(first, { "Send to": "#ops" });
  await press("Save");
  await group(second).getByText("an address is required").waitFor();
  await becomes(() => group(first).getByText("an address is required").count(), 0);
  await fill(second, { "Send to": "#night", "Quiet hours": "22:00-07:00" });
  await refused(field(second, "Quiet hours"), "a time period is expected");
  await shots(page, "media-refused", { axe: true });
  await fill(second, { "Quiet hours": NIGHTS, "When active": "1-8,00:00-24:00" });
  await refused(field(second, "When active"), "a time period is expected");
  await fill(second, { "When active": "1-7,00:00-24:00" });
  await group(second).getByRole("combobox", { name: "Send in quiet hours" }).click();
  await page.getByRole("option", { name: "Disaster", exact: true }).click();
  await press("Save");
  await page.getByRole("form", { name: "My media" }).waitFor({ state: "detached" });

  await page.goto(`${target.url}/media`);
  await page.reload();
  await holds(first, { "Send to": "#ops", "Quiet hours": "" });
  await holds(second, { "Send to": "#night", "Quiet hours": NIGHTS });
  const severity = group(second).getByRole("combobox", { name: "Send in quiet hours" });
  await becomes(() => severity.inputValue(), "Disaster");
  await shots(page, "media-kept", { narrow: true });
  await callAs(page, "mediatype.delete", made.mediatypeids);
});

test("parents of a host are kept, and a circle of them is reported at their field", async () => {
  const host = (name: string) => ({ host: name, groups: [{ groupid: "4" }] });
  const { hostids } = await callAs<{ hostids: string[] }>(page, "host.create", [
    host(CORE),
    host(FLOOR),
  ]);
  const [core, floor] = hostids;
  const parents = group("Parents").getByRole("combobox", { name: "Parents" });
  const pick = async (name: string) => {
    await parents.fill(name);
    await page.getByRole("option", { name, exact: true }).click();
    await page.keyboard.press("Escape");
  };
  await page.goto(`${target.url}/hosts/${floor}/configuration`);
  await pick(CORE);
  await press("Save");
  await page.getByRole("form", { name: "Host" }).waitFor({ state: "detached" });
  await page.goto(`${target.url}/hosts/${floor}/configuration`);
  await page.reload();
  await group("Parents").getByText(CORE, { exact: true }).waitFor();
  await shots(page, "host-parents", { narrow: true });

  await page.goto(`${target.url}/hosts/${core}/configuration`);
  await pick(FLOOR);
  const way = `"${CORE}" is behind "${FLOOR}" is behind "${CORE}"`;
  await refused(parents, `a host cannot be behind itself: ${way}`);
  await shots(page, "host-parents-refused", { axe: true });
  await press("Cancel");
  await callAs(page, "host.delete", hostids);
});
