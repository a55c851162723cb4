// Global regular expressions, and a discovery rule with filter, macro paths and overrides: what is typed in a
// real browser is there again after it was saved and reloaded.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { type Browser, becomes, callAs, openBrowser, shot, signIn } from "./browser";
import { STEP_MS } from "./progress";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);
const REGEXP = `e2e disks ${RUN}`;
const HOST = `e2e-rules-${RUN}`;
const RULE = `E2E disks ${RUN}`;
const LINKED = `E2E linked by override ${RUN}`;

let target: Target;
let browser: Browser;
let page: Page;
let hostid = "";

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

async function open(path: string): Promise<void> {
  await page.goto(`${target.url}${path}`);
}

function call(method: string, params: unknown): Promise<unknown> {
  return callAs(page, method, params);
}

function field(name: string): Locator {
  return page.getByRole("textbox", { name, exact: true });
}

function box(name: string): Locator {
  const combobox = page.getByRole("combobox", { name, exact: true });
  return combobox.or(page.getByRole("textbox", { name, exact: true })).first();
}

async function choose(name: string, option: string): Promise<void> {
  await box(name).click();
  await page.getByRole("option", { name: option, exact: true }).click();
}

async function press(name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
}

async function theme(scheme: "Dark" | "Light"): Promise<void> {
  await page.emulateMedia({ colorScheme: scheme === "Dark" ? "dark" : "light" });
}

async function bothSchemes(name: string): Promise<void> {
  await theme("Light");
  await shot(page, `${name}-light`);
  await theme("Dark");
  await shot(page, `${name}-dark`);
}

test("a global regular expression is tried while it is typed, and kept", async () => {
  await open("/regexps");
  await press("New regular expression");
  await press("Create");
  await page.getByText("a name is required").waitFor();
  await field("Name").fill(REGEXP);
  await choose("Type of expression 1", "Result is TRUE");
  await field("Expression 1").fill("^sd[a-");
  await field("Test string").fill("sdb");
  await page.getByRole("status", { name: "Result" }).getByText("an expression is wrong").waitFor();
  await field("Expression 1").fill("^sd[a-z]+$");
  await press("Add expression");
  await choose("Type of expression 2", "Any character string included");
  await field("Expression 2").fill("nvme/sda");
  await choose("Delimiter of expression 2", "/");
  await page.getByRole("status", { name: "Result of expression 1" }).getByText("TRUE").waitFor();
  await page.getByRole("status", { name: "Result of expression 2" }).getByText("FALSE").waitFor();
  await page.getByRole("status", { name: "Result", exact: true }).getByText("FALSE").waitFor();
  await field("Test string").fill("sda");
  await page.getByRole("status", { name: "Result", exact: true }).getByText("TRUE").waitFor();
  await bothSchemes("regexp");
  await press("Create");
  await page.getByRole("link", { name: REGEXP }).click();
  await field("Name").waitFor();
  await becomes(() => field("Name").inputValue(), REGEXP);
  await becomes(() => field("Expression 2").inputValue(), "nvme/sda");
  await becomes(() => box("Delimiter of expression 2").inputValue(), "/");
  await becomes(() => box("Type of expression 1").inputValue(), "Result is TRUE");
  await becomes(() => field("Test string").inputValue(), "sda");
  await open("/regexps");
  await page.getByRole("link", { name: REGEXP }).waitFor();
  await bothSchemes("regexps");
});

