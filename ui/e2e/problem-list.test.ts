// The list of problems as a whole in a real browser: a bulk update with preview and undo, views, export, and the
// symptoms of a cause by keyboard.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { answered, type Browser, becomes, callAs, openBrowser, shots, signIn } from "./browser";
import { STEP_MS } from "./progress";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);
const HOST = `e2e-list-${RUN}`;
const NAMES = ["=Switch is down", "Web does not answer", "Mail does not answer"] as const;

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

function row(name: string) {
  return page.getByRole("row").filter({ hasText: name });
}

async function menu(item: string | RegExp): Promise<void> {
  await page.getByRole("button", { name: "List", exact: true }).click();
  await page.getByRole("menuitem", { name: item }).click();
}

interface Known {
  readonly eventid: string;
  readonly name: string;
  readonly acknowledged: string;
  readonly severity: string;
}

async function known(): Promise<ReadonlyMap<string, Known>> {
  const problems = await callAs<readonly Known[]>(page, "problem.get", {
    output: ["eventid", "name", "acknowledged", "severity"],
    search: { name: "" },
    recent: false,
  });
  return new Map(problems.filter((it) => isOurs(it.name)).map((it) => [it.name, it]));
}

function isOurs(name: string): boolean {
  return (NAMES as readonly string[]).includes(name);
}

async function until(what: string, is: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + STEP_MS;
  while (!(await is())) {
    assert.ok(Date.now() < deadline, what);
    await new Promise((done) => setTimeout(done, 50));
  }
}

test("all of the list are updated at once, with a preview, and taken back by a key", async () => {
  if (target.send === undefined) return;
  const group = await callAs<{ groupids: string[] }>(page, "hostgroup.create", {
    name: `E2E list ${RUN}`,
  });
  const host = await callAs<{ hostids: string[] }>(page, "host.create", {
    host: HOST,
    groups: [{ groupid: group.groupids[0] }],
  });
  for (const [at, name] of NAMES.entries()) {
    const item = { name: `k${at}`, key_: `k${at}`, type: 2, value_type: 3 };
    await callAs(page, "item.create", { hostid: host.hostids[0], ...item });
    const expression = `last(/${HOST}/k${at})>10`;
    await callAs(page, "trigger.create", { description: name, expression, priority: 4 - at });
    await target.send(HOST, `k${at}`, "11");
  }
  await page.goto(`${target.url}/problems?q=${HOST}`);
  for (const name of NAMES) await row(name).waitFor();
  await page.keyboard.press("Shift+X");
  await page.getByRole("button", { name: "Update 3 problems" }).waitFor();
  await page.keyboard.press("e");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox", { name: "Severity", exact: true }).click();
  await page.getByRole("option", { name: "High", exact: true }).click();
  const preview = dialog.getByRole("region", { name: "Changes" });
  await preview.getByText("Severity High: 2 problems, 1 unchanged").waitFor();
  await preview.getByText("Acknowledged: 3 problems").waitFor();
  await shots(page, "problems-preview");
  await dialog.getByRole("button", { name: "Update", exact: true }).click();
  await page.getByRole("button", { name: "Undo" }).waitFor();
  const isUpdated = (it: Known) => it.acknowledged === "1" && it.severity === "4";
  assert.ok([...(await known()).values()].every(isUpdated));
  await shots(page, "problems-undo");
  await page.keyboard.press("u");
  await page.getByText("Undone").waitFor();
  await until("the update was not taken back", async () => {
    const problems = await known();
    return NAMES.every((name, at) => {
      const it = problems.get(name);
      return it?.acknowledged === "0" && it.severity === String(4 - at);
    });
  });
});

test("symptoms are folded and unfolded by keyboard", async () => {
  const problems = await known();
  const [cause, ...symptoms] = NAMES.map((name) => problems.get(name)?.eventid ?? "");
  const ranked = { eventids: symptoms, action: 256, cause_eventid: cause };
  await callAs(page, "event.acknowledge", ranked);
  await row(NAMES[1]).waitFor({ state: "detached" });
  await page.keyboard.press("j");
  await page.keyboard.press("o");
  await row(NAMES[1]).waitFor();
  await page.keyboard.press("o");
  await row(NAMES[1]).waitFor({ state: "detached" });
  await callAs(page, "event.acknowledge", { eventids: symptoms, action: 128 });
  await row(NAMES[1]).waitFor();
});

