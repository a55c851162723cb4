// Global correlation in a real browser: a rule is made in the form, and closes what it is to close.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { type Browser, callAs, openBrowser, shots, signIn } from "./browser";
import { STEP_MS } from "./progress";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);
const RULE = `A link that is up again ${RUN}`;

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

const field = (name: string) => page.getByRole("textbox", { name, exact: true });

async function press(name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
}

async function choose(label: string, option: string): Promise<void> {
  await page.getByRole("combobox", { name: label, exact: true }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
}

test("a rule is made in the form, which says what is missing and what the rule will do", async () => {
  await page.goto(`${target.url}/correlation`);
  await press("New correlation rule");
  await press("Create");
  await page.getByText("a name is required").waitFor();
  await page.getByText("two tags are required").waitFor();
  await field("Name").fill(RULE);
  await field("Old event tag of condition 1").fill("link");
  await field("New event tag of condition 1").fill("link");
  await press("Add condition");
  await choose("Type of condition 2", "New event tag value");
  await field("Tag of condition 2").fill("state");
  await field("Value of condition 2").fill("up");
  await press("Add condition");
  await choose("Type of condition 3", "New event host group");
  await choose("Operator of condition 3", "does not equal");
  await page.getByRole("combobox", { name: "Host group of condition 3" }).fill("Discovered");
  await page.getByRole("option", { name: "Discovered hosts", exact: true }).click();
  await choose("Type of calculation", "Custom expression");
  await field("Formula").fill("A and B and");
  await page.getByText("not a formula such as").waitFor();
  await field("Formula").fill("A and B and C");
  await page.getByText("state of the new event equals “up”").waitFor();
  await page.getByRole("checkbox", { name: "Close new event" }).check();
  await shots(page, "correlation-form", { narrow: true, axe: true });
  await press("Create");
  await page.getByRole("link", { name: RULE, exact: true }).waitFor();
  await shots(page, "correlations", { narrow: true, axe: true });

  const [saved] = await callAs<{ filter: { formula: string; conditions: object[] } }[]>(
    page,
    "correlation.get",
    { filter: { name: [RULE] }, selectFilter: "extend", selectOperations: "extend" },
  );
  assert.equal(saved?.filter.formula, "A and B and C");
  assert.equal(saved?.filter.conditions.length, 3);
});

test("a rule is switched off and on in the list, and a second one of its name is refused", async () => {
  const enabled = page.getByRole("switch", { name: `${RULE} enabled` });
  const status = async () => {
    const params = { filter: { name: [RULE] }, output: ["status"] };
    return (await callAs<{ status: string }[]>(page, "correlation.get", params))[0]?.status;
  };
  for (const expected of ["1", "0"]) {
    const answered = page.waitForResponse((it) => it.url().endsWith("/api_jsonrpc.php"));
    await enabled.press("Space");
    await answered;
    assert.equal(await status(), expected);
    await page.locator(`[aria-label="${RULE} enabled"]:enabled`).waitFor({ state: "attached" });
  }
  await page.getByRole("link", { name: RULE, exact: true }).click();
  await press("Clone");
  await field("Name").fill(RULE);
  await press("Create");
  await page.getByText(/already exists/).waitFor();
  await press("Cancel");
});

test("an open problem is over once the rule's new event comes", async () => {
  const { send } = target;
  if (send === undefined) return;
  const host = `e2e-correlation-${RUN}`;
  const { hostids } = await callAs<{ hostids: string[] }>(page, "host.create", {
    host,
    groups: [{ groupid: "4" }],
  });
  const [hostid] = hostids;
  for (const [key, state] of [
    ["down", "down"],
    ["up", "up"],
  ] as const) {
    await callAs(page, "item.create", { hostid, name: key, key_: key, type: 2, value_type: 3 });
    await callAs(page, "trigger.create", {
      description: `Link ${state} ${RUN}`,
      expression: `last(/${host}/${key})>0`,
      priority: 3,
      tags: [
        { tag: "link", value: `eth0-${RUN}` },
        { tag: "state", value: state },
      ],
    });
  }
  const open = async () => {
    const rows = await callAs<{ name: string }[]>(page, "problem.get", { hostids: [hostid] });
    return rows.map(({ name }) => name);
  };
  const until = async (expected: readonly string[]) => {
    const deadline = Date.now() + STEP_MS;
    for (;;) {
      const now = await open();
      if (now.length === expected.length && now.every((it) => expected.includes(it))) return;
      assert.ok(Date.now() < deadline, `${now} and not ${expected}`);
      await new Promise((done) => setTimeout(done, 200));
    }
  };
  // items take values some moments after they were made
  const deadline = Date.now() + STEP_MS;
  while ((await open()).length === 0) {
    assert.ok(Date.now() < deadline, "no problem begins");
    await send(host, "down", "1");
    await new Promise((done) => setTimeout(done, 300));
  }
  await until([`Link down ${RUN}`]);
  await send(host, "up", "1");
  await until([]);
  assert.deepEqual(browser.complaints, []);
});