test("a rule with filter, macro path and override is created", async () => {
  const group = (await call("hostgroup.create", { name: `E2E rules ${RUN}` })) as {
    groupids: string[];
  };
  const made = (await call("host.create", {
    host: HOST,
    groups: [{ groupid: group.groupids[0] }],
  })) as { hostids: string[] };
  hostid = made.hostids[0] ?? "";
  const groups = (await call("templategroup.get", { limit: 1 })) as { groupid: string }[];
  await call("template.create", { host: LINKED, groups: [{ groupid: groups[0]?.groupid }] });
  await open(`/hosts/${hostid}/discovery/new`);
  await field("Name").fill(RULE);
  await choose("Type", "Trapper");
  await field("Key").fill("e2e.disks");
  await press("Add LLD macro");
  await field("LLD macro 1").fill("{#disk}");
  await field("Path of LLD macro 1").fill("$.name");
  await press("Add condition");
  await field("Macro of condition A").fill("{#DISK}");
  await field("Regular expression of condition A").fill(`@${REGEXP}`);
  await press("Add condition");
  await field("Macro of condition B").fill("{#SIZE}");
  await choose("Operator of condition B", "exists");
  await choose("Type of calculation", "Custom formula");
  await field("Formula").fill("A or C");
  await page.getByText("there is no condition C").waitFor();
  await field("Formula").fill("A or not B");
  await press("Add override");
  const dialog = page.getByRole("dialog", { name: "Override" });
  await dialog.getByRole("textbox", { name: "Name", exact: true }).fill("small ones");
  await dialog.getByRole("button", { name: "Add condition" }).click();
  await dialog.getByRole("textbox", { name: "Macro of condition A" }).fill("{#SIZE}");
  await dialog.getByRole("textbox", { name: "Regular expression of condition A" }).fill("^\\d$");
  await dialog.getByRole("button", { name: "Add operation" }).click();
  await choose("Operator of operation 1", "name contains");
  await dialog.getByRole("textbox", { name: "Pattern of operation 1" }).fill("Space");
  await dialog.getByRole("button", { name: "Apply" }).click();
  await dialog.getByText("an operation must change at least one property").waitFor();
  await choose("Create enabled", "No");
  await dialog.getByRole("textbox", { name: "Update interval" }).fill("10m");
  await dialog.getByRole("button", { name: "Add tag" }).click();
  await dialog.getByRole("textbox", { name: "Tag 1", exact: true }).fill("size");
  await dialog.getByRole("textbox", { name: "Value of tag 1" }).fill("{#SIZE}");
  await dialog.getByRole("button", { name: "Add operation" }).click();
  await choose("Objects of operation 2", "Hosts");
  await dialog.getByLabel("Link templates").last().fill("linked by");
  await page.getByRole("option", { name: LINKED }).click();
  await page.keyboard.press("Escape");
  await bothSchemes("override");
  await dialog.getByRole("button", { name: "Apply" }).click();
  await dialog.waitFor({ state: "hidden" });
  await page.getByRole("list", { name: "Overrides" }).getByText("2 operations").waitFor();
  await page.getByRole("list", { name: "Overrides" }).scrollIntoViewIfNeeded();
  await bothSchemes("rule");
  await press("Create");
  await page.getByText(RULE).first().waitFor();
});

test("all of it is there again after a reload", async () => {
  await open(`/hosts/${hostid}/discovery`);
  await page.getByText(RULE).first().click();
  await field("Key").waitFor();
  await page.reload();
  await field("Path of LLD macro 1").waitFor();
  await becomes(() => field("LLD macro 1").inputValue(), "{#DISK}");
  await becomes(() => field("Path of LLD macro 1").inputValue(), "$.name");
  await becomes(() => field("Formula").inputValue(), "A or not B");
  await becomes(() => field("Regular expression of condition A").inputValue(), `@${REGEXP}`);
  await becomes(() => box("Operator of condition B").inputValue(), "exists");
  await press("small ones");
  const dialog = page.getByRole("dialog", { name: "Override" });
  const inDialog = (name: string) => dialog.getByRole("textbox", { name, exact: true });
  await becomes(() => inDialog("Name").inputValue(), "small ones");
  await becomes(() => inDialog("Macro of condition A").inputValue(), "{#SIZE}");
  await becomes(() => inDialog("Pattern of operation 1").inputValue(), "Space");
  await becomes(() => inDialog("Update interval").inputValue(), "10m");
  await becomes(() => inDialog("Value of tag 1").inputValue(), "{#SIZE}");
  await becomes(() => dialog.getByLabel("Create enabled").first().inputValue(), "No");
  await dialog.getByText(LINKED).waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await press("Save");
  await page.getByText("Discovery rule saved").waitFor();
});

