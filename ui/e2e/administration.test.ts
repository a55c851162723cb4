// Users, their groups, roles, tokens and the audit log in a real browser.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Browser, becomes, callAs, openBrowser, shots, signIn } from "./browser";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);
const LOGIN = `ann-${RUN}`;
const GROUP = `E2E network ${RUN}`;
const ROLE = `E2E operator ${RUN}`;
const PASSWORD = `Correct-horse-${RUN}`;

let target: Target;
let browser: Browser;

before(async () => {
  target = await openTarget();
  browser = await openBrowser();
  await signIn(browser.page, target);
});

after(async () => {
  await browser?.close();
  await target?.stop();
});

const field = (name: string) => browser.page.getByRole("textbox", { name, exact: true });
const press = (name: string) => browser.page.getByRole("button", { name, exact: true }).click();
const link = (name: string) => browser.page.getByRole("link", { name, exact: true });

async function choose(label: string, option: string): Promise<void> {
  const { page } = browser;
  await page.getByRole("combobox", { name: label, exact: true }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
}

test("a role is made, and a group with rights on hosts", async () => {
  const { page } = browser;
  await callAs(page, "hostgroup.create", { name: `E2E switches ${RUN}` });
  await page.goto(`${target.url}/roles`);
  await link("Super admin role").waitFor();
  await shots(page, "roles");
  await press("New user role");
  await press("Create");
  await page.getByText("a name is required").waitFor();
  await field("Name").fill(ROLE);
  await choose("Type", "Admin");
  await shots(page, "role-form");
  await press("Create");
  await link(ROLE).waitFor();

  await page.goto(`${target.url}/usergroups/new`);
  await field("Name").fill(GROUP);
  await press("Add host group");
  await choose("Group of host group 1", `E2E switches ${RUN}`);
  await choose("Permission of host group 1", "Read and write");
  await shots(page, "user-group-form");
  await press("Create");
  await link(GROUP).click();
  const right = page.getByRole("combobox", { name: "Permission of host group 1", exact: true });
  await right.waitFor();
  await becomes(() => right.inputValue(), "Read and write");
  assert.deepEqual(browser.complaints, []);
});

test("a host group is created, renamed and deleted, and lists the number of its hosts", async () => {
  const { page } = browser;
  const hostGroup = `E2E racks ${RUN}`;
  await page.goto(`${target.url}/hostgroups`);
  await press("New host group");
  await press("Create");
  await page.getByText("a name is required").waitFor();
  await field("Name").fill(hostGroup);
  await press("Create");
  await link(hostGroup).waitFor();
  await shots(page, "host-groups");
  await link(hostGroup).click();
  await field("Name").fill(`${hostGroup}/A`);
  await shots(page, "host-group-form");
  await press("Save");
  const row = page.getByRole("row").filter({ hasText: `${hostGroup}/A` });
  await row.getByRole("link", { name: "0", exact: true }).waitFor();
  await link(`${hostGroup}/A`).click();
  await press("Apply permissions to subgroups");
  await page.getByRole("dialog").getByRole("button", { name: "Apply", exact: true }).click();
  await page.getByText("Permissions applied to the subgroups").waitFor();
  await press("Delete host group");
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await row.waitFor({ state: "detached" });
  assert.deepEqual(browser.complaints, []);
});

test("a user is made, who may sign in; errors are shown at their fields", async () => {
  const { page } = browser;
  await page.goto(`${target.url}/users`);
  await link("Admin").waitFor();
  await shots(page, "users");
  await press("New user");
  await press("Create");
  await page.getByText("a user name is required").waitFor();
  await page.getByText("a password is required").waitFor();
  await field("User name").fill(LOGIN);
  await field("First name").fill("Ann");
  await page.getByLabel(/^Password( \*)?$/).fill(PASSWORD);
  await page.getByLabel("Repeat the password", { exact: true }).fill("other");
  await page.getByText("the two passwords differ").waitFor();
  await page.getByLabel("Repeat the password", { exact: true }).fill(PASSWORD);
  await choose("Role", ROLE);
  await page.getByRole("combobox", { name: "User groups", exact: true }).click();
  await page.getByRole("option", { name: GROUP, exact: true }).click();
  await page.keyboard.press("Escape");
  await press("Add media");
  await field("Send to").fill("ann@example.org");
  await shots(page, "user-form");
  await press("Create");
  await link(LOGIN).waitFor();
  const session = await callAs<string>(page, "user.login", {
    username: LOGIN,
    password: PASSWORD,
  });
  assert.match(session, /^[0-9a-f]{32,}$/);

  await link(LOGIN).click();
  await field("Last name").fill("Onymous");
  await press("Save");
  await page.getByText("Ann Onymous").waitFor();

  // who has logged out is not online any more, and when that was stays known
  const row = page.getByRole("row", { name: LOGIN });
  await row.getByText("online", { exact: true }).waitFor();
  const answer = await fetch(`${target.url}/api_jsonrpc.php`, {
    method: "POST",
    headers: { "Content-Type": "application/json-rpc", Authorization: `Bearer ${session}` },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "user.logout", params: [] }),
  });
  assert.deepEqual(await answer.json(), { jsonrpc: "2.0", result: true, id: 1 });
  await page.reload();
  await row.getByText(/^\d+\S+( \d+\S+)? ago$/).waitFor();
  await page.getByRole("row", { name: "Admin" }).getByText("online", { exact: true }).waitFor();
  await shots(page, "users-seen", { narrow: true, axe: true });
  assert.deepEqual(browser.complaints, []);
});