test("a view keeps the filters, and the export has the list", async () => {
  await menu("Save or remove views …");
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("E2E");
  await page.getByText("available in every browser").waitFor();
  await shots(page, "problems-views");
  await answered(page, "/api/v1/views", () =>
    page.getByRole("button", { name: "Save view", exact: true }).click(),
  );
  // the server keeps it, this browser does not
  await page.evaluate(() => localStorage.clear());
  await page.goto(`${target.url}/problems`);
  await menu("E2E");
  await page.waitForURL(new RegExp(`q=${HOST}`));
  for (const name of NAMES) await row(name).waitFor();

  await page.getByRole("button", { name: "List", exact: true }).click();
  await shots(page, "problems-menu");
  const coming = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "Export as CSV" }).click();
  const file = readFileSync(await (await coming).path(), "utf8");
  const lines = file.trimEnd().split("\r\n");
  assert.equal(lines.length, NAMES.length + 1);
  assert.ok(file.includes(`"'${NAMES[0]}"`), "a name that begins with = is a formula");
});

test("the list follows each letter; reload, another control and the way back have what was typed", async () => {
  await page.goto(`${target.url}/problems?q=${HOST}`);
  for (const name of NAMES) await row(name).waitFor();
  const search = page.getByRole("searchbox", { name: "Search problems and hosts" });
  await search.press("End");
  await search.pressSequentially(" web");
  // at once, before the typing has paused
  assert.equal(new URL(page.url()).searchParams.get("q"), `${HOST} web`);
  await row(NAMES[2]).waitFor({ state: "detached" });
  await row(NAMES[1]).waitFor();
  await search.press("Backspace");
  await page.reload();
  await row(NAMES[1]).waitFor();
  await becomes(() => search.inputValue(), `${HOST} we`);

  // another filter right behind the last letter
  await search.press("End");
  await search.press("b");
  await page.getByRole("group", { name: "Severities" }).getByTitle("Average").click();
  await page.waitForURL((url) => url.searchParams.get("sev") === "3");
  assert.equal(new URL(page.url()).searchParams.get("q"), `${HOST} web`);
  await becomes(() => search.inputValue(), `${HOST} web`);
  await row(NAMES[1]).waitFor();

  // elsewhere right behind the last letter, and back
  await search.fill(HOST);
  await page.getByRole("navigation", { name: "Main" }).locator('a[href="/hosts"]').click();
  await page.waitForURL(/\/hosts/);
  await page.goBack();
  await row(NAMES[1]).waitFor();
  assert.equal(new URL(page.url()).searchParams.get("q"), HOST);
  await becomes(() => search.inputValue(), HOST);
  await search.pressSequentially(" mail");
  await page.getByRole("button", { name: "Reset filters" }).click();
  await page.waitForURL((url) => url.search === "");
  await until("the field is not empty", async () => (await search.inputValue()) === "");
  for (const name of NAMES) await row(name).waitFor();
});

test("announcements are off until one asks for them", async () => {
  await menu("Announce new problems: off");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("checkbox", { name: "Sound" }).check();
  await shots(page, "problems-announce");
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: "List", exact: true }).click();
  await page.getByRole("menuitem", { name: "Announce new problems: from High on" }).waitFor();
  assert.deepEqual(browser.complaints, []);
});

test("the page of an event shows what happened to it, with its cause and symptoms", async () => {
  const problems = await known();
  const [cause = "", symptom = ""] = NAMES.map((name) => problems.get(name)?.eventid ?? "");
  await callAs(page, "event.acknowledge", { eventids: [cause], action: 6, message: "on it" });
  const ranked = { eventids: [symptom], action: 256, cause_eventid: cause };
  await callAs(page, "event.acknowledge", ranked);
  await page.goto(`${target.url}/problems?q=${HOST}&event=${cause}`);
  await page.getByRole("link", { name: "Event page" }).click();
  await page.waitForURL(new RegExp(`/events/${cause}$`));
  const timeline = page.getByRole("region", { name: "Timeline" });
  await timeline.getByText("on it").waitFor();
  await timeline.getByText("Admin: acknowledged").last().waitFor();
  await shots(page, "event");
  const symptoms = page.getByRole("region", { name: "Its symptoms" });
  await symptoms.getByRole("link", { name: NAMES[1] }).click();
  await page.getByRole("region", { name: "Its cause" }).getByText(NAMES[0]).waitFor();
  assert.ok(target.send);
  await target.send(HOST, "k1", "1");
  await timeline.getByText("Resolved", { exact: true }).waitFor();
  await page.goto(`${target.url}/events/999999999`);
  await page.getByText("There is no such event.").waitFor();
  assert.deepEqual(browser.complaints, []);
});
