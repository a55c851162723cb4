// The reason of a problem and who was notified, in a real browser: on the event page and in the panel of a problem.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { type Browser, callAs, openBrowser, shots, signIn } from "./browser";
import { openTarget, type Target } from "./target";

const RUN = Date.now().toString(36);
const HOST = `e2e-explain-${RUN}`;
const PROBLEM = `Load is high ${RUN}`;

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

/** A host with a trigger that depends on another one, a rule of correlation, and actions that are and are not for it. */
async function makeWorld(): Promise<void> {
  const group = await callAs<{ groupids: string[] }>(page, "hostgroup.create", {
    name: `E2E explain ${RUN}`,
  });
  const host = await callAs<{ hostids: string[] }>(page, "host.create", {
    host: HOST,
    groups: [{ groupid: group.groupids[0] }],
    macros: [{ macro: "{$LOAD.MAX}", value: "5" }],
  });
  for (const key of ["load", "router"]) {
    const item = { name: key, key_: key, type: 2, value_type: 0 };
    await callAs(page, "item.create", { hostid: host.hostids[0], ...item });
  }
  const master = await callAs<{ triggerids: string[] }>(page, "trigger.create", {
    description: `The router is down ${RUN}`,
    expression: `last(/${HOST}/router)>0`,
  });
  await callAs(page, "trigger.create", {
    description: PROBLEM,
    expression: `last(/${HOST}/load)>{$LOAD.MAX} and avg(/${HOST}/load,5m)>1`,
    priority: 4,
    tags: [{ tag: "service", value: "web" }],
    dependencies: [{ triggerid: master.triggerids[0] }],
  });
  await callAs(page, "correlation.create", {
    name: `Web is up again ${RUN}`,
    filter: {
      evaltype: 1,
      conditions: [
        { type: 3, oldtag: "service", newtag: "service" },
        { type: 5, tag: "state", operator: 0, value: "up" },
      ],
    },
    operations: [{ type: 0 }],
  });
  const action = (name: string, conditions: unknown) =>
    callAs(page, "action.create", {
      name,
      eventsource: 0,
      filter: { evaltype: 1, conditions },
      operations: [
        { operationtype: 0, opmessage: { default_msg: 1 }, opmessage_usr: [{ userid: "1" }] },
      ],
    });
  const group_ = { conditiontype: 0, operator: 0, value: group.groupids[0] };
  await action(`Notify the people of the web ${RUN}`, [
    group_,
    { conditiontype: 26, operator: 0, value: "web", value2: "service" },
  ]);
  await action(`Wake somebody up ${RUN}`, [group_, { conditiontype: 4, operator: 5, value: "5" }]);
}

test("an event shows its reason, the decisions and who was notified", async () => {
  if (target.send === undefined) return;
  await makeWorld();
  await target.send(HOST, "router", "0");
  await target.send(HOST, "load", "9");
  await page.goto(`${target.url}/problems?q=${HOST}`);
  const row = page.getByRole("row").filter({ hasText: PROBLEM });
  await row.waitFor();
  const [problem] = await callAs<{ eventid: string }[]>(page, "problem.get", {
    output: ["eventid"],
    search: { name: PROBLEM },
  });
  assert.ok(problem !== undefined);
  await page.goto(`${target.url}/events/${problem.eventid}`);
  const values = page.getByRole("region", { name: "Values", exact: true });
  await values.getByText("9>5 and 9>1").waitFor();
  await values.getByText(`The router is down ${RUN}: was not in problem state then`).waitFor();
  const actions = page.getByRole("region", { name: "Actions", exact: true });
  await actions.getByText(`Notify the people of the web ${RUN}`).waitFor();
  const unmet = actions.getByText(`Wake somebody up ${RUN}`);
  await unmet.click();
  await actions.getByText("severity is greater than or equals Disaster").waitFor();
  const notified = page.getByRole("region", { name: "Notifications", exact: true });
  // Admin has no medium: that is said, too.
  await notified.getByText("No media defined for user.").waitFor();
  const rules = page.getByRole("region", { name: /Correlation rules/ });
  await rules.getByText(`Web is up again ${RUN}`).click();
  await rules.getByText("state of the new event equals “up”").waitFor();
  await notified.scrollIntoViewIfNeeded();
  await shots(page, "explain-event", { narrow: true, axe: true });
  await values.scrollIntoViewIfNeeded();
  await shots(page, "explain-event-values", { narrow: true, axe: true });

  await page.goto(`${target.url}/problems?q=${HOST}`);
  await row.getByText(PROBLEM).click();
  const panel = page.getByRole("complementary");
  await panel.getByText("Explain", { exact: true }).click();
  await panel.getByText("9>5 and 9>1").waitFor();
  await panel.getByText("9>5 and 9>1").scrollIntoViewIfNeeded();
  await shots(page, "explain-panel", { narrow: true, axe: true });
  assert.deepEqual(browser.complaints, []);
});