test("errors of discovery are shown at the rule, and created objects show their dependencies", async (t) => {
  if (target.send === undefined) return t.skip("no trapper address");
  const made = (await call("discoveryrule.create", {
    hostid,
    name: "E2E rows",
    key_: "e2e.rows",
    type: 2,
    overrides: [
      {
        name: "bare",
        step: 1,
        filter: { evaltype: 0, conditions: [{ macro: "{#KIND}", value: "bare" }] },
        operations: [
          { operationobject: 1, operator: 2, value: "Link", opdiscover: { discover: 1 } },
        ],
      },
    ],
  })) as { itemids: string[] };
  const ruleid = made.itemids[0] ?? "";
  await call("itemprototype.create", {
    hostid,
    ruleid,
    name: "Traffic of {#N}",
    key_: "e2e.traffic[{#N}]",
    type: 2,
    value_type: 3,
  });
  const prototype = async (description: string, dependencies: readonly { triggerid: string }[]) => {
    const expression = `last(/${HOST}/e2e.traffic[{#N}])>1`;
    const params = { description, expression, dependencies };
    return (await call("triggerprototype.create", params)) as { triggerids: string[] };
  };
  const master = await prototype("Link {#N} is down", []);
  await prototype("Traffic of {#N} is low", [{ triggerid: master.triggerids[0] ?? "" }]);
  const state = async () => {
    const params = { itemids: ruleid, output: ["state", "error"] };
    const [rule] = (await call("discoveryrule.get", params)) as { state: string; error: string }[];
    return rule;
  };
  const sent = async (
    value: string,
    holds: (rule: Awaited<ReturnType<typeof state>>) => boolean,
  ) => {
    const deadline = Date.now() + STEP_MS;
    // the rule may be new to the receiving side
    for (;;) {
      await target.send?.(HOST, "e2e.rows", value).catch(() => undefined);
      if (holds(await state())) return;
      assert.ok(Date.now() < deadline, `not in time: ${value}`);
      await new Promise((done) => setTimeout(done, 200));
    }
  };
  await sent("no list", (rule) => rule?.state === "1");
  await open(`/hosts/${hostid}/discovery/${ruleid}`);
  await page.getByRole("alert").getByText("Not supported: Invalid discovery rule value").waitFor();
  await open(`/hosts/${hostid}/discovery`);
  await page
    .getByRole("row")
    .filter({ hasText: "E2E rows" })
    .getByText("Not supported")
    .first()
    .waitFor();
  const rows = '[{"{#N}":"a","{#KIND}":"full"},{"{#N}":"b","{#KIND}":"bare"}]';
  await sent(rows, (rule) => rule?.error.includes("Cannot create dependency") ?? false);
  await open(`/hosts/${hostid}/discovery/${ruleid}`);
  const error = 'Cannot create dependency on trigger "Traffic of b is low".';
  await page.getByRole("alert").getByText(error).waitFor();
  await page.getByText("depends on Link {#N} is down").waitFor();
  await bothSchemes("rule-partly-applied");
  await open(`/hosts/${hostid}/triggers`);
  const row = page.getByRole("row").filter({ hasText: "Traffic of a is low" });
  await row.getByText("Link a is down").waitFor();
  await bothSchemes("trigger-dependencies");
  await row.getByRole("link", { name: "Traffic of a is low" }).click();
  const masters = page.getByRole("list", { name: "Dependencies" });
  await masters.getByRole("link", { name: "Link a is down" }).scrollIntoViewIfNeeded();
  await bothSchemes("trigger-depends");
  await masters.getByRole("link", { name: "Link a is down" }).click();
  await page.getByRole("heading", { name: "Link a is down", level: 1 }).waitFor();
});

