// Many objects changed at once, clones and dependencies, in a real browser.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Browser, becomes, callAs, openBrowser, shots, signIn } from "./browser";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);
const HOSTS = [`e2e-mass-a-${RUN}`, `e2e-mass-b-${RUN}`];
const GROUP = `E2E mass ${RUN}`;

let target: Target;
let browser: Browser;
let hostids: readonly string[] = [];

before(async () => {
  target = await openTarget();
  browser = await openBrowser();
  const { page } = browser;
  await signIn(page, target);
  const { groupids } = await callAs<{ groupids: string[] }>(page, "hostgroup.create", {
    name: GROUP,
  });
  const made = HOSTS.map((host) => ({
    host,
    groups: [{ groupid: groupids[0] }],
    tags: [
      { tag: "site", value: "fra" },
      { tag: "old", value: "1" },
    ],
  }));
  ({ hostids } = await callAs<{ hostids: string[] }>(page, "host.create", made));
  await callAs(
    page,
    "item.create",
    ["a", "b"].map((key) => ({
      hostid: hostids[0],
      name: `Item ${key}`,
      key_: key,
      type: 2,
      value_type: 3,
    })),
  );
  await callAs(
    page,
    "trigger.create",
    ["a", "b"].map((key) => ({
      description: `Trigger ${key} ${RUN}`,
      expression: `last(/${HOSTS[0]}/${key})>1`,
    })),
  );
});

after(async () => {
  await browser?.close();
  await target?.stop();
});

const dialog = () => browser.page.getByRole("dialog");
const press = (name: string) => browser.page.getByRole("button", { name, exact: true }).click();

async function openMass(count: string): Promise<void> {
  const { page } = browser;
  await page.getByRole("button", { name: count, exact: true }).click();
  await page.getByRole("menuitem", { name: "Mass update …" }).click();
  await dialog().waitFor();
}

async function pickAll(): Promise<void> {
  const boxes = browser.page.getByRole("row").getByRole("checkbox", { name: "Pick", exact: true });
  await boxes.first().waitFor();
  for (const box of await boxes.all()) await box.check();
}

test("hosts get tags, a macro, a field of the inventory and a state in one go; what is not ticked stays", async () => {
  const { page } = browser;
  await page.goto(`${target.url}/hosts?q=e2e-mass`);
  await pickAll();
  await openMass("2 hosts");
  const part = (name: string) => dialog().getByRole("group", { name, exact: true });
  const tick = (name: string) => part(name).getByRole("checkbox", { name, exact: true }).check();
  await tick("Tags");
  await part("Tags").getByText("Remove", { exact: true }).first().click();
  await part("Tags").getByRole("button", { name: "Add tag" }).click();
  await part("Tags").getByRole("textbox", { name: "Tag 1", exact: true }).fill("old");
  await tick("Macros");
  await part("Macros").getByRole("button", { name: "Add macro" }).click();
  await part("Macros").getByRole("textbox", { name: "Macro 1", exact: true }).fill("{$LIMIT}");
  await part("Macros").getByRole("textbox", { name: "Value of macro 1", exact: true }).fill("9");
  await tick("Monitored");
  await part("Monitored").getByRole("switch").uncheck({ force: true });
  await tick("Inventory mode");
  await part("Inventory mode").getByText("Manually", { exact: true }).click();
  await tick("Inventory field");
  await part("Inventory field").getByRole("combobox").click();
  await page.getByRole("option", { name: "Location", exact: true }).click();
  await part("Inventory field").getByRole("textbox", { name: "Value of the field" }).fill("Rack 3");
  await shots(page, "mass-update-hosts", { axe: true, narrow: true });
  await press("Update");
  await page.getByText("2 hosts updated").first().waitFor();
  const hosts = await callAs<readonly Record<string, unknown>[]>(page, "host.get", {
    hostids,
    output: ["status", "description"],
    selectTags: ["tag", "value"],
    selectMacros: ["macro", "value"],
    selectInventory: ["location"],
    selectHostGroups: ["name"],
  });
  assert.equal(hosts.length, 2);
  for (const host of hosts) {
    assert.equal(host["status"], "1");
    assert.deepEqual(host["tags"], [{ tag: "site", value: "fra" }]);
    assert.deepEqual(host["macros"], [{ macro: "{$LIMIT}", value: "9" }]);
    assert.deepEqual((host["inventory"] as Record<string, string>)["location"], "Rack 3");
  }
  assert.deepEqual(browser.complaints, []);
});