test("a token's key is shown once", async () => {
  const { page } = browser;
  await page.goto(`${target.url}/tokens/new`);
  await field("Name").fill(`grafana ${RUN}`);
  await page.getByRole("switch", { name: "Expires" }).check({ force: true });
  await press("Create");
  await page.getByText("a time is required").waitFor();
  await page.getByLabel("At", { exact: true }).fill("2037-12-31T23:59");
  await shots(page, "token-form");
  await press("Create");
  const dialog = page.getByRole("dialog", { name: "Auth token" });
  const key = await dialog.locator("pre").textContent();
  await shots(page, "token-key");
  assert.match(key ?? "", /^[0-9a-f]{64}$/);
  const answer = await fetch(`${target.url}/api_jsonrpc.php`, {
    method: "POST",
    headers: { "Content-Type": "application/json-rpc", Authorization: `Bearer ${key}` },
    body: JSON.stringify({ jsonrpc: "2.0", method: "user.get", params: {}, id: 1 }),
  });
  const { result } = (await answer.json()) as { result: unknown[] };
  assert.ok(result.length >= 2);
  await dialog.getByRole("button", { name: "Close", exact: true }).last().click();
  await link(`grafana ${RUN}`).waitFor();
  await shots(page, "tokens");
  assert.deepEqual(browser.complaints, []);
});

test("the audit log says who made what", async () => {
  const { page } = browser;
  await page.goto(`${target.url}/audit`);
  await page.getByRole("row").filter({ hasText: LOGIN }).first().waitFor();
  await shots(page, "audit");
  await page
    .getByRole("searchbox")
    .or(page.getByPlaceholder(/Search names/))
    .first()
    .fill(GROUP);
  const row = page.getByRole("row").filter({ hasText: GROUP }).first();
  await row.getByText("User group").click();
  const dialog = page.getByRole("dialog");
  await dialog
    .getByText(/usergroup/)
    .first()
    .waitFor();
  await shots(page, "audit-record");
  await page.keyboard.press("Escape");
  assert.deepEqual(browser.complaints, []);
});

test("one's own password is changed with the current one", async () => {
  const { page } = browser;
  await page.goto(`${target.url}/profile`);
  await page.getByLabel("Current password", { exact: true }).fill("wrong");
  await page.getByLabel("New password", { exact: true }).fill(PASSWORD);
  await page.getByLabel("Repeat the password", { exact: true }).fill(PASSWORD);
  await press("Save");
  await page
    .getByText(/Incorrect current password/i)
    .first()
    .waitFor();
  await shots(page, "profile");
  assert.deepEqual(browser.complaints, []);
});
