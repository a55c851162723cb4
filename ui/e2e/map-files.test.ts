// Maps as files, icon maps and who shares a map, in a real browser.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { type Browser, becomes, callAs, openBrowser, shot, shots, signIn } from "./browser";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);
const MAP = `Site ${RUN}`;
const ICON_MAP = `By system ${RUN}`;

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

async function press(name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
}

async function pick(label: string, text: string): Promise<void> {
  const field = page.getByRole("combobox", { name: label, exact: true });
  await field.click();
  await field.fill(text);
  await page.getByRole("option", { name: text, exact: true }).first().click();
}

/** Of a list that is not searched in. */
async function choose(label: string, name: string): Promise<void> {
  await page.getByRole("combobox", { name: label, exact: true }).click();
  await page.getByRole("option", { name, exact: true }).click();
}

test("an icon map is made, its mappings are moved, and a map names it", async () => {
  await page.goto(`${target.url}/iconmaps`);
  await press("New icon map");
  await press("Create");
  await page.getByText("an icon is required").first().waitFor();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill(ICON_MAP);
  await pick("Default icon", "Server_(64)");
  await pick("Inventory field of mapping 1", "OS");
  const expression = (n: number) =>
    page.getByRole("textbox", { name: `Expression of mapping ${n}`, exact: true });
  await expression(1).fill("^Linux");
  await pick("Icon of mapping 1", "Rack_42_(64)");
  await press("Add mapping");
  await pick("Inventory field of mapping 2", "OS");
  await expression(2).fill("^Linux");
  await page.getByText("an earlier mapping has the same field and expression").waitFor();
  await expression(2).fill("IOS");
  await pick("Icon of mapping 2", "Switch_(64)");
  await press("Move mapping 2 up");
  await becomes(() => expression(1).inputValue(), "IOS");
  await shots(page, "icon-map", { narrow: true, axe: true });
  await press("Create");
  await page.getByRole("link", { name: ICON_MAP, exact: true }).waitFor();
  await page.getByText("OS: IOS, OS: ^Linux").waitFor();
  await shots(page, "icon-maps", { narrow: true, axe: true });
  await page.getByRole("link", { name: ICON_MAP, exact: true }).click();
  await expression(2).waitFor();
  await becomes(() => expression(2).inputValue(), "^Linux");
  await press("Cancel");
});

test("a map is shared with a group and a user", async () => {
  const name = `reader-${RUN}`;
  const { usrgrpids } = await callAs<{ usrgrpids: string[] }>(page, "usergroup.create", {
    name: `Operators ${RUN}`,
  });
  await callAs(page, "user.create", {
    username: name,
    passwd: "a long one 4 all",
    roleid: "1",
    usrgrps: [{ usrgrpid: usrgrpids[0] }],
  });
  await page.goto(`${target.url}/maps/new/edit`);
  await page.getByRole("textbox", { name: "Name", exact: true }).fill(MAP);
  await choose("Icon map", ICON_MAP);
  await press("Add user group");
  await pick("Shared with user groups 1", `Operators ${RUN}`);
  await press("Add user");
  await pick("Shared with users 1", name);
  await choose("Shared with users, permission 1", "Read-write");
  await shots(page, "map-sharing", { narrow: true, axe: true });
  // what all users see anyway is not shared to be read
  await choose("Type", "Public: visible to all users");
  await page.getByText("Only write permission can be shared").waitFor();
  await choose("Shared with user groups, permission 1", "Read-write");
  await page.getByText("Only write permission can be shared").waitFor({ state: "detached" });
  await choose("Type", "Private: visible to the owner and the users and groups below");
  await choose("Shared with user groups, permission 1", "Read-only");
  await press("Create");
  await page.getByRole("link", { name: MAP, exact: true }).waitFor();
  const [found] = await callAs<
    { private: string; users: { permission: string }[]; userGroups: unknown[] }[]
  >(page, "map.get", {
    filter: { name: MAP },
    output: ["private"],
    selectUsers: "extend",
    selectUserGroups: "extend",
  });
  assert.equal(found?.private, "1");
  assert.deepEqual(
    found?.users.map(({ permission }) => permission),
    ["3"],
  );
  assert.deepEqual(found?.userGroups, [{ usrgrpid: usrgrpids[0], permission: "2" }]);
});

test("a map is saved as a file, deleted and imported", async () => {
  const [found] = await callAs<{ sysmapid: string }[]>(page, "map.get", { filter: { name: MAP } });
  assert.ok(found);
  await page.goto(`${target.url}/maps/${found.sysmapid}`);
  await press("Export");
  const download = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "Export as YAML" }).click();
  const file = await download;
  assert.equal(file.suggestedFilename(), "zabbix_export_maps.yaml");
  const text = readFileSync(await file.path(), "utf8");
  assert.match(text, new RegExp(`name: '?${MAP}`));
  await callAs(page, "map.delete", [found.sysmapid]);

  await page.goto(`${target.url}/maps`);
  await press("Import");
  await page.locator("input[type=file]").setInputFiles({
    name: "zabbix_export_maps.yaml",
    mimeType: "application/yaml",
    buffer: Buffer.from(text),
  });
  await press("Show changes");
  const dialog = page.getByRole("dialog");
  await dialog.getByText(MAP).first().waitFor();
  await shot(page, "map-import");
  await dialog.getByRole("button", { name: "Import", exact: true }).click();
  await dialog.getByText("Imported:").waitFor();
  await dialog.getByRole("button", { name: "Close", exact: true }).last().click();

  // chosen rows are exported, too
  const row = page.getByRole("row").filter({ hasText: MAP });
  await row.getByRole("checkbox").check();
  await press("1 map");
  const second = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "Export as YAML" }).click();
  assert.equal(readFileSync(await (await second).path(), "utf8"), text);
  await shots(page, "maps-picked", { narrow: true, axe: true });
  assert.deepEqual(browser.complaints, []);
});
