// Network discovery in a real browser: a rule is made in the form, devices are found, an action of the form makes
// hosts of them.

import assert from "node:assert/strict";
import { createServer, type Server } from "node:net";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { type Browser, callAs, openBrowser, shots, signIn } from "./browser";
import { STEP_MS } from "./progress";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);
const RULE = `Lab ${RUN}`;
const ACTION = `Hosts of the lab ${RUN}`;
const FIRST = "127.71.84.10";
const SECOND = "127.71.84.11";

let target: Target;
let browser: Browser;
let page: Page;
/** What there is to find: the same port of two addresses. */
const services: Server[] = [];
let port = 0;

function listen(address: string, at: number): Promise<number> {
  const server = createServer((socket) => socket.end());
  services.push(server);
  return new Promise((done, fail) => {
    server.on("error", fail);
    server.listen(at, address, () => {
      const own = server.address();
      done(typeof own === "object" && own !== null ? own.port : 0);
    });
  });
}

before(async () => {
  port = await listen(FIRST, 0);
  await listen(SECOND, port);
  target = await openTarget();
  browser = await openBrowser();
  page = browser.page;
  await signIn(page, target);
});

after(async () => {
  await browser?.close();
  await target?.stop();
  for (const it of services) it.close();
});

const field = (name: string) => page.getByRole("textbox", { name, exact: true });

async function press(name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
}

