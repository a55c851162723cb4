// A person with a restricted role in a real browser: pages that are not there, addresses that are refused, problems
// that tag filters hide, and what somebody sets for himself.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Browser, barriers, becomes, callAs, openBrowser, shots, signIn } from "./browser";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);
const LOGIN = `duty-${RUN}`;
const ROLE = `E2E duty ${RUN}`;
const GROUP = `E2E duty people ${RUN}`;
const HOSTS = `E2E databases ${RUN}`;
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
const box = (name: string) => browser.page.getByRole("checkbox", { name, exact: true });

async function choose(label: string, option: string): Promise<void> {
  const { page } = browser;
  await page.getByRole("combobox", { name: label, exact: true }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
}

test("a role without most pages is made, and a group that sees the problems of a tag", async () => {
  const { page } = browser;
  await callAs(page, "hostgroup.create", { name: HOSTS });
  await page.goto(`${target.url}/roles/new`);
  await field("Name").fill(ROLE);
  for (const name of ["Overview and dashboards", "Services", "Hosts: monitoring", "Maps"]) {
    await box(name).uncheck();
  }
  await box("Execute scripts").uncheck();
  await page.getByRole("switch", { name: "Access to API", exact: true }).click();
  await shots(page, "role-rules");
  await press("Create");
  await link(ROLE).click();
  await box("Problems").waitFor();
  await becomes(() => box("Problems").isChecked(), true);
  await becomes(() => box("Hosts: monitoring").isChecked(), false);
  await becomes(() => box("Execute scripts").isChecked(), false);
  assert.deepEqual(await barriers(page), []);

  await page.goto(`${target.url}/usergroups/new`);
  await field("Name").fill(GROUP);
  await press("Add host group");
  await choose("Group of host group 1", HOSTS);
  await press("Add tag filter");
  await choose("Host group of tag filter 1", HOSTS);
  await field("Tag of tag filter 1").fill("target");
  await field("Value of tag filter 1").fill("mysql");
  await shots(page, "tag-filters");
  await press("Create");
  await link(GROUP).click();
  await field("Value of tag filter 1").waitFor();
  await becomes(() => field("Value of tag filter 1").inputValue(), "mysql");

  type Rows = readonly { readonly roleid: string; readonly usrgrpid: string }[];
  const [role] = await callAs<Rows>(page, "role.get", { filter: { name: ROLE } });
  const [group] = await callAs<Rows>(page, "usergroup.get", { filter: { name: GROUP } });
  await callAs(page, "user.create", {
    username: LOGIN,
    passwd: PASSWORD,
    roleid: role?.roleid,
    usrgrps: [{ usrgrpid: group?.usrgrpid }],
  });
});

test("somebody with that role has the pages of it, and other addresses are refused", async () => {
  const { page } = browser;
  await press("User menu");
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await field("User name").fill(LOGIN);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await press("Sign in");
  // a user without the overview begins at the first page that the role has
  const navigation = page.getByRole("navigation", { name: "Main" });
  await navigation.waitFor();
  await page.waitForURL(`${target.url}/problems**`);
  const names = await navigation.getByRole("link").allTextContents();
  assert.ok(
    names.some((it) => it.startsWith("Problems")),
    names.join(),
  );
  for (const absent of ["Overview", "Services", "Hosts", "Templates", "Users"]) {
    assert.ok(!names.some((it) => it.startsWith(absent)), `${absent} in ${names.join()}`);
  }
  for (const path of ["/hosts", "/services", "/users", "/settings", "/queue"]) {
    await page.goto(`${target.url}${path}`);
    await page.getByText("Your role has no access to this page.").waitFor();
  }
  await shots(page, "denied");
  assert.deepEqual(await barriers(page), []);
  const codes = await page.evaluate(
    async (paths) => {
      const answers = await Promise.all(paths.map((it) => fetch(it)));
      return answers.map(({ status }) => status);
    },
    ["/api/v1/overview", "/api/v1/queue", "/api/v1/problems"],
  );
  assert.deepEqual(codes, [403, 403, 200]);
  await assert.rejects(
    callAs(page, "script.execute", { scriptid: "1", hostid: "1" }),
    /No permissions to call "script.execute"/,
  );
});

test("what he sets for himself takes effect", async () => {
  const { page } = browser;
  await page.goto(`${target.url}/profile`);
  await choose("Theme", "Dark");
  await field("Page after login").fill("/latest");
  await shots(page, "profile");
  await press("Save");
  await page.getByText("Profile saved").waitFor();
  await page.locator("html[data-mantine-color-scheme=dark]").waitFor();
  await press("User menu");
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await field("User name").fill(LOGIN);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await press("Sign in");
  await page.waitForURL(`${target.url}/latest**`);
});