test("what was typed into a dialog is not lost by Escape, a click next to it or its close button", async () => {
  const { page } = browser;
  await page.goto(`${target.url}/hosts?q=e2e-mass`);
  await pickAll();
  await openMass("2 hosts");
  const mass = page.getByRole("dialog", { name: "Update 2 hosts" });
  const question = page.getByRole("dialog", { name: "Close this dialog?" });
  await mass.getByRole("checkbox", { name: "Description", exact: true }).check();
  const text = mass.getByRole("textbox", { name: "New description" });
  await text.fill("Room 4");
  const ways = [
    () => page.keyboard.press("Escape"),
    () => page.mouse.click(5, 450),
    () => mass.getByRole("button", { name: "Close dialog" }).click(),
  ];
  for (const close of ways) {
    await close();
    await question.waitFor();
    await question.getByRole("button", { name: "Stay" }).click();
    await question.waitFor({ state: "hidden" });
    await becomes(() => text.inputValue(), "Room 4");
  }
  await text.press("Escape");
  await question.waitFor();
  await shots(page, "dialog-guard", { axe: true });
  await question.getByRole("button", { name: "Close", exact: true }).click();
  await mass.waitFor({ state: "hidden" });
  // nothing to lose: nothing is asked
  await openMass("2 hosts");
  await page.keyboard.press("Escape");
  await mass.waitFor({ state: "hidden" });
  assert.deepEqual(browser.complaints, []);
});

test("notifications stand above the buttons of a form", async () => {
  const { page } = browser;
  // so narrow that the form reaches to the right edge
  await page.setViewportSize({ width: 1000, height: 700 });
  await page.goto(`${target.url}/hosts/${hostids[0]}/items`);
  await pickAll();
  await page.getByRole("button", { name: "2 items", exact: true }).click();
  await page.getByRole("menuitem", { name: "Disable" }).click();
  await page.getByRole("alert").first().waitFor();
  await page.getByRole("link", { name: "Item a", exact: true }).click();
  const save = page.getByRole("button", { name: "Save", exact: true });
  await save.waitFor();
  await page.waitForFunction(() => {
    const notice = document.querySelector(".mantine-Notification-root")?.getBoundingClientRect();
    const foot = document.querySelector("[data-foot]")?.getBoundingClientRect();
    return notice !== undefined && foot !== undefined && notice.bottom < foot.top;
  });
  await shots(page, "notification-above-form");
  const isFree = await save.evaluate((it) => {
    const { left, top, width, height } = it.getBoundingClientRect();
    return it.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  });
  assert.ok(isFree, "nothing stands on the button");
  await page.setViewportSize({ width: 1440, height: 900 });
  assert.deepEqual(browser.complaints, []);
});

test("items and triggers are changed many at once", async () => {
  const { page } = browser;
  await page.goto(`${target.url}/hosts/${hostids[0]}/items`);
  await pickAll();
  await openMass("2 items");
  const part = (name: string) => dialog().getByRole("group", { name, exact: true });
  await part("History").getByRole("checkbox").check();
  await part("History").getByRole("textbox").fill("7d");
  await shots(page, "mass-update-items", { axe: true });
  await press("Update");
  await page.getByText("2 items updated").first().waitFor();
  const items = await callAs<readonly { history: string }[]>(page, "item.get", {
    hostids: [hostids[0]],
    output: ["history"],
  });
  assert.deepEqual(
    items.map(({ history }) => history),
    ["7d", "7d"],
  );

  await page.goto(`${target.url}/hosts/${hostids[0]}/triggers`);
  await pickAll();
  await openMass("2 triggers");
  await part("Severity").getByRole("checkbox").check();
  await part("Severity").getByRole("combobox").click();
  await page.getByRole("option", { name: "Disaster" }).click();
  await press("Update");
  await page.getByText("2 triggers updated").first().waitFor();
  const triggers = await callAs<readonly { priority: string }[]>(page, "trigger.get", {
    hostids: [hostids[0]],
    output: ["priority"],
  });
  assert.deepEqual(
    triggers.map(({ priority }) => priority),
    ["5", "5"],
  );
  assert.deepEqual(browser.complaints, []);
});

test("a trigger gets a dependency and loses it; a clone of it is a new one", async () => {
  const { page } = browser;
  const [trigger] = await callAs<readonly { triggerid: string }[]>(page, "trigger.get", {
    hostids: [hostids[0]],
    search: { description: "Trigger b" },
    output: ["triggerid"],
  });
  const path = `${target.url}/hosts/${hostids[0]}/triggers/${trigger?.triggerid}`;
  const dependencies = async () => {
    const [found] = await callAs<readonly { dependencies: readonly { description: string }[] }[]>(
      page,
      "trigger.get",
      { triggerids: [trigger?.triggerid], selectDependencies: ["description"] },
    );
    return found?.dependencies.map(({ description }) => description);
  };
  await page.goto(path);
  const picker = page.getByRole("combobox", { name: "Add dependency" });
  await picker.click();
  await picker.fill(`Trigger a ${RUN}`);
  await page.getByRole("option", { name: `Trigger a ${RUN}` }).click();
  await page.getByRole("list", { name: "Dependencies" }).getByRole("listitem").waitFor();
  await shots(page, "trigger-dependencies");
  await press("Save");
  await page.getByText("Trigger saved").first().waitFor();
  assert.deepEqual(await dependencies(), [`Trigger a ${RUN}`]);

  await page.goto(path);
  await press("Clone");
  const name = page.getByRole("textbox", { name: "Name", exact: true });
  await becomes(() => name.inputValue(), `Trigger b ${RUN} (copy)`);
  await press("Create");
  await page.getByText("Trigger created").first().waitFor();

  await page.goto(path);
  await page.getByRole("button", { name: /^Remove dependency on/ }).click();
  await press("Save");
  await page.getByText("Trigger saved").first().waitFor();
  assert.deepEqual(await dependencies(), []);
  const all = await callAs<readonly unknown[]>(page, "trigger.get", { hostids: [hostids[0]] });
  assert.equal(all.length, 3);
  assert.deepEqual(browser.complaints, []);
});

