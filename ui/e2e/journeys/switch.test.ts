// Journey 6, a switch is added: a form with an SNMP interface, its connection tested, a template, its first values.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { arrive, begin, freePort, type Journey, jump, pick, RUN, reach, stop } from "./journey";

const HOST = `access-switch-${RUN}`;
const ADDRESS = "127.71.83.16";
const COMMUNITY = "floor2";
const DESCRIPTION = "Journey switch, 48 ports";
/** The template asks once a minute or more rarely. */

let journey: Journey;
let device: ChildProcess | undefined;
let port = 0;
const folder = mkdtempSync(join(tmpdir(), "saker-journey-snmpd-"));

before(async () => {
  journey = await begin();
  port = await freePort(ADDRESS);
  const conf = join(folder, "snmpd.conf");
  writeFileSync(conf, `rocommunity ${COMMUNITY}\nsysDescr ${DESCRIPTION}\nsysName ${HOST}\n`);
  const args = ["-f", "-Lf", "/dev/null", "-C", "-c", conf, "-p", join(folder, "pid")];
  device = spawn("/usr/sbin/snmpd", [...args, `udp:${ADDRESS}:${port}`], {
    stdio: "ignore",
    env: { ...process.env, SNMP_PERSISTENT_DIR: folder },
  });
});

after(async () => {
  await journey?.end();
  if (device !== undefined && device.exitCode === null) {
    device.kill("SIGTERM");
    // it writes what it keeps before it ends
    await once(device, "exit");
  }
  rmSync(folder, { recursive: true, force: true });
});

test("a switch is added with a template; a wrong community is noticed by a test, and the values come", async () => {
  const { page, target, admin, browser } = journey;
  await arrive(page, target.url, admin);
  await jump(page, "New host");
  await page.getByRole("heading", { name: "New host", level: 1 }).waitFor();
  await reach(page, page.getByRole("textbox", { name: /^Host name/ }));
  await page.keyboard.type(HOST);
  await pick(page, /^Host groups/, "Linux servers");
  await page.getByRole("button", { name: "Add SNMP interface" }).press("Enter");
  const at = page.getByRole("group", { name: "Interface 1" });
  await reach(page, at.getByLabel("IP address"));
  await page.keyboard.type(ADDRESS);
  await reach(page, at.getByLabel("Port"));
  await page.keyboard.press("Control+a");
  await page.keyboard.type(String(port));
  await reach(page, at.getByLabel("Community"));
  await page.keyboard.press("Control+a");
  await page.keyboard.type("public");
  await pick(page, /^Link templates/, "Generic SNMP");
  await stop(page, "switch-form");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  const tabs = page.getByRole("navigation", { name: `Host ${HOST}` });
  await tabs.waitFor();
  await stop(page, "switch-created");

  // the community was wrong: a test says so before anybody waits for values
  await tabs.getByRole("link", { name: "Configuration" }).press("Enter");
  const trial = page.getByRole("button", { name: "Test connection of interface 1" });
  await trial.press("Enter");
  // the exchange below it says so too
  const refusal = at.getByText(/timed out|no answer|Cannot get a value/i).first();
  await refusal.waitFor();
  // the browser reports the refusal by itself
  browser.complaints.length = 0;
  await stop(page, "switch-refused");
  await at.getByLabel("Community").fill(COMMUNITY);
  // what is typed is tried before it is saved
  await trial.press("Enter");
  await at.getByText(`Response: ${DESCRIPTION}`).waitFor();
  await stop(page, "switch-answers");
  await page.getByRole("button", { name: "Save", exact: true }).press("Enter");
  await page.waitForURL(/\/overview/);

  // its first values, on the page where they stay
  await tabs.getByRole("link", { name: "Overview" }).press("Enter");
  const main = page.getByRole("main");
  await main.getByText(DESCRIPTION).first().waitFor();
  await stop(page, "switch-values");
  await tabs.getByRole("link", { name: "Latest data" }).press("Enter");
  await page.getByRole("row").filter({ hasText: DESCRIPTION }).first().waitFor();
  await stop(page, "switch-latest");
  assert.deepEqual(browser.complaints, []);
});