test("a host prototype is made, changed and deleted, and what was typed is there again", async () => {
  const made = (await call("discoveryrule.create", {
    hostid,
    name: "E2E machines",
    key_: "e2e.machines",
    type: 2,
  })) as { itemids: string[] };
  await open(`/hosts/${hostid}/discovery/${made.itemids[0] ?? ""}`);
  await page.getByRole("heading", { name: "Host prototypes (0)" }).waitFor();
  await press("New host prototype");
  await page.getByRole("heading", { name: "New host prototype", level: 1 }).waitFor();
  await field("Host name").fill("vm");
  await press("Create");
  await page.getByText("an LLD macro such as {#NAME} is required").waitFor();
  await page.getByText("a group is required").waitFor();
  await field("Host name").fill("vm-{#ID}");
  await field("Visible name").fill("Machine {#NAME}");
  await box("Host groups").fill("Linux");
  await page.getByRole("option", { name: "Linux servers", exact: true }).click();
  await box("Host groups").press("Tab");
  await press("Add group by name");
  await field("Group 1").fill("Cluster {#CLUSTER}");
  await page.getByRole("switch", { name: /^Custom interfaces/ }).press("Space");
  await press("Add agent interface");
  await field("IP address").fill("192.0.2.7");
  await press("Add tag");
  await field("Tag 1").fill("cluster");
  await field("Value of tag 1").fill("{#CLUSTER}");
  await press("Add macro");
  await field("Macro 1").fill("{$ID}");
  await field("Value of macro 1").fill("{#ID}");
  await bothSchemes("host-prototype");
  await press("Create");
  await page.getByRole("heading", { name: "Host prototypes (1)" }).waitFor();
  await page.getByRole("heading", { name: "Host prototypes (1)" }).scrollIntoViewIfNeeded();
  await bothSchemes("host-prototypes");
  await page.getByRole("link", { name: "Machine {#NAME}" }).click();
  await page.getByRole("heading", { name: "Machine {#NAME}", level: 1 }).waitFor();
  for (const [name, value] of [
    ["Host name", "vm-{#ID}"],
    ["Group 1", "Cluster {#CLUSTER}"],
    ["IP address", "192.0.2.7"],
    ["Value of tag 1", "{#CLUSTER}"],
    ["Value of macro 1", "{#ID}"],
  ] as const) {
    await becomes(() => field(name).inputValue(), value, name);
  }
  await page.getByRole("switch", { name: /^Discover: rows create hosts/ }).press("Space");
  await press("Save");
  await page.getByText("Not discovered", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Machine {#NAME}" }).click();
  await press("Delete host prototype");
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("heading", { name: "Host prototypes (0)" }).waitFor();
});

test("a rule prototype is made inside of a rule, and the rules it makes are locked but for their status", async (t) => {
  const made = (await call("discoveryrule.create", {
    hostid,
    name: "E2E databases",
    key_: "e2e.databases",
    type: 2,
    lld_macro_paths: [{ lld_macro: "{#DB}", path: "$.database" }],
  })) as { itemids: string[] };
  const ruleid = made.itemids[0] ?? "";
  await open(`/hosts/${hostid}/discovery/${ruleid}`);
  await page.getByRole("heading", { name: "Rule prototypes (0)" }).waitFor();
  await press("New rule prototype");
  await page.getByRole("heading", { name: "New rule prototype", level: 1 }).waitFor();
  await field("Name").fill("Tablespaces of {#DB}");
  await choose("Type", "Nested");
  await field("Key").fill("e2e.spaces[{#DB}]");
  await press("Add LLD macro");
  await field("LLD macro 1").fill("{#TS}");
  await field("Path of LLD macro 1").fill("$.name");
  await bothSchemes("rule-prototype");
  await press("Create");
  await page.getByRole("heading", { name: "Tablespaces of {#DB}", level: 1 }).waitFor();
  // it has prototypes of its own
  await press("New rule prototype");
  await page.getByRole("heading", { name: "New rule prototype", level: 1 }).waitFor();
  await field("Name").fill("Tables of {#TS}");
  await choose("Type", "Nested");
  await field("Key").fill("e2e.tables[{#DB},{#TS}]");
  await press("Create");
  await page.getByRole("heading", { name: "Tables of {#TS}", level: 1 }).waitFor();
  await open(`/hosts/${hostid}/discovery/${ruleid}`);
  await page.getByRole("heading", { name: "Rule prototypes (1)" }).scrollIntoViewIfNeeded();
  await bothSchemes("rule-prototypes");
  await page.getByRole("link", { name: "Tablespaces of {#DB}" }).click();
  await page.getByRole("heading", { name: "Rule prototypes (1)" }).waitFor();
  await becomes(() => field("Path of LLD macro 1").inputValue(), "$.name");
  await becomes(() => box("Type").inputValue(), "Nested");
  if (target.send === undefined) return t.skip("no trapper address");
  const rows = '[{"database":"db1"}]';
  const found = async () => {
    const params = { hostids: hostid, filter: { flags: 5 }, output: ["itemid"] };
    return (await call("discoveryrule.get", params)) as { itemid: string }[];
  };
  const deadline = Date.now() + STEP_MS;
  // the rule may be new to the receiving side
  while ((await found()).length === 0) {
    assert.ok(Date.now() < deadline, "the rule is made in time");
    await target.send(HOST, "e2e.databases", rows).catch(() => undefined);
    await new Promise((done) => setTimeout(done, 200));
  }
  await open(`/hosts/${hostid}/discovery`);
  await page.getByRole("link", { name: "Tablespaces of db1" }).click();
  await page.getByText("Discovered by E2E databases").waitFor();
  await becomes(() => field("Name").isDisabled(), true);
  await becomes(() => field("Key").isDisabled(), true);
  await page.getByRole("switch", { name: "Enabled" }).press("Space");
  await bothSchemes("discovered-rule");
  await press("Save");
  await page.getByText("Discovery rule saved").waitFor();
});

test("several rules are disabled, enabled, asked now and deleted at once", async () => {
  const { groupids } = (await call("hostgroup.create", { name: `Rules at once ${RUN}` })) as {
    groupids: string[];
  };
  const { hostids } = (await call("host.create", {
    host: `e2e-rules-at-once-${RUN}`,
    groups: [{ groupid: groupids[0] }],
  })) as { hostids: string[] };
  const rule = (name: string, more: object) =>
    call("discoveryrule.create", { hostid: hostids[0], name, key_: name, ...more });
  for (const name of ["asked.one", "asked.two"]) {
    await rule(name, { type: 19, url: "http://127.0.0.1:9/", delay: "1d" });
  }
  await rule("sent", { type: 2 });
  const statuses = async () => {
    const params = { hostids, output: ["key_", "status"], sortfield: "key_" };
    const rows = (await call("discoveryrule.get", params)) as { key_: string; status: string }[];
    return rows.map(({ key_, status }) => `${key_} ${status}`);
  };
  const pick = async (name: string) => {
    await page.getByRole("row", { name }).getByRole("checkbox", { name: "Pick" }).check();
  };
  const menu = async (n: string, entry: string) => {
    await press(n);
    await page.getByRole("menuitem", { name: entry, exact: true }).click();
  };
  await open(`/hosts/${hostids[0]}/discovery`);
  await pick("asked.one");
  await pick("sent");
  await press("2 rules");
  await page.getByRole("menuitem", { name: "Disable", exact: true }).waitFor();
  // one of them waits for the sender of its data
  await becomes(() => page.getByRole("menuitem", { name: "Execute now", exact: true }).count(), 0);
  await page.getByRole("menuitem", { name: "Disable", exact: true }).click();
  await page.getByText("Rules updated").waitFor();
  assert.deepEqual(await statuses(), ["asked.one 1", "asked.two 0", "sent 1"]);
  await pick("asked.one");
  await menu("1 rule", "Enable");
  // the word of the first change may still stand: what was picked is let go once this one is done
  await page.getByRole("button", { name: "1 rule" }).waitFor({ state: "hidden" });
  await pick("asked.one");
  await pick("asked.two");
  await menu("2 rules", "Execute now");
  await page.getByText("2 discovery runs requested").waitFor();
  await pick("asked.one");
  await pick("sent");
  await menu("2 rules", "Delete …");
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("Deleted", { exact: true }).waitFor();
  assert.deepEqual(await statuses(), ["asked.two 0"]);
  await call("host.delete", hostids);
});

test("nothing complained", () => {
  assert.deepEqual(browser.complaints, []);
});
