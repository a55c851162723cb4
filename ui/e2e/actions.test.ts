// Actions in a real browser: made in the form, read as a timeline, saved as the API has them, switched on and off.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { atRest, type Browser, callAs, openBrowser, shots, signIn } from "./browser";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);
const NAME = `Databases ${RUN}`;

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

async function choose(within: Locator | Page, name: string, option: string): Promise<void> {
  await within.getByRole("combobox", { name, exact: true }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
  await page.keyboard.press("Escape");
}

interface Saved {
  readonly actionid: string;
  readonly status: string;
  readonly esc_period: string;
  readonly filter: { readonly eval_formula: string; readonly formula: string };
  readonly operations: readonly { readonly esc_step_to: string }[];
}

async function saved(): Promise<Saved> {
  const [action] = await callAs<readonly Saved[]>(page, "action.get", {
    output: "extend",
    selectFilter: "extend",
    selectOperations: "extend",
    filter: { name: [NAME] },
  });
  assert.ok(action, "the action was not saved");
  return action;
}

test("an action is made in the form, and its timeline tells what it will do", async () => {
  await page.goto(`${target.url}/actions`);
  await press("New action");
  await press("Create");
  await page.getByText("a name is required").waitFor();
  await page.getByText("a user, a group or an on-call schedule is required").waitFor();
  await field("Name").fill(NAME);
  await field("Default step duration").fill("30m");

  await press("Add condition");
  await press("Add condition");
  const second = page.getByRole("group", { name: "Condition 2", exact: true });
  await choose(second, "Type of condition 2", "Tag value");
  await field("Tag of condition 2").fill("class");
  await field("Value of condition 2").fill("database");
  await choose(page, "Type of calculation", "Custom expression");
  await field("Formula").fill("A and C");
  await page.getByText("there is no condition C").waitFor();
  await field("Formula").fill("A or B");
  await page.getByText("Severity at least Average").waitFor();

  const first = page.getByRole("group", { name: "Operations, operation 1", exact: true });
  await choose(first, "User groups", "Zabbix administrators");
  await first.getByRole("textbox", { name: "Last step", exact: true }).fill("3");
  await choose(first, "Only if", "not acknowledged");
  const timeline = page.getByRole("list", { name: "Timeline" });
  await timeline.getByText("message to Zabbix administrators if not acknowledged").waitFor();
  await timeline.filter({ hasText: /0 min, 30 min, 1 h/ }).waitFor();
  await shots(page, "action-form");
  await timeline.scrollIntoViewIfNeeded();
  await shots(page, "action-timeline");
  await press("Create");
  await page.getByRole("link", { name: NAME, exact: true }).waitFor();
  await shots(page, "actions");

  const action = await saved();
  assert.equal(action.esc_period, "30m");
  assert.equal(action.filter.formula, "A or B");
  assert.equal(action.operations[0]?.esc_step_to, "3");
});

test("the overview warns while no user is notified", async () => {
  interface Holder {
    readonly userid: string;
    readonly medias: readonly object[];
  }
  const [admin] = await callAs<readonly Holder[]>(page, "user.get", {
    output: ["userid"],
    selectMedias: ["mediatypeid", "sendto", "active", "severity", "period"],
    filter: { username: "Admin" },
  });
  assert.ok(admin, "there is no Admin");
  await page.goto(`${target.url}/`);
  const note = page.getByRole("alert").filter({ hasText: "No notifications are sent" });
  await note.waitFor();
  await note.getByText("an action is enabled").waitFor();
  await shots(page, "overview-nobody");
  await note.getByRole("link", { name: "Enable a media type" }).click();
  await page.waitForURL(/\/mediatypes/);

  const { mediatypeids } = await callAs<{ readonly mediatypeids: readonly string[] }>(
    page,
    "mediatype.create",
    { name: `e2e ${RUN}`, type: 4, script: "return 1;", parameters: [] },
  );
  const [mediatypeid] = mediatypeids;
  const media = { mediatypeid, sendto: "x" };
  await callAs(page, "user.update", { userid: admin.userid, medias: [...admin.medias, media] });
  await page.goto(`${target.url}/`);
  await page.getByText("Values per second").first().waitFor();
  await atRest(page);
  await note.waitFor({ state: "detached" });
  await callAs(page, "user.update", { userid: admin.userid, medias: admin.medias });
  await callAs(page, "mediatype.delete", [mediatypeid]);
  await page.goto(`${target.url}/actions`);
});

test("an action is disabled in the list, and a refusal of the server is shown", async () => {
  const toggle = page.getByRole("switch", { name: `${NAME} enabled` });
  await toggle.focus();
  await page.keyboard.press("Space");
  await page.waitForFunction(
    (name) => !document.querySelector<HTMLInputElement>(`[aria-label="${name}"]`)?.checked,
    `${NAME} enabled`,
  );
  assert.equal((await saved()).status, "1");
  await page.getByRole("link", { name: NAME, exact: true }).click();
  await field("Name").fill("Report problems to administrators");
  await press("Save");
  await page.getByRole("alert").filter({ hasText: "already exists" }).waitFor();
  await field("Name").fill(NAME);
  await press("Save");
  await page.getByRole("link", { name: NAME, exact: true }).waitFor();
  await callAs(page, "action.delete", [(await saved()).actionid]);
  assert.deepEqual(browser.complaints, []);
});