async function choose(label: string, option: string): Promise<void> {
  await page.getByRole("combobox", { name: label, exact: true }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
}

interface Saved {
  readonly druleid: string;
  readonly iprange: string;
  readonly dchecks: readonly Readonly<Record<string, string>>[];
}

async function saved(): Promise<Saved> {
  const [rule] = await callAs<readonly Saved[]>(page, "drule.get", {
    output: "extend",
    selectDChecks: "extend",
    filter: { name: [RULE] },
  });
  assert.ok(rule, "the rule was not saved");
  return rule;
}

test("a rule is made in the form, with checks of all kinds", async () => {
  await page.goto(`${target.url}/network-discovery`);
  await page.getByText("There is no network discovery rule yet.").waitFor();
  await press("New network discovery rule");
  await press("Create");
  await page.getByText("a name is required").waitFor();
  await field("Name").fill(RULE);
  await field("IP range").fill(`${FIRST}-13`);
  await field("Update interval").fill("8d");
  await page.getByText("1 s to 1 week").waitFor();
  await field("Update interval").fill("2s");
  await choose("Type of check 1", "TCP");
  await field("Ports of check 1").fill(String(port));
  await press("Add check");
  await page.getByText("a key is required").waitFor();
  await field("Key of check 2").fill("agent.hostname");
  await press("Add check");
  await choose("Type of check 3", "SNMPv3 agent");
  await field("OID of check 3").fill("1.3.6.1.2.1.1.5.0");
  await field("User of check 3").fill("reader");
  await choose("Security level of check 3", "authPriv");
  await choose("Privacy of check 3", "AES128");
  await choose("Authentication of check 3", "SHA256");
  await page.getByLabel("Authentication passphrase of check 3").fill("for-tests-only-1");
  await page.getByLabel("Privacy passphrase of check 3").fill("for-tests-only-2");
  await press("Add check");
  await choose("Type of check 4", "ICMP ping");
  await choose("Device uniqueness criteria", 'value of Zabbix agent (10050) "agent.hostname"');
  await choose("Host name", "IP address");
  await shots(page, "network-rule-form", { narrow: true, axe: true });
  await press("Remove check 4");
  await press("Create");
  await page.getByRole("link", { name: RULE, exact: true }).waitFor();
  await shots(page, "network-rules", { narrow: true, axe: true });

  const { dchecks } = await saved();
  const kept = dchecks.map((it) => [it["type"], it["uniq"], it["host_source"]].join(" "));
  assert.deepEqual(kept, ["8 0 2", "9 1 2", "13 0 2"]);
  assert.equal(dchecks[2]?.["snmpv3_privprotocol"], "1");
});

test("a rule that is changed keeps the ids of its checks, and errors are shown at their fields", async () => {
  const before = await saved();
  await page.getByRole("link", { name: RULE, exact: true }).click();
  await press("Remove check 3");
  await field("IP range").fill("127.71.84.99-10");
  await press("Save");
  await page.getByText(/invalid address range/).waitFor();
  await field("IP range").fill(`${FIRST}-12`);
  await press("Save");
  await page.getByRole("link", { name: RULE, exact: true }).waitFor();
  const now = await saved();
  assert.equal(now.iprange, `${FIRST}-12`);
  const ids = (of: Saved) => of.dchecks.map((it) => it["dcheckid"]);
  assert.deepEqual(ids(now), ids(before).slice(0, 2));
});

test("an action for devices is made in the form, and makes hosts of what is found", async () => {
  await page.goto(`${target.url}/actions/new?source=1`);
  await field("Name").fill(ACTION);
  await press("Add condition");
  await choose("Value of condition 1", RULE);
  await press("Add condition");
  await choose("Type of condition 2", "Discovery object");
  await press("Add condition");
  await choose("Type of condition 3", "Discovery status");
  await choose("Value of condition 3", "up");
  await page.getByText(`Discovery rule equals ${RULE}`).waitFor();
  const operation = page.getByRole("group", { name: "Operations, operation 1", exact: true });
  await operation.getByRole("combobox", { name: "Type", exact: true }).click();
  await page.getByRole("option", { name: "Add host", exact: true }).click();
  await shots(page, "action-of-devices", { narrow: true });
  await press("Create");
  await page.getByText("Action saved").waitFor();

  const deadline = Date.now() + STEP_MS;
  for (;;) {
    const hosts = await callAs<readonly { host: string }[]>(page, "host.get", {
      output: ["host"],
      filter: { host: [FIRST, SECOND] },
    });
    if (hosts.length === 2) break;
    assert.ok(Date.now() < deadline, "no hosts were made");
    await new Promise((done) => setTimeout(done, 300));
  }
});

test("the page of devices shows what is up, what went down, and the hosts", async () => {
  await page.goto(`${target.url}/network-discovery`);
  await page.getByRole("link", { name: "show", exact: true }).first().click();
  await page.getByRole("link", { name: FIRST, exact: true }).waitFor();
  await page.getByRole("link", { name: SECOND, exact: true }).waitFor();
  const [, second] = services;
  await new Promise((done) => second?.close(done));
  await page.getByText(`TCP ${port} down`).waitFor();
  await shots(page, "discovered-devices", { narrow: true, axe: true });
  await choose("Status", "Down");
  await page.getByText("1 device", { exact: true }).waitFor();
  await page.getByRole("searchbox").fill("nowhere");
  await page.getByText("No device matches.").waitFor();
});

test("several rules are disabled, enabled and deleted at once", async () => {
  const names = ["one", "two", "three"].map((it) => `At once ${it} ${RUN}`);
  for (const name of names) {
    await callAs(page, "drule.create", {
      name,
      iprange: "127.71.84.200",
      delay: "1d",
      dchecks: [{ type: 8, ports: String(port) }],
    });
  }
  const statuses = async () => {
    const rows = await callAs<readonly { name: string; status: string }[]>(page, "drule.get", {
      output: ["name", "status"],
      search: { name: `At once` },
      sortfield: "name",
    });
    return rows.map(({ name, status }) => `${name.split(" ")[2]} ${status}`);
  };
  const pick = async (...picked: readonly string[]) => {
    for (const name of picked) {
      await page.getByRole("row", { name }).getByRole("checkbox", { name: "Pick" }).check();
    }
  };
  const menu = async (button: string, entry: string) => {
    await press(button);
    await page.getByRole("menuitem", { name: entry, exact: true }).click();
    // what was picked is forgotten when it is done
    if (!entry.endsWith("…")) {
      await page.getByRole("button", { name: button, exact: true }).waitFor({ state: "detached" });
    }
  };
  const [one = "", two = "", three = ""] = names;
  await page.goto(`${target.url}/network-discovery`);
  await page.getByRole("link", { name: three, exact: true }).waitFor();
  await pick(one, three);
  await press("2 rules");
  await page.getByRole("menuitem", { name: "Disable", exact: true }).waitFor();
  await shots(page, "network-rules-at-once", { narrow: true, axe: true });
  await page.keyboard.press("Escape");
  await menu("2 rules", "Disable");
  assert.deepEqual(await statuses(), ["one 1", "three 1", "two 0"]);
  await page.getByRole("switch", { name: `${one} enabled`, checked: false }).waitFor();
  await pick(one);
  await menu("1 rule", "Enable");
  assert.deepEqual(await statuses(), ["one 0", "three 1", "two 0"]);
  await pick(one, two);
  await menu("2 rules", "Delete …");
  await page
    .getByText("Devices that they discovered are deleted. Hosts created from them are kept.")
    .waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("link", { name: two, exact: true }).waitFor({ state: "detached" });
  assert.deepEqual(await statuses(), ["three 1"]);
  // the rule of the tests before is another
  await page.getByRole("link", { name: RULE, exact: true }).waitFor();
  assert.deepEqual(browser.complaints, []);
});
