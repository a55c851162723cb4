// Journey 1, first run: an empty server, the first machine with Zabbix's own agent, its first graph. It says how long
// that took (as a diagnostic of the test): nobody stops to think here, so it is what the machines take of the three
// minutes that the page promises.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { becomes, pressUntil } from "../browser";
import { arrive, begin, enter, freePort, type Journey, pick, RUN, reach, stop } from "./journey";

const HOST = `first-${RUN}`;
const ADDRESS = "127.71.83.11";
/** What the page itself promises. */
const PROMISED_MS = 180_000;

let journey: Journey;
let startedMs = 0;
let agent: ChildProcess | undefined;
const folder = mkdtempSync(join(tmpdir(), "saker-journey-agent-"));

before(async () => {
  const from = Date.now();
  journey = await begin();
  startedMs = Date.now() - from;
});

after(async () => {
  agent?.kill("SIGTERM");
  rmSync(folder, { recursive: true, force: true });
  await journey?.end();
});

function startAgent(port: number): ChildProcess {
  const conf = join(folder, "zabbix_agentd.conf");
  const settings = {
    Hostname: HOST,
    Server: "127.0.0.0/8",
    ListenIP: ADDRESS,
    ListenPort: port,
    LogType: "console",
    PidFile: join(folder, "agentd.pid"),
    AllowRoot: 1,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(conf, lines.join(""));
  return spawn("/usr/sbin/zabbix_agentd", ["-f", "-c", conf], { stdio: "ignore" });
}

test("from an empty server to the first graph of a machine, within the promised three minutes", async (t) => {
  const { page, target, admin, browser } = journey;
  const port = await freePort(ADDRESS);
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  // pictures and axe are no part of it
  let lookedMs = 0;
  const look = async (name: string) => {
    const from = Date.now();
    await stop(page, name);
    lookedMs += Date.now() - from;
  };
  await page.goto(`${target.url}/`);
  await page.getByRole("form", { name: "Sign in" }).waitFor();
  await stop(page, "first-run-sign-in");
  const began = Date.now();
  const passed = () => Date.now() - began - lookedMs;
  await arrive(page, target.url, admin);
  await look("first-run-empty");
  await enter(page, page.getByRole("link", { name: "Monitor the first machine or device" }));

  await page.getByRole("heading", { name: "Start here", level: 1 }).waitFor();
  await reach(page, page.getByRole("textbox", { name: /^Host name/ }));
  await page.keyboard.type(HOST);
  await reach(page, page.getByRole("textbox", { name: /^IP address or DNS name/ }));
  await page.keyboard.type(ADDRESS);
  await reach(page, page.getByRole("textbox", { name: "Port", exact: true }));
  await page.keyboard.press("Control+a");
  await page.keyboard.type(String(port));
  await pick(page, /^Host groups/, "Linux servers");
  const commands = page.getByRole("region", { name: "2. On the machine" });
  await commands.getByText("Zabbix agent", { exact: true }).click();
  await commands.getByText(`Hostname=${HOST}`).waitFor();
  await look("first-run-form");

  // the commands were typed on the machine: its agent runs
  agent = startAgent(port);
  await press("Try");
  const answer = page.getByText(`Response: ${HOST}`);
  const again = page.getByRole("button", { name: "Try again" });
  await pressUntil(page, answer, again);
  // an agent that has not begun to listen yet is a refusal, which the browser reports by itself
  browser.complaints.length = 0;
  const answeredMs = passed();
  await look("first-run-answered");
  await press("Start monitoring");
  const values = page.getByRole("list", { name: "First values" });
  await values.getByRole("listitem").first().waitFor();
  const valuesMs = passed();
  await look("first-run-values");
  await enter(page, page.getByRole("link", { name: `Graphs of ${HOST}` }));
  const chart = page.getByRole("img", { name: /^Chart of/ }).first();
  await chart.locator("canvas").waitFor();
  const graphMs = passed();
  t.diagnostic(
    `server and browser ready after ${startedMs} ms; from signing in: agent answered ${answeredMs} ms, ` +
      `first value ${valuesMs} ms, first graph ${graphMs} ms`,
  );
  assert.ok(graphMs < PROMISED_MS, `it took ${graphMs} ms`);
  await look("first-run-graphs");

  // the beginning is over: the overview does not offer it any more
  await page.keyboard.press("g");
  await page.keyboard.press("o");
  await page.getByRole("group", { name: "Hosts", exact: true }).getByText("2").first().waitFor();
  await becomes(() => page.getByText("Start here").count(), 0);
  assert.deepEqual(browser.complaints, []);
});