test("items and hosts are cloned by their forms", async () => {
  const { page } = browser;
  const [item] = await callAs<readonly { itemid: string }[]>(page, "item.get", {
    hostids: [hostids[0]],
    filter: { key_: "a" },
    output: ["itemid"],
  });
  await page.goto(`${target.url}/hosts/${hostids[0]}/items/${item?.itemid}`);
  await press("Clone");
  await page.getByRole("textbox", { name: /^Key/ }).fill("a.copy");
  await press("Create");
  await page.getByText("Item created").first().waitFor();
  const copies = await callAs<readonly { name: string; history: string }[]>(page, "item.get", {
    hostids: [hostids[0]],
    filter: { key_: "a.copy" },
    output: ["name", "history"],
  });
  assert.deepEqual(
    copies.map(({ name, history }) => [name, history]),
    [["Item a (copy)", "7d"]],
  );

  await page.goto(`${target.url}/hosts/${hostids[0]}/configuration`);
  await press("Clone");
  await press("Create");
  await page.waitForURL((url) => !url.pathname.includes(`/hosts/${hostids[0]}`));
  const cloned = await callAs<readonly { macros: readonly { macro: string }[] }[]>(
    page,
    "host.get",
    { filter: { host: `${HOSTS[0]} copy` }, selectMacros: ["macro"] },
  );
  assert.deepEqual(
    cloned[0]?.macros.map(({ macro }) => macro),
    ["{$LIMIT}"],
  );
  assert.deepEqual(browser.complaints, []);
});

test("templates get the value maps of another one, and lose them by name", async () => {
  const { page } = browser;
  const names = ["a", "b", "c"].map((it) => `e2e-valuemaps-${it}-${RUN}`);
  const group = await callAs<{ groupids: string[] }>(page, "templategroup.create", {
    name: `E2E value maps ${RUN}`,
  });
  const { templateids } = await callAs<{ templateids: string[] }>(
    page,
    "template.create",
    names.map((host) => ({ host, groups: [{ groupid: group.groupids[0] }] })),
  );
  const [from, second, third] = templateids;
  const map = (hostid: string | undefined, name: string, newvalue: string) => ({
    hostid,
    name,
    mappings: [{ value: "1", newvalue }],
  });
  await callAs(page, "valuemap.create", [
    map(from, "State", "up"),
    map(from, "Power", "on"),
    map(second, "State", "old"),
  ]);
  const maps = async () => {
    const found = await callAs<
      readonly { hostid: string; name: string; mappings: readonly { newvalue: string }[] }[]
    >(page, "valuemap.get", {
      hostids: [second, third],
      output: ["hostid", "name"],
      selectMappings: "extend",
    });
    return found
      .map((it) => `${it.hostid === second ? "b" : "c"} ${it.name} ${it.mappings[0]?.newvalue}`)
      .sort();
  };
  await page.goto(`${target.url}/templates?q=e2e-valuemaps`);
  await pickAll();
  await openMass("3 templates");
  const part = dialog().getByRole("group", { name: "Value maps", exact: true });
  await part.getByRole("checkbox").check();
  await part.getByPlaceholder("Source template").fill(names[0] ?? "");
  await page.getByRole("option", { name: names[0] ?? "" }).click();
  await part.getByText("Power", { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await shots(page, "mass-update-value-maps", { axe: true });
  await press("Update");
  await page.getByText("3 templates updated").first().waitFor();
  assert.deepEqual(await maps(), ["b Power on", "b State up", "c Power on", "c State up"]);

  await page.goto(`${target.url}/templates?q=e2e-valuemaps-c`);
  await pickAll();
  await openMass("1 template");
  await part.getByRole("checkbox").check();
  await part.getByText("Remove", { exact: true }).click();
  await part.getByRole("combobox", { name: "Names of value maps" }).fill("Power");
  await page.keyboard.press("Enter");
  await press("Update");
  await page.getByText("1 template updated").first().waitFor();
  assert.deepEqual(await maps(), ["b Power on", "b State up", "c State up"]);
  assert.deepEqual(browser.complaints, []);
});
