// The inventory of a host: filled in by hand, turned automatic, filled by an item, found in the list of hosts.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { type Browser, becomes, callAs, openBrowser, shot, signIn } from "./browser";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);
const HOST = `inventory-${RUN}`;
const SERIAL = `SN-${RUN}`;

let target: Target;
let browser: Browser;
let page: Page;
let hostid = "";

before(async () => {
  target = await openTarget();
  browser = await openBrowser();
  page = browser.page;
  await signIn(page, target);
  const host = await call("host.create", { host: HOST, groups: [{ groupid: "2" }] });
  hostid = host["hostids"]?.[0] ?? "";
  const item = { hostid, type: 2, value_type: 4 };
  await call("item.create", [
    { ...item, name: "System", key_: "system", inventory_link: 5 },
    { ...item, name: "Full system description", key_: "system.full", inventory_link: 6 },
  ]);
});

after(async () => {
  await browser?.close();
  await target?.stop();
});

type Answer = Readonly<Record<string, readonly string[]>>;

function call(method: string, params: unknown): Promise<Answer> {
  return callAs(page, method, params);
}

async function field(label: string, text: string): Promise<void> {
  await page.getByLabel(label, { exact: true }).fill(text);
}

test("an inventory is set up, filled in and read", async () => {
  await page.goto(`${target.url}/hosts/${hostid}/inventory`);
  await page.getByRole("button", { name: "Set up" }).click();
  await field("Serial number A", SERIAL);
  await field("Notes", "Second power supply is on the shelf.\nAsk before it is restarted.");
  await field("URL A", "https://wiki.example/rack-7");
  await field("Site city", "Riga");
  await field("Site rack location", "7, units 12-14");
  await field("Primary POC name", "Anna Ozola");
  await field("Primary POC email", "anna@example.com");
  await field("Chassis", "Rack mount, 2U");
  await shot(page, "inventory-edit");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Manual, 8 fields filled").waitFor();
  const site = page.getByRole("region", { name: "Site" });
  await site.getByText("Riga", { exact: true }).waitFor();
  await page.getByRole("link", { name: "https://wiki.example/rack-7" }).waitFor();
});

test("an item fills its field, which is read-only then", async (t) => {
  if (target.send === undefined) return t.skip("no trapper address");
  await target.send(HOST, "system", "Debian GNU/Linux 12");
  await target.send(HOST, "system.full", "Linux web 6.1.0-18-amd64 #1 SMP x86_64, 4 processors");
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByText("Automatic", { exact: true }).click();
  await page.getByRole("button", { name: "Save" }).click();
  const software = page.getByRole("region", { name: "Software" });
  const filled = software.getByText("Debian GNU/Linux 12", { exact: true });
  await filled.waitFor();
  await software.getByRole("link", { name: "System", exact: true }).waitFor();
  for (const scheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await shot(page, `inventory-${scheme}`);
  }
  await page.getByRole("button", { name: "Edit" }).click();
  const os = page.getByLabel("OS", { exact: true });
  await becomes(() => os.inputValue(), "Debian GNU/Linux 12");
  assert.equal(await os.isEditable(), false);
  await shot(page, "inventory-edit-light");
  await page.emulateMedia({ colorScheme: "dark" });
  await page.getByRole("button", { name: "Cancel" }).click();
});

test("the list of hosts finds a host by a text of its inventory", async () => {
  await page.goto(`${target.url}/hosts`);
  await page.getByRole("searchbox").fill(SERIAL.toLowerCase());
  await page.getByRole("link", { name: HOST }).waitFor();
  await page.getByText("1 host", { exact: true }).waitFor();
  assert.deepEqual(browser.complaints, []);
});
