// First run in a real browser: from an empty server to the first graph, with a real agent and a real SNMP daemon.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Browser, callAs, openBrowser, pressUntil, shots, signIn } from "./browser";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);
const AGENT_HOST = `e2e-first-${RUN}`;
const SNMP_HOST = `e2e-switch-${RUN}`;
// a loopback address of the test's own
const ADDRESS = "127.71.83.7";

let target: Target;
let browser: Browser;
/** of the SNMP daemon */
let snmpPort = 0;
const peers: ChildProcess[] = [];
const folder = mkdtempSync(join(tmpdir(), "saker-first-run-"));

before(async () => {
  target = await openTarget();
  browser = await openBrowser();
  await signIn(browser.page, target);
});

after(async () => {
  for (const peer of peers) {
    const ended = new Promise((done) => peer.once("exit", done));
    // one that has ended by itself sends nothing any more
    if (peer.exitCode === null && peer.signalCode === null && peer.kill("SIGTERM")) await ended;
  }
  rmSync(folder, { recursive: true, force: true });
  await browser?.close();
  await target?.stop();
});

function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer();
    server.on("error", fail);
    server.listen(0, ADDRESS, () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => done(port));
    });
  });
}

const field = (name: string) => browser.page.getByRole("textbox", { name, exact: true });
const press = (name: string) => browser.page.getByRole("button", { name, exact: true }).click();

async function group(name: string): Promise<void> {
  const { page } = browser;
  const picker = page.getByRole("combobox", { name: /^Host groups/ });
  await picker.fill(name);
  await page.getByRole("option", { name }).first().click();
  await page.keyboard.press("Escape");
}

test("an empty server leads to the first agent, whose answer is seen before it is monitored, and to its graph", async (t) => {
  const binary = process.env["SAKER_BIN"];
  if (binary === undefined) return t.skip("no binary with an agent");
  const { page } = browser;
  const port = await freePort();
  await page.goto(`${target.url}/`);
  await page.getByRole("link", { name: "Monitor the first machine or device" }).click();
  await page.getByRole("heading", { name: "Start here" }).waitFor();
  await press("Try");
  await page.getByRole("alert").filter({ hasText: "a name is required" }).waitFor();
  await field("Host name *").or(field("Host name")).first().fill(AGENT_HOST);
  const commands = page.getByRole("region", { name: "2. On the machine" });
  await commands.getByText(`--hostname "${AGENT_HOST}"`).waitFor();
  await page.getByLabel(/^IP address or DNS name/).fill(ADDRESS);
  await field("Port").fill(String(port));
  await group("Linux servers");
  await shots(page, "first-run", { narrow: true, axe: true });

  // nothing listens there yet: the reason is shown, nothing is lost
  await press("Try");
  await page
    .getByText(/Cannot get a value|refused/i)
    .first()
    .waitFor();
  const made = await callAs<readonly unknown[]>(page, "host.get", { filter: { host: AGENT_HOST } });
  assert.equal(made.length, 0, "nothing is saved before it is monitored");
  // the browser itself reports refused requests
  browser.complaints.length = 0;

  const args = [
    "agent",
    "--passive-listen",
    `${ADDRESS}:${port}`,
    "--passive-servers",
    "127.0.0.0/8",
  ];
  peers.push(spawn(binary, [...args, "--hostname", AGENT_HOST], { stdio: "ignore" }));
  const again = page.getByRole("button", { name: "Try again", exact: true });
  await pressUntil(page, page.getByText(`Response: ${AGENT_HOST}`), again);
  browser.complaints.length = 0;
  await shots(page, "first-run-answered", { axe: true });
  await press("Start monitoring");
  const values = page.getByRole("list", { name: "First values" });
  await values.getByRole("listitem").first().waitFor();
  await shots(page, "first-run-values", { axe: true });
  await page.getByRole("link", { name: `Graphs of ${AGENT_HOST}` }).click();
  await page
    .getByRole("img", { name: /^Chart of/ })
    .first()
    .waitFor();

  await page.getByRole("link", { name: "Configuration", exact: true }).click();
  const trial = page.getByRole("button", { name: "Test connection of interface 1" });
  await trial.click();
  await page.getByText(`Response: ${AGENT_HOST}`).waitFor();
  await shots(page, "host-test-connection");
  // what is typed is asked at, saved or not
  await field("Port").fill(String(await freePort()));
  await page.getByText(`Response: ${AGENT_HOST}`).waitFor({ state: "hidden" });
  await trial.click();
  await page
    .getByText(/Cannot get a value|refused/i)
    .first()
    .waitFor();
  browser.complaints.length = 0;
  await field("Port").fill(String(port));
  await trial.click();
  await page.getByText(`Response: ${AGENT_HOST}`).waitFor();
  assert.deepEqual(browser.complaints, []);
});

test("a device's community is tried before it is monitored", async () => {
  const { page } = browser;
  const port = await freePort();
  snmpPort = port;
  const conf = join(folder, "snmpd.conf");
  writeFileSync(conf, "rocommunity guessed\nsysDescr E2E switch\n");
  const args = ["-f", "-Lf", "/dev/null", "-C", "-c", conf, "-p", join(folder, "pid")];
  peers.push(
    spawn("/usr/sbin/snmpd", [...args, `udp:${ADDRESS}:${port}`], {
      stdio: "ignore",
      env: { ...process.env, SNMP_PERSISTENT_DIR: folder },
    }),
  );
  await page.goto(`${target.url}/start?way=snmp`);
  await field("Host name *").or(field("Host name")).first().fill(SNMP_HOST);
  await page.getByLabel(/^IP address or DNS name/).fill(ADDRESS);
  await field("Port").fill(String(port));
  await group("Linux servers");
  await press("Try");
  await page
    .getByText(/timed out|no answer|Cannot get a value/i)
    .first()
    .waitFor();
  await shots(page, "first-run-snmp", { axe: true });
  await field("Community").fill("guessed");
  await press("Try again");
  await page.getByText("Response: E2E switch").waitFor();
  await press("Start monitoring");
  await page.getByRole("region", { name: "First values" }).waitFor();

  const [host] = await callAs<readonly { hostid: string; parentTemplates: { name: string }[] }[]>(
    page,
    "host.get",
    { filter: { host: SNMP_HOST }, output: ["hostid"], selectParentTemplates: ["name"] },
  );
  assert.deepEqual(
    host?.parentTemplates.map(({ name }) => name),
    ["Generic SNMP"],
  );
  browser.complaints.length = 0;
});

test("an interface of a host that is not saved is tried with the macros of its form", async () => {
  const { page } = browser;
  await page.goto(`${target.url}/hosts/new`);
  await page.getByRole("button", { name: "Add SNMP interface" }).click();
  await field("IP address").last().fill(ADDRESS);
  await field("Port").last().fill(String(snmpPort));
  await page.getByRole("button", { name: "Add macro" }).click();
  await page.getByRole("textbox", { name: "Macro 1", exact: true }).fill("{$SNMP_COMMUNITY}");
  const value = page.getByRole("textbox", { name: "Value of macro 1", exact: true });
  await value.fill("guessed");
  const trial = page.getByRole("button", { name: /^Test connection of interface/ }).last();
  await trial.click();
  await page.getByText("Response: E2E switch").waitFor();
  await shots(page, "host-new-test-connection", { axe: true });
  assert.deepEqual(browser.complaints, []);
  // an answer is of what was asked: another community has none yet
  await value.fill("wrong");
  await page.getByText("Response: E2E switch").waitFor({ state: "hidden" });
  assert.deepEqual(browser.complaints, []);
});
